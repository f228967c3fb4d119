package auditlog

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/tui/screen"
	"toolcrib/tui/screen/screentest"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// entries is an audit log in memory, the newest entry first.
type entries []history.Event

func (es entries) Events(_ context.Context, before int64, limit int) ([]history.Event, error) {
	from := 0
	if before > 0 {
		from = slices.IndexFunc(es, func(e history.Event) bool { return e.Seq < before })
	}
	if from < 0 {
		return nil, nil
	}
	return es[from:min(from+limit, len(es))], nil
}

func (es entries) Versions(_ context.Context, s registry.Subject, before, _ int) ([]history.Version, error) {
	newest := 5
	if before > 0 {
		newest = before - 1
	}
	return []history.Version{{Subject: s, Number: newest}}, nil
}

// made returns a log of n entries. The newest one is a decision on a proposal.
func made(n int) entries {
	es := make(entries, n)
	for i := range es {
		es[i] = history.Event{Seq: int64(n - i), At: noon, Actor: "system:toolcrib", Act: "ship", Subject: "tool:core/get_time", Hash: strings.Repeat("c", 8)}
	}
	if n > 0 {
		es[0].Actor, es[0].Act, es[0].Proposal = "user:mara", "approve", "01990000-0000-7000-8000-000000000001"
		es[0].Data = json.RawMessage(`{"version":3,"note":"reads ` + "\u202e" + `well"}`)
	}
	return es
}

// opened returns the page with its first entries loaded.
func opened(t *testing.T, log Log, width, height int) *Page {
	t.Helper()
	p := New(t.Context(), new(screentest.Shell), log, nil)
	if want := screentest.Open(t, p.shell, p, width, height); want != nil {
		t.Fatalf("reading the log asks for %v", want)
	}
	return p
}

// press presses a key and returns the request of the page, if any, or why the key is disabled.
func press(t *testing.T, p *Page, name string) (any, string) {
	t.Helper()
	want, off := screentest.Press(t, p.shell, p, name)
	if len(want) != 1 {
		return nil, off
	}
	return want[0], off
}

func TestDrawsEntries(t *testing.T) {
	for _, c := range []struct {
		width int
		wants []string
		lacks string
	}{
		{60, []string{"  3h  user:mara      approve", "tool:core/get_time"}, "2026-11-20"},
		{100, []string{"     3  2026-11-20 12:00  user:mara", "version 3, reads"}, "│"},
		{160, []string{"│ approve", "│ proposal   01990000-0000-7000-8000-000000000001", "reads ⟨U+202E⟩well"}, "version 3,"},
	} {
		p := opened(t, made(3), c.width, 15)
		text := screentest.View(t, p, c.width)
		for _, want := range c.wants {
			if !strings.Contains(text, want) {
				t.Errorf("%d columns: %q is not in\n%s", c.width, want, text)
			}
		}
		if strings.Contains(text, c.lacks) {
			t.Errorf("%d columns: %q is in\n%s", c.width, c.lacks, text)
		}
	}
}

func TestOpensProposals(t *testing.T) {
	p := opened(t, made(2), 100, 20)
	asked, _ := press(t, p, "enter")
	if asked != (screentest.Call{To: "Open", Of: proposals.ID("01990000-0000-7000-8000-000000000001")}) {
		t.Errorf("enter asks for %#v", asked)
	}
	press(t, p, "j")
	if _, why := press(t, p, "enter"); why != "the entry has no proposal" {
		t.Errorf("enter on an entry without a proposal: %q", why)
	}
	if _, why := press(t, opened(t, made(0), 100, 20), "enter"); why != "nothing is listed" {
		t.Errorf("enter in an empty log: %q", why)
	}
}

// TestRestoresTheVersionOfAnEntry checks that the log itself asks for the reason (T24).
func TestRestoresTheVersionOfAnEntry(t *testing.T) {
	log := made(2)
	log[0].Subject = "tool:user/clock"
	p := opened(t, log, 100, 20)
	asked, _ := press(t, p, "U")
	if ask, ok := asked.(screen.Dialog); !ok || ask.About != "version 3 of tool:user/clock" {
		t.Errorf("U asks for %#v", asked)
	}
	press(t, p, "j")
	if _, why := press(t, p, "U"); why != "the entry has no version that can be restored" {
		t.Errorf("U on an entry without a version: %q", why)
	}
	log[0].Data = json.RawMessage(`{"version":5}`)
	if asked, _ := press(t, opened(t, log, 100, 20), "U"); asked != screen.Sayf(screen.Warning, "Version 5 of tool:user/clock is the live version") {
		t.Errorf("U on the live version: %#v", asked)
	}
}

func TestLoadsNextChunk(t *testing.T) {
	p := opened(t, made(pageSize+50), 100, 20)
	if press(t, p, "j"); len(p.events) != pageSize || p.end {
		t.Fatalf("%d entries were read at the top", len(p.events))
	}
	if press(t, p, "G"); len(p.events) != pageSize+50 || !p.end {
		t.Errorf("%d entries were read at the end", len(p.events))
	}
	stale := Events{Before: 7, Events: made(3)}
	if p.Update(stale); len(p.events) != pageSize+50 {
		t.Errorf("%d entries after an answer that is out of date", len(p.events))
	}
}

func TestSaysWhatFailed(t *testing.T) {
	p := opened(t, made(1), 100, 20)
	p.Update(Events{Err: errors.New("the disk is gone")})
	if asked := screentest.Requests(p.shell); len(asked) != 1 || asked[0] != screen.Fail(errors.New("the disk is gone")) {
		t.Errorf("an error is told as %#v", asked)
	}
}

func TestDividesAndSearches(t *testing.T) {
	p := opened(t, made(30), 160, 20)
	asked, _ := press(t, p, ">")
	if by, ok := asked.(screen.Division); !ok || by.Shift <= 0 {
		t.Errorf("> asks for %#v", asked)
	}
	screentest.Fit(p, 100, 20)
	if _, why := press(t, p, "z"); why != "two panes need 160 columns" {
		t.Errorf("z with one pane: %q", why)
	}
	asked, _ = press(t, p, "/")
	line, ok := asked.(*screen.Line)
	if !ok {
		t.Fatalf("/ asks for %#v", asked)
	}
	line.Text.Insert("get_time")
	line.Done()
	if asked := screentest.Requests(p.shell); len(asked) != 1 || asked[0] != screen.Sayf(screen.Remark, "Matching line %d of %d; n: next match", 1, 30) {
		t.Errorf("a search tells %#v", asked)
	}
	if _, left := p.Escape(); !left || p.Pager.Query() != "" {
		t.Error("esc did not end the search")
	}
}

// TestDetailsAreCutBetweenWords checks that details without enough room are omitted as whole words.
func TestDetailsAreCutBetweenWords(t *testing.T) {
	e := history.Event{Data: json.RawMessage(`{"version":3,"recommendation":"needs_changes","findings":12}`)}
	for room, want := range map[int]string{100: "   version 3, send back, 12 findings", 33: "   version 3, send back", 12: "   version 3", 5: ""} {
		if got := details(e, room); got != want {
			t.Errorf("%d cells: %q", room, got)
		}
	}
}
