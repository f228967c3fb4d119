package files

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/exp/golden"

	"toolcrib/gateway/instructions"
	"toolcrib/registry"
	"toolcrib/tui/editor"
	"toolcrib/tui/screen"
	"toolcrib/tui/screen/screentest"
)

func listed(context.Context) ([]instructions.Listed, error) {
	at := func(kind registry.Kind, layer registry.Layer, id string) registry.Subject {
		return registry.Subject{Kind: kind, Layer: layer, ID: id}
	}
	const skill, file, here = registry.KindSkill, registry.KindInstructions, registry.Layer("project/novel")
	return []instructions.Listed{
		{Subject: at(skill, registry.LayerUser, "pdf"), Folder: "/home/mara", Path: ".claude/skills/pdf", Version: 3, ReadBy: "Claude Code"},
		{Subject: at(skill, registry.LayerUser, "old"), Folder: "/home/mara", Path: ".claude/skills/old", Version: 12, Status: registry.Deactivated},
		{Subject: at(file, here, "agents"), Folder: "/home/mara/novel", Path: "AGENTS.md", Version: 1, Drift: instructions.Changed, ReadBy: "Codex, Cursor, Copilot and others", Proposal: "#7"},
		{Subject: at(skill, here, ""), Folder: "/home/mara/novel", Path: ".claude/skills/漢字\u202e-with-a-name-that-is-longer-than-a-narrow-screen", Drift: instructions.New, ReadBy: "Claude Code"},
		{Subject: at(file, here, ""), Folder: "/home/mara/novel", Path: ".cursor/rules/style.mdc", Drift: instructions.New, ReadBy: "Cursor", Proposal: "#8"},
		{Subject: at(skill, here, "gone"), Folder: "/home/mara/novel", Path: ".agents/skills/gone", Version: 2, Drift: instructions.Missing},
		{Subject: at(skill, here, "used"), Folder: "/home/mara/novel", Path: ".agents/skills/used", Version: 2, Status: registry.Deactivated, Drift: instructions.Withdrawn, ReadBy: "Codex"},
		{Subject: at(skill, here, ""), Folder: "/home/mara/novel", Path: ".claude/skills/pipe", Drift: instructions.Unreadable, Reason: `".claude/skills/pipe/p" cannot be read: it is a pipe; only files, folders and links can be approved`},
	}, nil
}

func TestScreens(t *testing.T) {
	for _, width := range []int{60, 80, 120, 200} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			p := New(t.Context(), new(screentest.Shell), listed, new(editor.Editor), waits)
			if want := screentest.Open(t, p.shell, p, width, 20); want != nil {
				t.Fatalf("it asks for %v", want)
			}
			text := screentest.View(t, p, width)
			if strings.Contains(text, "\u202e") {
				t.Error("a hidden character reaches the screen")
			}
			golden.RequireEqual(t, []byte(text))
		})
	}
}

// TestOpens opens the versions of approved files, and the waiting proposals of the others.
func TestOpens(t *testing.T) {
	p := New(t.Context(), new(screentest.Shell), listed, new(editor.Editor), waits)
	screentest.Open(t, p.shell, p, 100, 30)
	const none, unasked = "nothing waits for you", "not proposed yet; in a shell, run toolcrib import --files"
	for i, row := range []struct{ enter, enterOff, waits, waitsOff string }{
		{"skill:user/pdf 3", "", "", none},
		{"skill:user/old 12", "", "", none},
		{"instructions:project/novel/agents 1", "", "#7", ""},
		{"", unasked, "", unasked},
		{"#8", "", "#8", ""},
		{"skill:project/novel/gone 2", "", "", none},
		{"skill:project/novel/used 2", "", "", none},
		{"", none, "", none},
	} {
		for key, want := range map[string][2]string{"enter": {row.enter, row.enterOff}, "u": {row.waits, row.waitsOff}} {
			asked, off := screentest.Press(t, p.shell, p, key)
			got := ""
			for _, a := range asked {
				switch a := a.(type) {
				case screen.Opening:
					got = fmt.Sprintf("%s %d", a.Entry.Subject, a.Entry.Version)
				case screentest.Call:
					got = a.Of.(string)
				}
			}
			if got != want[0] || off != want[1] {
				t.Errorf("row %d, %s: %q, off %q; want %q", i, key, got, off, want)
			}
		}
		screentest.Press(t, p.shell, p, "j")
	}
}

func waits() string { return "The queue (Q) has 22 proposals that wait for you." }
