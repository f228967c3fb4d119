package drafts

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/tui/editor"
	"toolcrib/tui/screen"
	"toolcrib/tui/screen/screentest"
)

const id = "01990000-0000-7000-8000-000000000001"

// desk reads a single proposal.
type desk struct{}

func (desk) Show(_ context.Context, _ proposals.Actor, of proposals.ID) (review.Dossier, error) {
	if of != id {
		return review.Dossier{}, errors.New("there is none")
	}
	p := proposals.Proposal{ID: id, Issue: 7, Subject: registry.Subject{Kind: registry.KindTool, Layer: registry.LayerUser, ID: "word_counts"}}
	return review.Dossier{Proposal: p}, nil
}

// opened returns the page with texts, the first at the top.
func opened(t *testing.T, width int, files ...string) *Page {
	t.Helper()
	dir := t.TempDir()
	for i, name := range files {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("It hides\n\u202e the rest"), 0o600); err != nil {
			t.Fatal(err)
		}
		at := screentest.Now.Add(-time.Duration(i) * time.Hour)
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	p := New(t.Context(), new(screentest.Shell), desk{}, Options{Folder: dir, NoEditor: func() string { return "" }, StoredIn: func(file string) string { return file }})
	if want := screentest.Open(t, p.shell, p, width, 30); want != nil {
		t.Fatalf("reading the texts asks for %v", want)
	}
	return p
}

func TestListsTexts(t *testing.T) {
	for _, width := range []int{60, 120} {
		text := screentest.View(t, opened(t, width, "reject-"+id+".txt", "approve-"+id+"+2-0123456789abcdef.txt"), width)
		for _, want := range []string{"▌ reject         2026-11-20 15:00  #7 tool:user/word_counts", "It hides ⟨U+202E⟩ the rest", "note           2026-11-20 14:00  #7 tool:user/word_counts", "and 2 more", "Folder: /"} {
			if !strings.Contains(text, want) {
				t.Errorf("%d columns: %q is not in\n%s", width, want, text)
			}
		}
	}
	if text := screentest.View(t, opened(t, 60), 60); !strings.Contains(text, "No unsent drafts.") {
		t.Errorf("without texts:\n%s", text)
	}
}

func TestAnnouncesTexts(t *testing.T) {
	p := opened(t, 60, "comment-"+id+".txt")
	p.Announce()().(screen.Then).Do()
	if want := screentest.Requests(p.shell); want[0] != screen.Sayf(screen.Remark, "1 unsent draft. Press D to see it") {
		t.Errorf("after a start the page asks for %#v", want)
	}
}

// TestOpensTexts checks that each text is continued where it was written.
func TestOpensTexts(t *testing.T) {
	for file, want := range map[string]func(p *Page, file string) any{
		"reject-" + id + ".txt": func(_ *Page, file string) any {
			return screen.Resume{ID: id, Kind: "reject", File: file}
		},
		"changes-" + id + "+2-0123456789abcdef.txt": func(*Page, string) any { return screentest.Call{To: "ToQueue"} },
		"reject-01990000-0000-7000-8000-00000000000f.txt": func(p *Page, file string) any {
			return screen.Sayf(screen.Warning, "The proposal is not in this database; the draft is in %s", filepath.Join(p.Folder, file))
		},
		"restore-word_counts-1.txt": func(p *Page, file string) any {
			return screen.Sayf(screen.Warning, "The draft is in %s", filepath.Join(p.Folder, file))
		},
	} {
		p := opened(t, 60, file)
		got, _ := screentest.Press(t, p.shell, p, "enter")
		if len(got) == 0 || got[len(got)-1] != want(p, file) {
			t.Errorf("%s: enter asks for %#v", file, got)
		}
	}
	p := opened(t, 60, "revise-"+id+"-r1.md")
	got, _ := screentest.Press(t, p.shell, p, "enter")
	if edit, ok := got[0].(editor.Manuscript); !ok || edit.ID != id || edit.File != filepath.Join(p.Folder, "revise-"+id+"-r1.md") {
		t.Errorf("enter asks for %#v", got)
	}
	p.NoEditor = func() string { return "set EDITOR first" }
	if got, _ := screentest.Press(t, p.shell, p, "enter"); got[0] != screen.Sayf(screen.Warning, "enter: set EDITOR first") {
		t.Errorf("without an editor enter asks for %#v", got)
	}
}

func TestDropsTexts(t *testing.T) {
	p := opened(t, 60, "comment-"+id+".txt")
	got, _ := screentest.Press(t, p.shell, p, "x")
	ask, ok := got[0].(screen.Dialog)
	if !ok {
		t.Fatalf("x asks for %#v", got)
	}
	again := ask.Run("")
	if want := screentest.Requests(p.shell); want[0] != (screentest.Call{To: "Drop", Of: "comment-" + id + ".txt"}) || again == nil {
		t.Errorf("a yes asks for %#v", want)
	}
	if _, off := screentest.Press(t, p.shell, opened(t, 60), "x"); off != "nothing is listed" {
		t.Errorf("x without texts: %q", off)
	}
}
