package calls

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"toolcrib/gateway"
	"toolcrib/registry"
	"toolcrib/tui/screen"
	"toolcrib/tui/screen/screentest"
)

// desk contains calls in memory, the waiting ones first.
type desk struct {
	calls    []gateway.Pending
	waiting  int
	answered []string
	err      error
}

func (d *desk) PendingCalls(context.Context, int) ([]gateway.Pending, int, error) {
	return d.calls, d.waiting, d.err
}

func (d *desk) CallState(p gateway.Pending) gateway.PendingState {
	if slices.IndexFunc(d.calls, func(of gateway.Pending) bool { return of.ID == p.ID }) < d.waiting {
		return gateway.PendingWaiting
	}
	return gateway.PendingDone
}

func (d *desk) RunCall(_ context.Context, p gateway.Pending) (string, error) {
	d.answered = append(d.answered, "run "+p.ID)
	return "Approved the call of " + p.Tool.String(), nil
}

func (d *desk) RefuseCall(_ context.Context, p gateway.Pending, reason string) (string, error) {
	d.answered = append(d.answered, "refuse "+p.ID+": "+reason)
	return "Refused", nil
}

func call(id, args string) gateway.Pending {
	p := gateway.Pending{ID: id, Tool: registry.Subject{Kind: registry.KindTool, Layer: registry.LayerUser, ID: "send_mail"}, Version: 2, Args: json.RawMessage(args), ExpiresAt: screentest.Now.Add(time.Hour)}
	p.Caller.Agent, p.Caller.User = "assistant", "mara"
	return p
}

func opened(t *testing.T, d *desk, width, height int) *Page {
	t.Helper()
	p := New(t.Context(), new(screentest.Shell), d, waits)
	if want := screentest.Open(t, p.shell, p, width, height); want != nil {
		t.Fatalf("reading the calls asks for %v", want)
	}
	return p
}

func TestListsCalls(t *testing.T) {
	d := &desk{calls: []gateway.Pending{call("a", `{"to":"`+"\u202e"+`x"}`), call("b", `{}`)}, waiting: 1}
	for _, width := range []int{60, 120} {
		p := opened(t, d, width, 30)
		text := screentest.View(t, p, width)
		for _, want := range []string{"● waiting", "tool:user/send_mail  version 2", "2026-11-20 16:00", "No longer waiting", "✓ done", `"to": "`} {
			if !strings.Contains(text, want) {
				t.Errorf("%d columns: %q is not in\n%s", width, want, text)
			}
		}
		if p.Waiting() != 1 || strings.Contains(text, "\u202e") {
			t.Errorf("%d columns: %d wait in\n%s", width, p.Waiting(), text)
		}
	}
	sh := new(screentest.Shell)
	if want := screentest.Open(t, sh, New(t.Context(), sh, nil, waits), 60, 15); want != nil {
		t.Errorf("without a gateway the page asks for %v", want)
	}
	if want := screentest.Open(t, sh, New(t.Context(), sh, &desk{err: errors.New("busy")}, waits), 60, 15); len(want) != 1 || want[0] != screen.Fail(errors.New("busy")) {
		t.Errorf("an error is told as %#v", want)
	}
}

// TestApprovesWhatWasShown checks that a call can be run only once all of its arguments were on screen.
func TestApprovesWhatWasShown(t *testing.T) {
	d := &desk{calls: []gateway.Pending{call("a", `{"lines":[`+strings.Repeat("1,", 40)+`2]}`)}, waiting: 1}
	p := opened(t, d, 80, 20)
	screentest.View(t, p, 80)
	got, _ := screentest.Press(t, p.shell, p, "a")
	ask, ok := got[0].(screen.Dialog)
	if !ok {
		t.Fatalf("a asks for %#v", got)
	}
	if missing := ask.Locked(); len(missing) != 1 || !strings.HasPrefix(missing[0], "its arguments from line ") {
		t.Fatalf("missing of a call that was shown in part: %v", missing)
	}
	for range 5 {
		screentest.Press(t, p.shell, p, "u")
		screentest.View(t, p, 80)
	}
	if missing := ask.Locked(); missing != nil {
		t.Fatalf("missing of a call that was shown whole: %v", missing)
	}
	ask.Run("")
	asked := screentest.Requests(p.shell)
	write, ok := asked[0].(screen.Write)
	if !ok {
		t.Fatalf("a yes asks for %#v", asked)
	}
	if wrote := write(t.Context()); wrote.Err != nil || !slices.Equal(d.answered, []string{"run a"}) {
		t.Errorf("%+v, answered %v", wrote, d.answered)
	}
}

func TestRefusesCalls(t *testing.T) {
	d := &desk{calls: []gateway.Pending{call("a", `{}`), call("b", `{}`)}, waiting: 1}
	p := opened(t, d, 80, 40)
	got, _ := screentest.Press(t, p.shell, p, "x")
	ask, ok := got[0].(screen.Dialog)
	if !ok || ask.Draft != "refuse-a" || !ask.Form.Reason {
		t.Fatalf("x asks for %#v", got)
	}
	ask.Run("Not now.")
	if wrote := screentest.Requests(p.shell)[0].(screen.Write)(t.Context()); wrote.Draft != "refuse-a" || !slices.Equal(d.answered, []string{"refuse a: Not now."}) {
		t.Errorf("%+v, answered %v", wrote, d.answered)
	}
	screentest.Press(t, p.shell, p, "j")
	if _, off := screentest.Press(t, p.shell, p, "x"); off != "the call is done, not waiting" {
		t.Errorf("x on a call that is done: %q", off)
	}
	if _, off := screentest.Press(t, p.shell, opened(t, &desk{}, 80, 20), "a"); off != "nothing is listed" {
		t.Errorf("a without calls: %q", off)
	}
}

// TestKeepsTheSelection checks that the cursor stays on a call when others are inserted above it.
func TestKeepsTheSelection(t *testing.T) {
	d := &desk{calls: []gateway.Pending{call("a", `{}`), call("b", `{}`)}, waiting: 2}
	p := opened(t, d, 80, 40)
	screentest.Press(t, p.shell, p, "j")
	d.calls, d.waiting = append([]gateway.Pending{call("c", `{}`)}, d.calls...), 3
	p.Reload()().(screen.Then).Do()
	if got, _ := p.selected(); got.ID != "b" {
		t.Errorf("the selection went from b to %q", got.ID)
	}
}

func waits() string { return "The queue (Q) has 22 proposals that wait for you." }
