package proposal

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"toolcrib/history"
	"toolcrib/prompt/tokens"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/review/impact"
	"toolcrib/tui/editor"
	"toolcrib/tui/markdown"
	"toolcrib/tui/screen"
	"toolcrib/tui/screen/screentest"
	"toolcrib/tui/seen"
)

const id = proposals.ID("01990000-0000-7000-8000-000000000001")

var (
	mara  = proposals.Actor{Kind: proposals.User, Name: "mara"}
	clock = registry.Subject{Kind: registry.KindTool, Layer: registry.LayerUser, ID: "clock"}
)

// desk contains one proposal and records the digests that were shown.
type desk struct {
	state proposals.State
	goals string
	shown []string
	err   error

	versions error // of Versions
	waivers  []history.Waiver
}

func (d *desk) Show(context.Context, proposals.Actor, proposals.ID) (review.Dossier, error) {
	p := proposals.Proposal{ID: id, Issue: 7, Type: proposals.New, Subject: clock, State: d.state, Author: mara, Revision: 1, Title: "A clock"}
	draft := proposals.Draft{Type: proposals.New, Subject: clock, Rationale: "Because\u202e it is late.", Definition: registry.Definition{Tool: &registry.Tool{ID: clock.ID, Goals: d.goals}}}
	r := proposals.Revision{Number: 1, Draft: draft}
	return review.Dossier{Proposal: p, Revision: r, Revisions: []proposals.Revision{r}, Digest: "digest-1", Waivers: d.waivers}, d.err
}

func (d *desk) Source(context.Context, registry.Definition) ([]byte, error) { return nil, nil }

func (d *desk) Shown(_ context.Context, _ proposals.Actor, ds ...review.Dossier) error {
	for _, of := range ds {
		d.shown = append(d.shown, of.Digest)
	}
	return nil
}

func (d *desk) Preview(context.Context, []proposals.ID, string, impact.Scene) ([]impact.Preview, error) {
	return nil, nil
}

func (d *desk) Versions(context.Context, registry.Subject, int, int) ([]history.Version, error) {
	return nil, d.versions
}

func newPage(t *testing.T, d *desk, seen *seen.Record, width int) *Page {
	t.Helper()
	on := func() string { return "" }
	o := Options{
		Shell: new(screentest.Shell), Desk: d, Registry: d, Actor: mara, Layer: registry.LayerUser, Seen: seen, Texts: markdown.NewTexts(), Counter: tokens.NewCounter(),
		NoEditor: on, CannotMark: func(proposals.Proposal) string { return "" }, Marked: func() []proposals.Proposal { return nil },
		Revision: func(review.Dossier) editor.Manuscript { return editor.Manuscript{Name: "it"} }, StoredIn: func(file string) string { return "/kept/" + file },
	}
	return New(t.Context(), o, proposals.Proposal{ID: id}, screentest.Frame(width, 20))
}

func opened(t *testing.T, d *desk, seen *seen.Record, width int) (*Page, []any) {
	t.Helper()
	p := newPage(t, d, seen, width)
	return p, screentest.Open(t, p.Shell, p, width, 20)
}

func TestShowsAProposal(t *testing.T) {
	for width, wants := range map[int][]string{
		80:  {"A clock", "Because⟨U+202E⟩ it is late."},
		140: {"A clock", "│ ◆ goals", "+ Tell the time."},
	} {
		d := &desk{state: proposals.UserReview, goals: "Tell the time."}
		p, want := opened(t, d, seen.New(), width)
		if len(want) != 0 {
			t.Errorf("%d columns: opening asks for %v", width, want)
		}
		if len(d.shown) != 0 { // opened but not read
			t.Errorf("%d columns: shown %q", width, d.shown)
		}
		text := screentest.View(t, p, width)
		for _, w := range wants {
			if !strings.Contains(text, w) {
				t.Errorf("%d columns: %q is not in\n%s", width, w, text)
			}
		}
	}
	busy := errors.New("busy")
	if _, want := opened(t, &desk{err: busy}, seen.New(), 80); len(want) != 1 || want[0] != screen.Fail(busy) {
		t.Errorf("an error is told as %#v", want)
	}
}

// TestThreadCountsWaivers checks that the number of the Thread tab includes the waivers that the tab lists.
func TestThreadCountsWaivers(t *testing.T) {
	p, _ := opened(t, &desk{state: proposals.UserReview, waivers: []history.Waiver{{Rule: "S101", Path: "definition.goals", By: "user:mara", Reason: "quoted"}}}, seen.New(), 80)
	if n := p.tabs[tabThread].Count(); n != 1 {
		t.Errorf("%d entries", n)
	}
}

// TestHistoryShowsErrors checks that the history tab does not confuse a failed read with a subject without versions.
func TestHistoryShowsErrors(t *testing.T) {
	for err, want := range map[error]string{
		errors.New("database is busy"):                       "database is busy",
		fmt.Errorf("tool:user/x: %w", proposals.ErrNotFound): "None yet.",
	} {
		p, _ := opened(t, &desk{state: proposals.UserReview, versions: err}, seen.New(), 80)
		screentest.Press(t, p.Shell, p, "6")
		if text := screentest.View(t, p, 80); !strings.Contains(text, want) {
			t.Errorf("%v: %q is not in\n%s", err, want, text)
		}
	}
}

// TestLocksTheApproval checks that an approval is locked until the whole diff was on screen, on any page of the
// proposal.
func TestLocksTheApproval(t *testing.T) {
	d := &desk{state: proposals.UserReview, goals: strings.Repeat("One more thing to tell.\n", 60)}
	seen := seen.New()
	ask := func(p *Page) []string {
		t.Helper()
		want, off := screentest.Press(t, p.Shell, p, "a")
		if len(want) == 0 {
			t.Fatalf("a is off: %s", off)
		}
		if ps, ok := want[0].([]proposals.Proposal); !ok || len(ps) != 1 {
			t.Fatalf("a decides on %v", want[0])
		}
		read := seen.Progress(p.dossier)
		return append(read.Unread, read.Missing...)
	}
	p, _ := opened(t, d, seen, 80)
	if missing := ask(p); len(missing) != 2 || missing[1] != "goals" {
		t.Errorf("nothing was shown, and there is missing %q", missing)
	}
	screentest.Press(t, p.Shell, p, "2")
	screentest.View(t, p, 80)
	if len(ask(p)) == 0 {
		t.Error("the first screen of the diff unlocks the approval")
	}
	again, _ := opened(t, d, seen, 80)
	screentest.Press(t, again.Shell, again, "2")
	for range 10 {
		screentest.View(t, again, 80)
		screentest.Press(t, again.Shell, again, "space")
	}
	if missing := ask(again); len(missing) != 0 {
		t.Errorf("all of it was shown on two pages, and there is missing %q", missing)
	}
	d.goals += "And another one."
	if _, want := again, screentest.Open(t, again.Shell, again, 80, 20); len(want) != 0 {
		t.Errorf("reading it again asks for %v", want)
	}
	if len(ask(again)) == 0 {
		t.Error("the approval of another text is unlocked")
	}
}

// TestGoesToThePartOnceTheDiffIsShown checks that a jump to the unread parts or to a line, requested before the diff has
// been computed, is made as soon as it is shown.
func TestGoesToThePartOnceTheDiffIsShown(t *testing.T) {
	for name, jump := range map[string]func(*Page){
		"unread": func(p *Page) { p.Unseen() },
		"line":   func(p *Page) { p.showLine("definition.goals", 1) },
	} {
		p := newPage(t, &desk{state: proposals.UserReview, goals: "Tell the time."}, seen.New(), 80)
		if jump(p); p.Tab != tabDiff {
			t.Errorf("%s: tab %d before the proposal has loaded", name, p.Tab)
		}
		p.SelectTab(tabOverview)
		if screentest.Open(t, p.Shell, p, 80, 20); p.Tab != tabDiff {
			t.Errorf("%s: tab %d once the diff is shown", name, p.Tab)
		}
	}
	p := newPage(t, &desk{state: proposals.UserReview, goals: "Tell the time."}, seen.New(), 80)
	p.showLine("definition.prompt", 1)
	want := screen.Sayf(screen.Warning, "prompt did not change, so it is not in the diff")
	if got := screentest.Open(t, p.Shell, p, 80, 20); len(got) != 1 || got[0] != want {
		t.Errorf("a line that did not change: %#v", got)
	}
}

// TestAsksTheWorkbench checks the requests that concern more than the page.
func TestAsksTheWorkbench(t *testing.T) {
	p, _ := opened(t, &desk{state: proposals.UserReview}, seen.New(), 80)
	for key, check := range map[string]func(any) bool{
		".": func(i any) bool { return i == screentest.Call{To: "OpenWaiting"} },
		"e": func(i any) bool { e, ok := i.(editor.Manuscript); return ok && e.Name == "it" },
		"+": func(i any) bool { return i == screentest.Call{To: "Mark", Of: id} },
		"c": func(i any) bool { ps, ok := i.([]proposals.Proposal); return ok && len(ps) == 1 && ps[0].ID == id },
	} {
		if want, off := screentest.Press(t, p.Shell, p, key); len(want) != 1 || !check(want[0]) {
			t.Errorf("%s asks for %#v %s", key, want, off)
		}
	}
	if _, off := screentest.Press(t, p.Shell, p, "S"); off == "" {
		t.Error("a proposal that waits for the user can be submitted")
	}
	rejected, _ := opened(t, &desk{state: proposals.Rejected}, seen.New(), 80)
	for _, key := range []string{"c", "x", "u", "e"} {
		if want, off := screentest.Press(t, rejected.Shell, rejected, key); off == "" {
			t.Errorf("%s asks for %v of a rejected proposal", key, want)
		}
	}
}

// TestUnsentTextOpensAfterLoading checks that the dialog of an unsent text opens once the proposal has loaded.
func TestUnsentTextOpensAfterLoading(t *testing.T) {
	p, _ := opened(t, &desk{state: proposals.UserReview}, seen.New(), 80)
	p.Resume(screen.Resume{ID: id, Kind: "reject", File: "reject-" + string(id) + ".txt"})
	p.ResumeDraft()
	if want := screentest.Requests(p.Shell); len(want) != 1 || want[0].([]proposals.Proposal)[0].ID != id {
		t.Errorf("it goes on with %#v", want)
	}
	p.ResumeDraft()
	if want := screentest.Requests(p.Shell); want != nil {
		t.Errorf("it goes on again with %#v", want)
	}
	closed, _ := opened(t, &desk{state: proposals.Rejected}, seen.New(), 80)
	closed.Resume(screen.Resume{ID: id, Kind: "reject", File: "reject.txt"})
	closed.ResumeDraft()
	if want := screentest.Requests(closed.Shell); len(want) != 1 || !strings.Contains(string(want[0].(screen.Status).Text), "/kept/reject.txt") {
		t.Errorf("where it cannot be sent: %#v", want)
	}
}
