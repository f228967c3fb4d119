package tui_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/exp/golden"

	"toolcrib/internal/shortrun"
	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/review/rules"
	"toolcrib/tui"
)

// harbourTools are the tools of a server, one of which contains hidden text.
const harbourTools = `{"tools":[
 {"name":"find_ship","title":"Find a ship","description":"Finds a ship by its name.\n\nUse it before berth_ship, and never for boats: they are not in the register of the harbour master, who keeps a list of his own.",
  "inputSchema":{"type":"object","properties":{"name":{"type":"string","description":"The name on her bow."},"flag":{"type":"string","enum":["DE","NL"]},"year":{"type":"integer"}},"required":["name"]},
  "annotations":{"readOnlyHint":true,"openWorldHint":false},"_meta":{"vendor":"Harbour"}},
 {"name":"berth_ship","description":"Gives a ship a berth\u200b.","inputSchema":{"type":"object","properties":{"ship":{"type":"object","description":"Which one.","properties":{"name":{"type":"string","description":"Her name."}}},"berths":{"type":"array","items":{"type":"string"},"description":"Berths to try, 漢字 and e\u0301."}}},
  "annotations":{"destructiveHint":false},"_meta":{"vendor":"Harbour"}},
 {"name":"send_away","description":"Sends a ship away.","inputSchema":{"type":"object","properties":{"reason":{"type":"string"}}},"annotations":{"destructiveHint":true},"_meta":{"vendor":"Harbour"}}
]}`

func harbour(b *workbench) { b.imports("harbour", harbourTools) }

// TestSetScreens checks the page of a change set.
func TestSetScreens(t *testing.T) {
	shortrun.OneGoroutine(t)
	for _, s := range []struct {
		name string
		keys []string
	}{
		{"set", []string{"enter"}},
		{"set-tool", []string{"enter", "]", "]"}},
		{"set-json", []string{"enter", "]", "E"}},
		{"set-approve", []string{"enter", "a"}},
	} {
		for _, size := range [][2]int{{60, 15}, {80, 24}, {120, 40}, {200, 50}} {
			t.Run(fmt.Sprintf("%s/%dx%d", s.name, size[0], size[1]), func(t *testing.T) {
				t.Parallel()
				b := newSharedWorkbench(t, "harbour", size[0], size[1], harbour)
				b.press(s.keys...)
				content := b.m.View().Content
				checkWidth(t, content, size[0], size[1])
				checkSafe(t, content, ownStyles(), size[0], size[1])
				golden.RequireEqual(t, masked(trimmed(b.screen())))
			})
		}
	}
}

// TestUnreadKeyIsShown checks that the footer shows the keys that an approval needs on screens of every width.
func TestUnreadKeyIsShown(t *testing.T) {
	shortrun.OneGoroutine(t)
	for _, width := range []int{60, 80, 100} {
		b := newSharedWorkbench(t, "harbour", width, 15, harbour)
		lastLine := func() string {
			lines := strings.Split(b.screen(), "\n")
			return lines[len(lines)-1]
		}
		b.press("enter", "a")
		if keys := strings.TrimRight(lastLine(), " "); !strings.HasPrefix(keys, " u next unread  A approve ") || !strings.HasSuffix(keys, "esc back") {
			t.Errorf("%d columns, in the dialog:\n%s", width, b.screen())
		}
		b.press("esc")
		for _, tab := range []string{"the set", "Overview", "Diff"} {
			if !strings.HasPrefix(lastLine(), " a approve  u unread  ") {
				t.Errorf("%d columns, %s:\n%s", width, tab, b.screen())
			}
			b.press(map[string]string{"the set": "enter", "Overview": "2", "Diff": "esc"}[tab])
		}
	}
}

// TestFoldedSetNamesItsKeys checks what the side pane and the footer say about the keys of a folded set, before and
// after the decision.
func TestFoldedSetNamesItsKeys(t *testing.T) {
	shortrun.OneGoroutine(t)
	b := newSharedWorkbench(t, "harbour", 130, 30, harbour)
	b.wants("F unfold", "F lists its members, enter", "opens the set.")
	b.press("F").wants("F fold ")
	b.press("F", "x", "N", "o", ".", "ctrl+s", "y").wants("Rejected")
	b.press("tab", "tab", "tab", "tab").wants("F unfold", "F lists its members, enter opens", "the first.")
	b.press("enter").wants("Queue › #", "rejected")
}

// TestKeysWithoutEffectAreDisabled checks that a page with only short lines does not offer to wrap them.
func TestKeysWithoutEffectAreDisabled(t *testing.T) {
	b := newWorkbench(t, 150, 30)
	b.press("D").wants("Unsent drafts")
	if strings.Contains(b.screen(), "w wrap") {
		t.Errorf("\n%s", b.screen())
	}
	b.press("w").wants("w wrap: no line is wider than the screen")
}

// TestSetIsOneDecision reads a change set to its end and approves it. Nothing else unlocks the approval.
func TestSetIsOneDecision(t *testing.T) {
	shortrun.OneGoroutine(t)
	b := newSharedWorkbench(t, "harbour", 80, 18, harbour)
	b.press("enter").wants("Queue › set harbour", "3 tools of the MCP server s: 3 new", "unread lines", "find_ship", "claims to be read-only, closed world")
	b.press("a").wants("Approve 3 proposals", "! unread: ", "of this page")
	b.press("y")
	if n := b.count(proposals.Approved); n != 0 {
		t.Fatalf("%d approved unread", n)
	}
	b.press("u").wants("Queue › set harbour")
	for range 9 {
		b.press("space")
	}
	b.wants("no unread lines", "send_away")
	b.press("E").wants("no unread lines")
	b.press("a").wants("y approve all")
	b.press("y").wants("Live:")
	if n := b.count(proposals.Approved); n != 3 {
		t.Errorf("%d approved", n)
	}
}

// TestSetNameIsReused approves a later change of a server. It joins the set whose other members are live, and these do
// not block it.
func TestSetNameIsReused(t *testing.T) {
	b := newWorkbench(t, 100, 40, func(b *workbench) {
		for _, name := range []string{"word_counts.json", "name_bank.json"} {
			d := b.file(name)
			d.ChangeSet = "harbour"
			b.propose(d)
		}
	})
	b.press("a", "u", "2", "space", "M", "2", "space", "space", "a", "y").wants("Live: ")
	d := b.file("viewpoint_keeper.md")
	d.ChangeSet = "harbour"
	b.propose(d)
	b.press("Q").poll()
	b.press("enter").wants("#3", "set        harbour")
	if strings.Contains(b.screen(), "approved yet") || strings.Contains(b.screen(), "#1") {
		t.Fatalf("members that are live hold it back:\n%s", b.screen())
	}
	b.press("2", "space", "space", "esc", "a").wants("━━ Approve ━━ tool:user/viewpoint_keeper")
	b.press("esc", "enter", "a").wants("━━ Approve ━━ tool:user/viewpoint_keeper")
	b.press("y").wants("Live: tool:user/viewpoint_keeper version 1")
}

// TestPartsReadInTheSetCount moves between tools, opens one, and approves the set from there with the parts read on
// the set's page.
func TestPartsReadInTheSetCount(t *testing.T) {
	shortrun.OneGoroutine(t)
	b := newSharedWorkbench(t, "harbour", 100, 60, harbour)
	b.press("enter").wants("no unread lines", "Gives a ship a berth⟨U+200B⟩.")
	b.press("]", "enter").wants("tool:user/s_berth_ship", "Overview")
	b.press("a")
	if strings.Contains(b.screen(), "! unread: ") {
		t.Fatalf("read on the page of the set, and locked:\n%s", b.screen())
	}
	b.press("esc", "esc").wants("Queue › set harbour")
	b.press("esc").wants("Your turn")
}

// TestSetIsReadFromEverywhere opens a change set with the key for the next waiting proposal, and decides on it from
// the queue with and without marks. The set is always read on its page, which records what was read.
func TestSetIsReadFromEverywhere(t *testing.T) {
	shortrun.OneGoroutine(t)
	b := newSharedWorkbench(t, "harbour and another", 80, 18, func(b *workbench) {
		b.imports("harbour", harbourTools)
		b.imports("quay", strings.NewReplacer("find_ship", "find_quay", "berth_ship", "berth_quay", "send_away", "send_on").Replace(harbourTools))
	})
	b.press(".").wants("Queue › set quay", "unread lines")
	b.press(".").wants("Queue › set harbour", "unread lines")
	b.press(".").wants("Queue › set quay")
	b.press("esc").wants("Your turn 6")
	b.press("a").wants("Approve 3 proposals", "! unread: ", "the page of the set quay")
	if n := strings.Count(b.screen(), "the page of the set"); n != 1 {
		t.Errorf("named %d times:\n%s", n, b.screen())
	}
	b.press("u").wants("Queue › set quay")
	for range 9 {
		b.press("space")
	}
	b.wants("no unread lines")
	b.press("esc", "enter").wants("Queue › set quay", "no unread lines")
	b.press("[", "[", "]", "enter").wants("tool:user/s_berth_quay", "Overview")
	b.press(".").wants("tool:user/s_find_quay", "Overview") // continues with the next member of the set
	b.press("esc", "esc").wants("Your turn 6")
	for range 6 {
		b.press("space") // marks
	}
	b.press("a").wants("Approve 6 proposals", "the page of the set harbour")
	b.press("u").wants("Queue › set harbour")
	for range 9 {
		b.press("space")
	}
	b.wants("no unread lines")
	b.press("esc", "a").wants("Approve 6 proposals")
	if strings.Contains(b.screen(), "! unread: ") {
		t.Errorf("locked:\n%s", b.screen())
	}
}

// TestNewRevisionIsUnreadInTheSet revises a member while the page is open. What was read before does not count for the new revision.
func TestNewRevisionIsUnreadInTheSet(t *testing.T) {
	shortrun.OneGoroutine(t)
	b := newSharedWorkbench(t, "harbour", 100, 60, harbour)
	b.press("enter").wants("no unread lines")
	page, err := b.desk.Reading.List(t.Context(), review.Query{})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range page.Proposals {
		if p.Subject.ID != "s_send_away" {
			continue
		}
		d, err := b.desk.Reading.Show(t.Context(), mara, p.ID)
		if err != nil {
			t.Fatal(err)
		}
		draft, tool := d.Revision.Draft, *d.Revision.Draft.Definition.Tool
		tool.Description = strings.Repeat("Sends a ship away, far away. ", 3)
		draft.Definition.Tool = &tool
		if _, err := b.desk.Drafting.Revise(t.Context(), mara, p.ID, draft); err != nil {
			t.Fatal(err)
		}
	}
	b.press("ctrl+l").wants("in toolcrib, description", "far away")
	b.press("]", "[").wants("no unread lines")
}

// TestSetLeavesOutWhatIsBlocked removes a blocked tool from a set with one key and a confirmation, and approves the
// rest, which stays read.
func TestSetLeavesOutWhatIsBlocked(t *testing.T) {
	shortrun.OneGoroutine(t)
	b := newSharedWorkbench(t, "harbour with a trap", 100, 60, func(b *workbench) {
		harbour(b)
		page, err := b.desk.Reading.List(t.Context(), review.Query{Filter: "send_away"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := b.desk.Assessing.Assess(t.Context(), proposals.Actor{Kind: proposals.Chief, Name: "ida"}, page.Proposals[0].ID, review.Opinion{
			Recommendation: proposals.RecommendNeedsChanges, Comment: "It is a trap.",
			Findings: []rules.Finding{{Rule: "X101", Severity: rules.Block, Path: "definition.description", Message: "A trap.", Passage: "Sends a ship away."}},
		}); err != nil {
			t.Fatal(err)
		}
	})
	b.press("enter").wants("no unread lines", "block", "d leave out")
	b.press("a").wants("Some decisions are not possible", "1 of 3 proposals cannot be decided", "s_send_away", "y leave 1 out of the set harbour")
	b.press("esc", "]", "]", "d").wants("━━ Leave out ━━ #3 tool:user/s_send_away", "y leave it out")
	b.press("y").wants("#3 left the set harbour and is now a separate proposal", "2 tools of the MCP server s: 2 new", "no unread lines")
	b.press("a").wants("Approve 2 proposals", "y approve all")
	b.press("y").wants("Live:")
	if s := b.states(); s["s_find_ship"] != proposals.Approved || s["s_berth_ship"] != proposals.Approved || s["s_send_away"] != proposals.UserReview {
		t.Errorf("states %v", s)
	}
}

// TestSetContinuesWithoutTheRejectedMember rejects one tool of a set and approves the others as a new set.
func TestSetContinuesWithoutTheRejectedMember(t *testing.T) {
	shortrun.OneGoroutine(t)
	b := newSharedWorkbench(t, "harbour", 100, 18, harbour)
	b.press("enter", "space", "space", "space").wants("no unread lines")
	b.press("]", "]", "enter").wants("tool:user/s_send_away", "Overview")
	b.press("x").write("Not that one.").press("tab", "y").wants("Rejected: tool:user/s_send_away")
	b.press("esc").wants("Queue › set harbour")
	b.press("a").wants("y continue with the other 2 as the set harbour-rest")
	b.press("y").wants("Moved 2 to the set harbour-rest")
	b.press(".").wants("Queue › set harbour-rest", "no unread lines")
	b.press("a").wants("Approve 2 proposals", "y approve all")
	b.press("y").wants("Live:")
	if n := b.count(proposals.Approved); n != 2 {
		t.Errorf("states %v", b.states())
	}
}

// TestSetDecisionFitsOneScreen approves many tools on a screen of 80 by 24. The question is as long as for two
// tools.
func TestSetDecisionFitsOneScreen(t *testing.T) {
	shortrun.OneGoroutine(t)
	b := newSharedWorkbench(t, "crowd", 80, 24, func(b *workbench) {
		var tools []string
		for i := range 10 {
			tools = append(tools, fmt.Sprintf(`{"name":"crowd_%d","description":"Does one thing, number %d.","inputSchema":{"type":"object"}}`, i, i))
		}
		b.imports("crowd", `{"tools":[`+strings.Join(tools, ",")+`]}`)
	})
	b.press("enter")
	for range 9 {
		b.press("space")
	}
	b.wants("no unread lines")
	b.press("a").wants("Approve 10 proposals ━━ set crowd", "read 10/10", "y approve all")
	if strings.Contains(b.screen(), "↓ more") {
		t.Errorf("it does not fit:\n%s", b.screen())
	}
	b.press("d").wants("10 tools of the MCP server s: 10 new")
}

// TestHostileSets shows hostile text in every part of the page.
func TestHostileSets(t *testing.T) {
	shortrun.OneGoroutine(t)
	for i, text := range hostileTexts {
		for _, size := range [][2]int{{60, 15}, {140, 40}} {
			t.Run(fmt.Sprintf("%d/%dx%d", i, size[0], size[1]), func(t *testing.T) {
				b := newFakeOf(t, fake{text: text, sets: true}, size[0], size[1])
				b.press("enter")
				if len(text) < 10 {
					b.wants("▎Change set")
				}
				for _, k := range []string{"]", "E", "G", "w", "l", "a", "esc", "/", "esc", "["} {
					b.press(k)
					content := b.m.View().Content
					checkWidth(t, content, size[0], size[1])
					checkSafe(t, content, ownStyles(), size[0], size[1])
				}
			})
		}
	}
}

// countedSets counts the reads of change sets.
type countedSets struct {
	tui.Reader
	reads *int
}

func (c countedSets) ShowSet(ctx context.Context, actor proposals.Actor, changeSet string) (review.ChangeSet, error) {
	*c.reads++
	return c.Reader.ShowSet(ctx, actor, changeSet)
}

// TestDecisionReadsASetAgainAfterAChange checks that the dialog uses what the page has read, unless another process has
// changed the database since, even if the page does not show that change yet.
func TestDecisionReadsASetAgainAfterAChange(t *testing.T) {
	shortrun.OneGoroutine(t)
	b := newSharedWorkbench(t, "harbour", 80, 18, harbour)
	reads := 0
	b.config.Desk.Reader = countedSets{b.config.Desk.Reader, &reads}
	b.m = tui.New(b.config)
	b.m.Prime(80, 18)
	b.drain(b.m.Init())
	b.press("enter", "a").wants("Approve 3 proposals")
	if reads != 1 {
		t.Errorf("read %d times, want 1", reads)
	}
	page, err := b.desk.Reading.List(t.Context(), review.Query{Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.desk.Deciding.Decide(t.Context(), mara, []review.Choice{{ID: page.Proposals[0].ID}}, proposals.VerdictNeedsChanges, "No."); err != nil {
		t.Fatal(err)
	}
	b.press("esc", "a").wants("Some decisions are not possible")
	if reads != 2 {
		t.Errorf("read %d times after a change, want 2", reads)
	}
}
