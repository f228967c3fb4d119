package drafting

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"toolcrib/registry"
	"toolcrib/tui/desk"
	"toolcrib/tui/draw"
	"toolcrib/tui/editor"
	"toolcrib/tui/screen"
	"toolcrib/tui/shell"
	"toolcrib/tui/theme"
	"toolcrib/tui/unsent"
)

// TestEdit drafts a proposal in an editor. An unchanged text is discarded. A text with problems is kept, listed with
// them, and not sent.
func TestEdit(t *testing.T) {
	env := map[string]string{"EDITOR": "true"}
	edit := &editor.Editor{Folder: t.TempDir(), Getenv: func(name string) string { return env[name] }}
	edit.Exec = func(run *exec.Cmd, done tea.ExecCallback) tea.Cmd {
		return func() tea.Msg { return done(run.Run()) }
	}
	texts := unsent.New(edit.Folder)
	sh := shell.New(shell.Options{
		Now: time.Now, After: func(time.Duration, tea.Msg) tea.Cmd { return nil }, Unsent: texts, Editor: edit,
		Slow: func(theme.Theme) draw.Line { return nil }, Hints: func(screen.Frame) []draw.Line { return nil },
	}, theme.Choice{Plain: true})
	m := &Drafting{Shell: sh, Editor: edit, Unsent: texts, User: &desk.User{Layer: registry.LayerUser}, Write: func(screen.Write) tea.Cmd {
		t.Error("a text with problems is sent")
		return nil
	}}
	subject := registry.Subject{Kind: registry.KindTool, Layer: registry.LayerUser, ID: "timer"}
	file := edit.Draft(subject, nil, 0)
	draft := func() tea.Cmd { return m.Edit(file)().(screen.Then).Do() }
	if done, ok := draft()().(screen.Done); !ok || done.Err != nil || sh.Message() != "No changes" {
		t.Errorf("%v, %q is said", done.Err, sh.Message())
	}
	if _, err := os.Stat(file.File); err == nil {
		t.Error("a text that nobody changed is kept")
	}
	env["EDITOR"] = "sh -c 'echo >>\"$1\"' sh"
	draft()
	if d := sh.Dialog(); d == nil || d.Run != nil || !strings.Contains(string(d.Form.Title), "timer") {
		t.Fatalf("no dialog lists the problems; %q is said", sh.Message())
	}
	if _, err := os.Stat(file.File); err != nil {
		t.Errorf("the text is not kept: %v", err)
	}
}
