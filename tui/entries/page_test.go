package entries

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"toolcrib/history"
	"toolcrib/registry"
	"toolcrib/tui/screen"
	"toolcrib/tui/screen/screentest"
)

// catalog contains definitions in memory, by id.
type catalog struct {
	entries []screen.Entry
	err     error
}

func (c *catalog) Entries(_ context.Context, q Query) (found []screen.Entry, next string, err error) {
	for _, e := range c.entries {
		if q.Group != nil && e.Source != q.Group.Source || e.Subject.ID <= q.After || !strings.Contains(e.Subject.ID, q.Filter) {
			continue
		}
		if len(found) == q.Limit {
			return found, found[len(found)-1].Subject.ID, c.err
		}
		found = append(found, e)
	}
	return found, "", c.err
}

func (c *catalog) Groups(_ context.Context, q Query) (out []GroupCount, err error) {
	for _, source := range []string{"", "ledger"} {
		n := GroupCount{Group: Group{registry.LayerUser, source}}
		for _, e := range c.entries {
			if e.Source == source && strings.Contains(e.Subject.ID, q.Filter) {
				n.Count++
			}
		}
		if n.Count > 0 {
			out = append(out, n)
		}
	}
	return out, c.err
}

func (c *catalog) Definition(_ context.Context, s registry.Subject) (json.RawMessage, error) {
	return registry.Definition{Tool: &registry.Tool{ID: s.ID, Category: "clocks", Prompt: "Says\u202e the time."}}.Canonical(), nil
}

func (c *catalog) Versions(_ context.Context, s registry.Subject, before, _ int) ([]history.Version, error) {
	newest := 3
	if before > 0 {
		newest = before - 1
	}
	return []history.Version{{Subject: s, Number: newest}}, c.err
}

// TestRestoresTheVersionBefore checks that the list itself asks for the reason (T24).
func TestRestoresTheVersionBefore(t *testing.T) {
	p := opened(t, made(2), 100)
	asked, why := screentest.Press(t, p.shell, p, "U")
	if ask, ok := asked[0].(screen.Dialog); why != "" || !ok || ask.About != "version 2 of tool:user/tool_000" {
		t.Errorf("U asks for %#v: %s", asked, why)
	}
	screentest.Press(t, p.shell, p, "j")
	if _, why := screentest.Press(t, p.shell, p, "U"); why != "Locked (core)" {
		t.Errorf("U on a core tool: %q", why)
	}
}

func made(n int) *catalog {
	c := &catalog{}
	for i := range n {
		s := registry.Subject{Kind: registry.KindTool, Layer: registry.LayerUser, ID: fmt.Sprintf("tool_%03d", i)}
		c.entries = append(c.entries, screen.Entry{Subject: s, Version: 3, ToolKind: string(registry.ActionTool), Locked: i == 1})
	}
	return c
}

func opened(t *testing.T, c *catalog, width int) *Page {
	t.Helper()
	on := func() string { return "" }
	p := New(t.Context(), new(screentest.Shell), c, Options{Kind: registry.KindTool, Layer: registry.LayerUser, NoEditor: on, Debounce: func(msg tea.Msg) tea.Cmd {
		return func() tea.Msg { return msg }
	}})
	if want := screentest.Open(t, p.shell, p, width, 20); want != nil {
		t.Fatalf("reading the list asks for %v", want)
	}
	return p
}

func TestListsEntries(t *testing.T) {
	for width, wants := range map[int][]string{
		60:  {"▌  tool_000", "▪ Locked (core)", "v3", "! not set"},
		120: {"▌  tool_000", "! not set", "│ tool_000", "│ category  clocks", "Says⟨U+202E⟩ the time."},
	} {
		text := screentest.View(t, opened(t, made(3), width), width)
		for _, want := range wants {
			if !strings.Contains(text, want) {
				t.Errorf("%d columns: %q is not in\n%s", width, want, text)
			}
		}
	}
	if text := screentest.View(t, opened(t, made(0), 60), 60); !strings.Contains(text, "No match.") {
		t.Errorf("an empty list:\n%s", text)
	}
	p := New(t.Context(), new(screentest.Shell), &catalog{err: errors.New("busy")}, Options{})
	if want := screentest.Open(t, p.shell, p, 60, 20); len(want) != 1 || want[0] != screen.Fail(errors.New("busy")) {
		t.Errorf("an error is told as %#v", want)
	}
}

// TestLoadsNextChunk reads a long list in chunks and goes to its end.
func TestLoadsNextChunk(t *testing.T) {
	p := opened(t, made(fewEntries+10), 80)
	if n := p.outline.len(); n != chunk {
		t.Fatalf("%d entries were read at first", n)
	}
	screentest.Press(t, p.shell, p, "G")
	if e, _ := p.Selected(); e.Subject.ID != "tool_209" || p.outline.len() != fewEntries+10 {
		t.Errorf("G selects %s of %d", e.Subject.ID, p.outline.len())
	}
	screentest.Press(t, p.shell, p, "g")
	if e, _ := p.Selected(); e.Subject.ID != "tool_000" {
		t.Errorf("g selects %s", e.Subject.ID)
	}
	if p.Click(0, 4); p.cursor != 4 {
		t.Errorf("a click selects row %d", p.cursor)
	}
}

// TestFoldsGroups folds the tools of one server.
func TestFoldsGroups(t *testing.T) {
	c := made(6)
	for i := 3; i < 6; i++ {
		c.entries[i].Source = "ledger"
	}
	p := opened(t, c, 80)
	text := screentest.View(t, p, 80)
	for _, want := range []string{" ▾ user  3", "▌  tool_000", " ▾ user · ledger  3", "   tool_005"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	screentest.Press(t, p.shell, p, "G")
	screentest.Press(t, p.shell, p, "F")
	if text := screentest.View(t, p, 80); !strings.Contains(text, "▌▸ user · ledger  3") || strings.Contains(text, "tool_005") {
		t.Errorf("F left\n%s", text)
	}
	for _, key := range []string{"e", "f"} {
		if _, off := screentest.Press(t, p.shell, p, key); off != "no definition is selected; enter folds or unfolds a group" {
			t.Errorf("%s on a group: %q", key, off)
		}
	}
	if want, _ := screentest.Press(t, p.shell, p, "enter"); want != nil || p.outline.len() != 8 {
		t.Errorf("enter on a group asks for %v; %d rows", want, p.outline.len())
	}
}

func TestFiltersEntries(t *testing.T) {
	p := opened(t, made(30), 80)
	want, _ := screentest.Press(t, p.shell, p, "/")
	line, ok := want[0].(*screen.Line)
	if !ok {
		t.Fatalf("/ asks for %#v", want)
	}
	line.Text.Insert("_0")
	late := line.Changed()
	line.Text.Insert("1")
	read := line.Changed()
	read().(screen.Then).Do()
	if p.outline.len() != 10 || p.Filter() != "_01" {
		t.Errorf("%d entries with the filter %q", p.outline.len(), p.Filter())
	}
	late().(screen.Then).Do()
	if p.outline.len() != 10 {
		t.Errorf("%d entries after an answer to another question", p.outline.len())
	}
	if read, left := p.Escape(); !left || read == nil || p.Filter() != "" {
		t.Error("esc did not end the filter")
	}
}

func TestActsOnEntries(t *testing.T) {
	p := opened(t, made(3), 80)
	first, _ := p.Selected()
	for _, key := range []string{"enter", "e"} {
		got, _ := screentest.Press(t, p.shell, p, key)
		if open, ok := got[0].(screen.Opening); !ok || open.Entry.Subject != first.Subject || open.Change != (key == "e") {
			t.Errorf("%s asks for %#v", key, got)
		}
	}
	if got, _ := screentest.Press(t, p.shell, p, "ctrl+n"); len(got) != 1 || got[0] != (screentest.Call{To: "DraftNew"}) {
		t.Errorf("ctrl+n asks for %#v", got)
	}
	if _, off := screentest.Press(t, p.shell, p, "f"); off != "not a core tool; e proposes a change" {
		t.Errorf("f on a tool of one's own: %q", off)
	}
	screentest.Press(t, p.shell, p, "j")
	if got, _ := screentest.Press(t, p.shell, p, "f"); len(got) != 1 || got[0] != (screentest.Call{To: "Fork", Of: "tool_001"}) {
		t.Errorf("f asks for %#v", got)
	}
	if _, off := screentest.Press(t, p.shell, p, "e"); off != "Locked (core); f drafts a new tool from it" {
		t.Errorf("e on a core tool: %q", off)
	}
	if _, off := screentest.Press(t, p.shell, opened(t, made(0), 80), "enter"); off != "nothing is selected" {
		t.Errorf("enter in an empty list: %q", off)
	}
}
