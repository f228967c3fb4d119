package subject

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review/impact"
	"toolcrib/tui/screen"
	"toolcrib/tui/screen/screentest"
)

var clock = registry.Subject{Kind: registry.KindTool, Layer: registry.LayerUser, ID: "clock"}

// versionedTool is a tool with three versions, in memory.
type versionedTool struct {
	restored []int
	err      error
}

func (p *versionedTool) text(version int) json.RawMessage {
	goals := []string{"One thing that is told.", "Two things that are told.", "Three things\u202e that are told."}
	return registry.Definition{Tool: &registry.Tool{ID: clock.ID, Goals: goals[version-1]}}.Canonical()
}

func (p *versionedTool) Definition(context.Context, registry.Subject) (json.RawMessage, error) {
	return p.text(3), p.err
}

func (p *versionedTool) Versions(context.Context, registry.Subject, int, int) (vs []history.Version, err error) {
	for n := 3; n > 0; n-- {
		vs = append(vs, history.Version{Subject: clock, Number: n, Definition: p.text(n), Author: "user:mara", DecidedBy: "user:ida", DecidedAt: screentest.Now, Proposal: "p"})
	}
	return vs, nil
}

func (p *versionedTool) Source(context.Context, registry.Definition) ([]byte, error) { return nil, nil }

func (p *versionedTool) Uses(context.Context, registry.Subject, registry.Layer) ([]impact.Use, error) {
	return []impact.Use{{Agent: registry.Subject{Kind: registry.KindAgent, Layer: registry.LayerGlobal, ID: "assistant"}, In: true, Why: "listed"}}, nil
}

func (p *versionedTool) restore(_ context.Context, _ registry.Subject, version int, _ string) (proposals.Proposal, string, error) {
	p.restored = append(p.restored, version)
	return proposals.Proposal{ID: "new"}, "Drafted", nil
}

func opened(t *testing.T, p *versionedTool, open screen.Opening, width int) (*Page, []any) {
	t.Helper()
	open.Entry.Subject = clock
	s := New(t.Context(), new(screentest.Shell), open, Options{Registry: p, Desk: p, NoEditor: func() string { return "" }, Restore: p.restore})
	want := screentest.Open(t, s.shell, s, width, 20)
	return s, want
}

// press presses keys. It returns the requests of the last one, or why it is disabled.
func press(t *testing.T, s *Page, keys ...string) (want []any, off string) {
	t.Helper()
	for _, key := range keys {
		want, off = screentest.Press(t, s.shell, s, key)
	}
	return want, off
}

func TestShowsSections(t *testing.T) {
	for _, c := range []struct {
		width int
		keys  []string
		wants []string
	}{
		{60, nil, []string{"goals", "Three things⟨U+202E⟩"}},
		{60, []string{"tab"}, []string{"▌", "v3", "mara → ida  +1 −1"}},
		{140, []string{"tab"}, []string{"goals", "│", "v3", "20 Nov 15:00"}},
		{60, []string{"tab", "tab"}, []string{"◆ goals  as of v3", "v3 2026-11-20 user:mara"}},
		{140, []string{"tab", "tab", "tab"}, []string{"✓ agent:global/assistant", "listed"}},
	} {
		s, _ := opened(t, &versionedTool{}, screen.Opening{}, c.width)
		press(t, s, c.keys...)
		text := screentest.View(t, s, c.width)
		for _, want := range c.wants {
			if !strings.Contains(text, want) {
				t.Errorf("%d columns, %v: %q is not in\n%s", c.width, c.keys, want, text)
			}
		}
	}
	_, want := opened(t, &versionedTool{err: errors.New("busy")}, screen.Opening{}, 60)
	if len(want) != 1 || want[0] != screen.Fail(errors.New("busy")) {
		t.Errorf("an error is told as %#v", want)
	}
}

func TestComparesVersions(t *testing.T) {
	s, _ := opened(t, &versionedTool{}, screen.Opening{}, 100)
	if got, _ := press(t, s, "tab", "b"); got[0] != screen.Sayf(screen.Remark, "Version 3 marked; press enter on another version to compare") {
		t.Errorf("b asks for %#v", got)
	}
	press(t, s, "j", "j", "enter")
	text := screentest.View(t, s, 100)
	for _, want := range []string{"- One thing", "+ Three things⟨U+202E⟩"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	if _, off := press(t, s, "b"); off != "only in the list of versions" {
		t.Errorf("b in a comparison: %q", off)
	}
	if _, left := s.Escape(); !left || s.Pager.Stop() != 2 {
		t.Errorf("esc leads to version row %d", s.Pager.Stop())
	}
	s, want := opened(t, &versionedTool{}, screen.Opening{Compare: screen.Span{From: 1, To: 2}}, 100)
	if len(want) != 1 || s.compared != (screen.Span{From: 1, To: 2}) || s.changed == nil {
		t.Errorf("opened at a comparison: %v, %v", s.compared, want)
	}
}

func TestRestoresVersions(t *testing.T) {
	p := &versionedTool{}
	s, _ := opened(t, p, screen.Opening{}, 100)
	if _, off := press(t, s, "tab", "U"); off != "the selected version is the live version" {
		t.Errorf("U on the newest: %q", off)
	}
	got, _ := press(t, s, "j", "U")
	ask, ok := got[0].(screen.Dialog)
	if !ok || ask.Draft != "restore-tool:user%2Fclock-2" {
		t.Fatalf("U asks for %#v", got)
	}
	ask.Run("The third went wrong.")
	if wrote := screentest.Requests(s.shell)[0].(screen.Write)(t.Context()); wrote.Open == nil || len(p.restored) != 1 || p.restored[0] != 2 {
		t.Errorf("%+v, restored %v", wrote, p.restored)
	}
}

// TestOpensTheEditor opens a loaded definition immediately, and another once it has loaded.
func TestOpensTheEditor(t *testing.T) {
	s, want := opened(t, &versionedTool{}, screen.Opening{Change: true}, 100)
	if len(want) != 1 {
		t.Fatalf("opened to be changed, the page asks for %#v", want)
	}
	again, _ := press(t, s, "e")
	for _, asked := range []any{want[0], again[0]} {
		if change, ok := asked.(registry.Definition); !ok || change.Tool == nil || change.Tool.ID != clock.ID {
			t.Errorf("the page asks for %#v", asked)
		}
	}
}
