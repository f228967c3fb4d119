package servers

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/exp/golden"

	"toolcrib/gateway/clients"
	"toolcrib/gateway/guarding"
	"toolcrib/tui/screen/screentest"
)

func status(context.Context) (guarding.Status, error) {
	return guarding.Status{
		Entries: []guarding.Entry{
			{Client: "cursor", Name: "memory", Server: "memory", State: clients.Guarded},
			{Client: "claude-code", Project: true, Name: "a_server_with_a_long_name_漢字", Server: "long", State: clients.Open},
			{Client: "codex", Name: "linear\u202e", Server: "linear", State: clients.Refused, Why: "the client signs in to the server (oauth)"},
			{Client: "zed", Name: "old", Server: "old", State: clients.Guarded, Why: "the toolcrib that guards it is gone: /opt/toolcrib; unwrap it, and wrap it again"},
			{Client: "zed", Name: "paused", Server: "memory", State: clients.Open, Disabled: true},
		},
		Calls: []guarding.HeldCall{
			{ID: "0199f300", Tool: "memory_delete_entities", Agent: "guard:memory", Expires: screentest.Now.Add(23 * time.Hour)},
			{ID: "0199f200", Tool: "send_mail\u202e", Agent: "assistant", Expires: screentest.Now.Add(4 * time.Minute)},
		},
		More: true,
		Servers: []guarding.Server{
			{Name: "memory", Tools: guarding.Counts{Approved: 9, Waiting: 1, Changed: 2}, Sets: []string{"memory"}, Last: &guarding.LastCall{At: screentest.Now.Add(-3 * time.Minute), Tool: "read_graph", Code: "ok"}},
			{Name: "long", Tools: guarding.Counts{Waiting: 3}, Sets: []string{"a", "b"}},
			{Name: "linear"},
			{Name: "old", Tools: guarding.Counts{Approved: 1}, Last: &guarding.LastCall{At: screentest.Now.Add(-3 * time.Hour), Tool: "read_graph", Code: "daily_limit_reached"}},
		},
	}, nil
}

func TestScreens(t *testing.T) {
	for _, width := range []int{60, 80, 120, 200} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			p := New(t.Context(), new(screentest.Shell), status, waits)
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

// TestOpensWhatWaits opens the queue, filtered by the change set of the server.
func TestOpensWhatWaits(t *testing.T) {
	p := New(t.Context(), new(screentest.Shell), status, waits)
	screentest.Open(t, p.shell, p, 100, 20)
	if want, off := screentest.Press(t, p.shell, p, "enter"); off != "" || len(want) != 1 || want[0] != (screentest.Call{To: "Narrow", Of: "set:memory"}) {
		t.Errorf("%v, %s", want, off)
	}
	screentest.Press(t, p.shell, p, "j")
	if want, _ := screentest.Press(t, p.shell, p, "enter"); len(want) != 1 || want[0] != (screentest.Call{To: "Narrow", Of: "long"}) {
		t.Errorf("of two sets: %v", want)
	}
	screentest.Press(t, p.shell, p, "j")
	if _, off := screentest.Press(t, p.shell, p, "enter"); off != "nothing waits for you" {
		t.Errorf("of nothing: %s", off)
	}
}

// TestStateIsNeverCut checks that the state and the client fit on every screen.
func TestStateIsNeverCut(t *testing.T) {
	for _, width := range []int{60, 80, 119, 120, 140, 200} {
		p := New(t.Context(), new(screentest.Shell), status, waits)
		screentest.Open(t, p.shell, p, width, 30)
		text := screentest.View(t, p, width)
		for _, want := range []string{"claude-code", "cannot be guarded", "not guarded", "disabled"} {
			if !strings.Contains(text, want) {
				t.Errorf("%d columns: %q is cut:\n%s", width, want, text)
			}
		}
		if beside := strings.Contains(text, "│ Tools"); beside != (width >= 120) {
			t.Errorf("%d columns: beside the list is %v:\n%s", width, beside, text)
		}
	}
}

func waits() string { return "The queue (Q) has 22 proposals that wait for you." }

// TestEmptyListHasOnePane checks that no pane stands beside an empty list.
func TestEmptyListHasOnePane(t *testing.T) {
	none := func(context.Context) (guarding.Status, error) { return guarding.Status{}, nil }
	p := New(t.Context(), new(screentest.Shell), none, waits)
	screentest.Open(t, p.shell, p, 140, 20)
	text := screentest.View(t, p, 140)
	if strings.Contains(text, "│") || !strings.Contains(text, "No client on this machine has an MCP server.") {
		t.Errorf("two panes:\n%s", text)
	}
	p.read = status
	screentest.Open(t, p.shell, p, 140, 20)
	if text := screentest.View(t, p, 140); !strings.Contains(text, "│") {
		t.Errorf("one pane:\n%s", text)
	}
}
