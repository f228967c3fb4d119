package difflist_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"toolcrib/history/diff"
	"toolcrib/registry"
	"toolcrib/tui/difflist"
	"toolcrib/tui/pager"
	"toolcrib/tui/theme"
)

// lines returns numbered lines, some of them replaced.
func lines(n int, other map[int]string) string {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		if text, ok := other[i]; ok {
			b.WriteString(text + "\n")
			continue
		}
		fmt.Fprintf(&b, "line %d\n", i)
	}
	return b.String()
}

// edited returns the diff of a tool with a changed name and changed lines 3 and 40 of the prompt.
func edited() *difflist.List {
	tool := func(name, prompt string) registry.Definition {
		return registry.Definition{Tool: &registry.Tool{ID: "x", Kind: registry.PromptTool, Name: name, Prompt: prompt}}
	}
	return difflist.New(diff.Definitions(
		tool("Before", lines(50, nil)),
		tool("After", lines(50, map[int]string{3: "line three", 40: "line \u202eforty"})),
	), difflist.DefaultContext)
}

// show returns the drawn rows of a list.
func show(l *difflist.List, split bool) string {
	p := pager.New(theme.Plain())
	p.SetRows(l.Rows(theme.Plain(), split))
	p.SetSize(120, 60)
	return ansi.Strip(strings.Join(p.View(), "\n"))
}

func TestListContainsTheChanges(t *testing.T) {
	l := edited()
	if got := l.Required(); got != 2 {
		t.Errorf("fields %v", got)
	}
	if added, removed := l.Changed(); added != 3 || removed != 3 {
		t.Errorf("%d lines added, %d removed", added, removed)
	}
	for _, split := range []bool{false, true} {
		screen := show(l, split)
		for _, want := range []string{"Before", "After", "line 3", "line three", "line 40", "⟨U+202E⟩forty"} {
			if !strings.Contains(screen, want) {
				t.Errorf("split %v: it lacks %q:\n%s", split, want, screen)
			}
		}
		for _, far := range []string{"line 7", "line 20", "line 36"} {
			if strings.Contains(screen, far+" ") {
				t.Errorf("split %v: %q is more than %d lines from a change", split, far, difflist.DefaultContext)
			}
		}
	}
}

// TestLinesAreFound converts lines of the new text to rows and back.
func TestLinesAreFound(t *testing.T) {
	l := edited()
	for _, split := range []bool{false, true} {
		l.Rows(theme.Plain(), split)
		for _, number := range []int{1, 3, 6, 37, 40, 43} {
			row, ok := l.Find("prompt", number)
			if !ok {
				t.Errorf("line %d is not found", number)
			}
			if path, got, ok := l.NewPosition(row); !ok || path != "prompt" || got != number {
				t.Errorf("split %v: row %d of line %d is %s:%d, %v", split, row, number, path, got, ok)
			}
		}
	}
	if _, ok := l.Find("goals", 1); ok {
		t.Error("a field that has not changed is found")
	}
	if _, _, ok := l.NewPosition(10_000); ok {
		t.Error("there is a row 10,000")
	}
}

// TestUnseenChangesAreNamed shows the list page by page.
func TestUnseenChangesAreNamed(t *testing.T) {
	l := edited()
	p := pager.New(theme.Plain())
	p.SetRows(l.Rows(theme.Plain(), false))
	p.SetSize(120, 60)
	if got := l.Unseen(p); !slices.Equal(got, []string{"name", "prompt"}) {
		t.Errorf("before anything was shown: %v", got)
	}
	if row, ok := l.FirstUnseen(p); !ok || row > 2 {
		t.Errorf("the first is in row %d, %v", row, ok)
	}
	forty, _ := l.Find("prompt", 40)
	p.SetSize(120, forty-1) // both sides of line 40 are below the viewport
	p.View()
	p.MarkSeen()
	if got := l.Unseen(p); !slices.Equal(got, []string{"prompt (line 40)"}) {
		t.Errorf("after the first page: %v", got)
	}
	p.SetSize(120, 60)
	p.View()
	p.MarkSeen()
	if got := l.Unseen(p); len(got) > 0 {
		t.Errorf("after everything: %v", got)
	}
	if _, ok := l.FirstUnseen(p); ok {
		t.Error("something is unseen")
	}
}

// noted returns the list of edited with notes on a line, a field, a part of a field, and unchanged text.
func noted() *difflist.List {
	l := edited()
	plain := func(theme.Theme) theme.Style { return "" }
	l.SetNotes([]difflist.Note{
		{Path: "prompt", Line: 40, Sign: "■ S109", Text: "hidden \u202e\x1b[2Jhere", Style: plain, Of: 0},
		{Path: "name", Sign: "» ada:", Text: "Why?", Style: plain, Of: 1},
		{Path: "goals", Line: 1, Sign: "▲ X1", Text: "not shown", Style: plain, Of: 2},
	})
	return l
}

// TestNotesAppearBelowTheirLines checks that notes are below their lines (T7).
func TestNotesAppearBelowTheirLines(t *testing.T) {
	for _, split := range []bool{false, true} {
		l := noted()
		screen := show(l, split)
		at := strings.Index(screen, "forty")
		if note := strings.Index(screen, "└ ■ S109 hidden ⟨U+202E⟩⟨U+001B⟩[2Jhere"); note < at || at < 0 {
			t.Errorf("split %v: the note is not under its line:\n%s", split, screen)
		}
		if strings.Contains(screen, "not shown") || !strings.Contains(screen, "└ » ada: Why?") || !strings.Contains(screen, "*") {
			t.Errorf("split %v:\n%s", split, screen)
		}
		row := 0
		for n, is := l.NoteAt(row); !is || n.Of != 0; n, is = l.NoteAt(row) {
			if row++; row > 1000 {
				t.Fatalf("split %v: no row has the note", split)
			}
		}
		if path, line, ok := l.NewPosition(row); !ok || path != "prompt" || line != 40 {
			t.Errorf("split %v: the note is on %s:%d", split, path, line)
		}
		l.FoldNotes(true)
		if screen := show(l, split); strings.Contains(screen, "└") || strings.Count(screen, "*") != 2 {
			t.Errorf("split %v, folded:\n%s", split, screen)
		}
	}
}

// TestNotesHideNoChange adds and removes notes when half of the list has been read. The rest stays unread.
func TestNotesHideNoChange(t *testing.T) {
	l := noted()
	p := pager.New(theme.Plain())
	p.SetRows(l.Rows(theme.Plain(), false))
	forty, _ := l.Find("prompt", 40)
	p.SetSize(120, forty-1)
	p.View()
	p.MarkSeen()
	if _, ok := l.FirstUnseen(p); !ok {
		t.Fatal("all was read")
	}
	for _, folded := range []bool{true, false} {
		l.FoldNotes(folded)
		p.Replace(l.Rows(theme.Plain(), false))
		again, ok := l.FirstUnseen(p)
		if path, line, _ := l.NewPosition(again); !ok || path != "prompt" || line != 40 {
			t.Errorf("folded %v: %s:%d, %v", folded, path, line, ok)
		}
	}
}

// TestNotesOnSeveralFields checks that a note about a whole field is below its first changed part, and that parts
// changed in different ways are drawn in the same form (T19).
func TestNotesOnSeveralFields(t *testing.T) {
	tool := func(approval registry.Approval) registry.Definition {
		return registry.Definition{Tool: &registry.Tool{ID: "x", Kind: registry.ActionTool, Approval: &approval}}
	}
	l := difflist.New(diff.Definitions(
		tool(registry.Approval{Tier: registry.UserConfigurable, Default: registry.RequiresApproval}), tool(registry.Approval{Tier: registry.AutoApprove}),
	), difflist.DefaultContext)
	l.SetNotes([]difflist.Note{{Path: "approval", Sign: "■ R212", Text: "looser", Style: func(theme.Theme) theme.Style { return "" }}})
	screen := show(l, false)
	tier, note, rest := strings.Index(screen, "◆ approval.tier  modified"), strings.Index(screen, "└ ■ R212 looser"), strings.Index(screen, "◆ approval.default  removed")
	if tier < 0 || note < tier || rest < note {
		t.Errorf("the note is not under the field:\n%s", screen)
	}
	if row, ok := l.Find("approval", 1); !ok || row > 1 {
		t.Errorf("the field is in row %d, %v", row, ok)
	}
}
