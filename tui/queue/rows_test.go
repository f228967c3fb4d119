package queue

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/tui/queue/rows"
	"toolcrib/tui/screen/screentest"
	"toolcrib/tui/theme"
)

func drawn(g grid, width int, r rows.Row) string {
	var cells []string
	for _, c := range g.columns(width) {
		cells = append(cells, strings.TrimSpace(ansi.Strip(c.cell(r).String(c.width))))
	}
	return strings.Join(cells, "|")
}

// TestColumns draws the same columns at every width, with one notation for subjects, a summary of sets, and a verdict
// only where an approval would fail or be against the advice. A long name gets the cells of a short summary.
func TestColumns(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	p := proposals.Proposal{
		ID: "a", Issue: 240, Revision: 1, Type: proposals.Modify, State: proposals.UserReview, CreatedAt: now.Add(-3 * time.Minute),
		Subject: registry.Subject{Kind: registry.KindTool, Layer: registry.LayerUser, ID: "sql_reviewer"}, Title: "SQL reviewer",
		Author: proposals.Actor{Kind: proposals.User, Name: "ada"}, Summary: proposals.Summary{Recommendation: proposals.RecommendApprove},
	}
	blocked, sentBack, stale, agent, gone, goneToo := p, p, p, p, p, p
	blocked.Subject.Layer, blocked.Summary = registry.LayerGlobal, proposals.Summary{Recommendation: proposals.RecommendReject, Findings: 3, Blocks: 3, Worst: "block"}
	sentBack.Summary.Recommendation = proposals.RecommendNeedsChanges
	stale.BaseVersion, stale.LiveVersion = 1, 2
	agent.Author = proposals.Actor{Kind: proposals.Agent, Name: "importer"}
	goneToo.Type = proposals.Deactivate
	gone.Type, gone.Summary.Warns = proposals.Deactivate, 1
	set := func(ps ...proposals.Proposal) rows.Row {
		for i := range ps {
			ps[i].ChangeSet = "notion"
		}
		return rows.Row{Members: ps}
	}
	long := rows.Row{Members: []proposals.Proposal{p, p}}
	long.Members[0].ChangeSet = "skills of a public repository"
	extents := &extents{known: map[revision]review.Extent{{"a", 1}: {Added: 1, Removed: 1, Rationale: "The primary has grown, and false alarms with it."}}}
	g := grid{th: theme.Plain(), now: func() time.Time { return now }, extents: extents}
	one := func(p proposals.Proposal) rows.Row { return rows.Row{Members: []proposals.Proposal{p}} }
	for _, test := range []struct {
		width int
		row   rows.Row
		want  string
	}{
		{120, one(p), "#240||sql_reviewer               The primary has grown, and false alarms …|ada|changed|+1 −1|3m"},
		{80, one(p), "#240||sql_reviewer|ada|changed|+1 −1|3m"},
		{60, one(p), "#240||sql_reviewer|ada|changed|+1 −1|3m"},
		{120, one(blocked), "#240|■|global/sql_reviewer        3 blocks  The primary has grown, and …|ada|changed|+1 −1|3m"},
		{80, one(blocked), "#240|■|global/sql_reviewer   3 blocks|ada|changed|+1 −1|3m"},
		{60, one(blocked), "#240|■|…/sql_reviewer|ada|changed|+1 −1|3m"},
		{120, one(sentBack), "#240||sql_reviewer               send back  The primary has grown, and …|ada|changed|+1 −1|3m"},
		{120, one(stale), "#240|⚠|sql_reviewer               stale  The primary has grown, and false …|ada|changed|+1 −1|3m"},
		{120, one(agent), "#240||sql_reviewer               The primary has grown, and false alarms …|agent:importer|changed|+1 −1|3m"},
		{60, one(agent), "#240||sql_reviewer|agent|changed|+1 −1|3m"},
		{120, set(p, blocked, gone), "3×|■|notion                     1 blocked · 1 with warnings|ada|upgrade||3m"},
		{80, set(p, blocked, gone), "3×|■|notion                1 blocked|ada|upgrade||3m"},
		{80, set(p, blocked, p), "3×|■|notion                1 blocked|ada|changed||3m"},
		{80, set(p, goneToo), "2×||notion|ada|upgrade||3m"},
		{80, long, "2×||skills of a public repository|ada|changed||3m"},
	} {
		if got := drawn(g, test.width, test.row); got != test.want {
			t.Errorf("%d cells:\n%s\nwant\n%s", test.width, got, test.want)
		}
	}
}

// TestSetPreviewIsCut checks that the pane lists at most three screens of a set's members, because it is drawn at every
// frame.
func TestSetPreviewIsCut(t *testing.T) {
	members := make([]proposals.Proposal, 300)
	f := screentest.Frame(120, 35)
	page := setPreview(f, rows.Row{Members: members}).Rows()
	if last := page.Row(page.Len() - 1).Cells[0].Text.Raw; page.Len() > 4*f.Body || last != "and "+strconv.Itoa(300-3*f.Body)+" more" {
		t.Errorf("%d rows, the last one is %q", page.Len(), last)
	}
}
