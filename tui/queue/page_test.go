package queue

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/tui/queue/rows"
	"toolcrib/tui/screen"
	"toolcrib/tui/screen/screentest"
)

var mara = proposals.Actor{Kind: proposals.User, Name: "mara"}

// desk contains a number of waiting proposals in memory, the newest first.
type desk struct {
	waiting int
	err     error
}

func proposal(i int) proposals.Proposal {
	return proposals.Proposal{
		ID: proposals.ID(fmt.Sprintf("01990000-0000-7000-8000-%012d", i)), Issue: i + 1, Type: proposals.New,
		Subject: registry.Subject{Kind: registry.KindTool, Layer: registry.LayerUser, ID: fmt.Sprintf("tool_%03d", i)},
		State:   proposals.UserReview, Author: mara, Title: "Say\u202e it", CreatedAt: screentest.Now.Add(-time.Hour),
	}
}

func (d desk) List(_ context.Context, q review.Query) (page review.Page, err error) {
	if q.State != proposals.UserReview && q.State != "" {
		return page, d.err
	}
	for at := range d.waiting {
		p := proposal(d.waiting - 1 - at)
		if q.Reverse {
			p = proposal(at)
		}
		beyond := q.After == "" || !q.Reverse && string(p.ID) < q.After || q.Reverse && string(p.ID) > q.After
		if !beyond || !strings.Contains(p.Subject.ID, q.Filter) {
			continue
		}
		if len(page.Proposals) == q.Limit {
			page.Next = string(page.Proposals[q.Limit-1].ID)
			break
		}
		page.Proposals = append(page.Proposals, p)
	}
	return page, d.err
}

func (d desk) Counts(context.Context) (map[proposals.State]int, error) {
	return map[proposals.State]int{proposals.UserReview: d.waiting}, d.err
}

func (d desk) Show(_ context.Context, _ proposals.Actor, id proposals.ID) (review.Dossier, error) {
	for i := range d.waiting {
		if p := proposal(i); p.ID == id {
			return review.Dossier{Proposal: p, Revision: proposals.Revision{Draft: proposals.Draft{Rationale: "Because " + p.Subject.ID}}}, nil
		}
	}
	return review.Dossier{}, errors.New("there is none")
}

func opened(t *testing.T, d desk, width int) *Page {
	t.Helper()
	p := New(t.Context(), new(screentest.Shell), d, Options{Actor: mara, NoEditor: func() string { return "" }, Debounce: func(msg tea.Msg) tea.Cmd {
		return func() tea.Msg { return msg }
	}})
	if want := screentest.Open(t, p.shell, p, width, 20); want != nil {
		t.Fatalf("reading the list asks for %v", want)
	}
	return p
}

func TestListsProposals(t *testing.T) {
	for width, wants := range map[int][]string{
		60:  {"▌  #3", "tool:user/tool_002"},
		120: {"▌  #3", "│ Say⟨U+202E⟩ it", "│ Because tool_002"},
	} {
		text := screentest.View(t, opened(t, desk{waiting: 3}, width), width)
		for _, want := range wants {
			if !strings.Contains(text, want) {
				t.Errorf("%d columns: %q is not in\n%s", width, want, text)
			}
		}
	}
	if text := screentest.View(t, opened(t, desk{}, 60), 60); !strings.Contains(text, "Next: bring in what your agents use") {
		t.Errorf("an empty list:\n%s", text)
	}
	remote := opened(t, desk{}, 60)
	remote.Remote = true
	if text := screentest.View(t, remote, 60); strings.Contains(text, " I  ") || !strings.Contains(text, "ssh HOST toolcrib import - < FILE") {
		t.Errorf("an empty list on another machine:\n%s", text)
	}
	busy := errors.New("busy")
	p := New(t.Context(), new(screentest.Shell), desk{err: busy}, Options{})
	if want := screentest.Open(t, p.shell, p, 60, 20); len(want) != 1 || want[0] != screen.Fail(busy) {
		t.Errorf("an error is told as %#v", want)
	}
}

// TestLoadsNextChunk goes to the end of a partly loaded list and back.
func TestLoadsNextChunk(t *testing.T) {
	p := opened(t, desk{waiting: 3*rows.Chunk + 1}, 80)
	for key, want := range map[string]string{"G": "tool_000", "g": "tool_300"} {
		screentest.Press(t, p.shell, p, key)
		if at, _ := p.Current(); at.Subject.ID != want {
			t.Errorf("%s selects %s, expected %s", key, at.Subject.ID, want)
		}
	}
	if p.list.Total() > 2*rows.Chunk {
		t.Errorf("%d rows were read for the two ends", p.list.Total())
	}
}

// TestDecidesOnMarks decides on the selected row or on the marked proposals. Marks survive a change of the tab.
func TestDecidesOnMarks(t *testing.T) {
	p := opened(t, desk{waiting: 5}, 80)
	decided := func() (ids []string) {
		want, off := screentest.Press(t, p.shell, p, "a")
		if len(want) != 1 {
			t.Fatalf("a asks for %#v %s", want, off)
		}
		for _, p := range want[0].([]proposals.Proposal) {
			ids = append(ids, p.Subject.ID)
		}
		return ids
	}
	if got := fmt.Sprint(decided()); got != "[tool_004]" {
		t.Errorf("without marks: %s", got)
	}
	for _, key := range []string{"j", "v", "j", "j", "v", "tab"} {
		screentest.Press(t, p.shell, p, key)
	}
	if got := fmt.Sprint(decided()); got != "[tool_003 tool_002 tool_001]" {
		t.Errorf("a range of three: %s", got)
	}
	if _, off := screentest.Press(t, p.shell, p, "space"); off != "no proposal is selected" {
		t.Errorf("marking in an empty tab: %q", off)
	}
	screentest.Press(t, p.shell, p, "*")
	if len(p.Marks.List) != 0 {
		t.Errorf("%d marks are left", len(p.Marks.List))
	}
}

// TestOpensWhatWaits checks that the key opens the selected row if it waits for the user, and otherwise the next
// waiting proposal.
func TestOpensWhatWaits(t *testing.T) {
	p := opened(t, desk{waiting: 2}, 80)
	first, _ := p.list.At(0)
	if want, _ := screentest.Press(t, p.shell, p, "."); len(want) != 1 || want[0] != (screentest.Call{To: "OpenSet", Of: first.First().ID}) {
		t.Errorf("on a row that waits: %#v", want)
	}
	screentest.Press(t, p.shell, p, "tab")
	if want, _ := screentest.Press(t, p.shell, p, "."); len(want) != 1 || want[0] != (screentest.Call{To: "OpenWaiting"}) {
		t.Errorf("on no row: %#v", want)
	}
}

// inSet lists all proposals as one change set and counts reads.
type inSet struct {
	desk
	shown *int
}

func (d inSet) List(ctx context.Context, q review.Query) (review.Page, error) {
	page, err := d.desk.List(ctx, q)
	for i := range page.Proposals {
		page.Proposals[i].ChangeSet = "all"
	}
	return page, err
}

func (d inSet) Show(ctx context.Context, actor proposals.Actor, id proposals.ID) (review.Dossier, error) {
	*d.shown++
	return d.desk.Show(ctx, actor, id)
}

// TestReadsNoMemberOfAFoldedSet checks that a proposal is read only if the side pane shows it.
func TestReadsNoMemberOfAFoldedSet(t *testing.T) {
	shown := 0
	p := New(t.Context(), new(screentest.Shell), inSet{desk{waiting: 5}, &shown}, Options{Actor: mara, Debounce: func(msg tea.Msg) tea.Cmd {
		return func() tea.Msg { return msg }
	}})
	screentest.Open(t, p.shell, p, 120, 20)
	if shown != 0 {
		t.Errorf("%d proposals were read for the pane about a set", shown)
	}
	if screentest.Press(t, p.shell, p, "F"); shown != 1 {
		t.Errorf("%d proposals were read for the first member", shown)
	}
}
