package tui_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/exp/golden"

	"toolcrib/gateway"
	"toolcrib/internal/shortrun"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/tui"
)

// fakeCalls contains waiting calls. An answered call no longer waits.
type fakeCalls struct {
	tui.Calls
	calls []gateway.Pending
	ran   []string // ids with the approved digest
	no    []string // ids with the reason of the refusal
	fail  error
}

func (s *fakeCalls) Pending(_ context.Context, q gateway.PendingQuery) ([]gateway.Pending, error) {
	var list []gateway.Pending
	for _, p := range s.calls {
		if !q.Waiting || p.Answer == nil {
			list = append(list, p)
		}
	}
	return list, nil
}

func (s *fakeCalls) State(p gateway.Pending) gateway.PendingState {
	switch {
	case p.Answer == nil:
		return gateway.PendingWaiting
	case p.Answer.Approved:
		return gateway.PendingDone
	}
	return gateway.PendingRefused
}

func (s *fakeCalls) answer(id string, a gateway.Answer) {
	for i := range s.calls {
		if s.calls[i].ID == id {
			s.calls[i].Answer = &a
			if a.Approved {
				s.calls[i].Outcome = &gateway.Outcome{At: a.At, Output: json.RawMessage(`{"deleted":["t1","t2"],"left":"\u202e9"}`)}
			}
		}
	}
}

func (s *fakeCalls) Approve(_ context.Context, actor proposals.Actor, id, expect string) (gateway.Result, error) {
	if s.fail != nil {
		return gateway.Result{}, s.fail
	}
	s.ran = append(s.ran, id+" "+expect)
	s.answer(id, gateway.Answer{Approved: true, By: actor, At: fakeTime})
	return gateway.Result{Warnings: []string{"The eval gate was late."}}, nil
}

func (s *fakeCalls) Refuse(_ context.Context, actor proposals.Actor, id, reason string) (gateway.Pending, error) {
	s.no = append(s.no, id+" "+reason)
	s.answer(id, gateway.Answer{By: actor, At: fakeTime, Reason: reason})
	return gateway.Pending{}, nil
}

// pendingCall returns a waiting call.
func pendingCall(n int, args string) gateway.Pending {
	return gateway.Pending{
		ID: fmt.Sprintf("01990000-0000-7000-8000-%012d", n), Version: 2, Args: json.RawMessage(args), Digest: strings.Repeat("d", 64),
		Caller: gateway.Caller{Actor: drafter, Agent: "assistant", User: "mara"}, Tool: registry.Subject{Kind: registry.KindTool, Layer: registry.LayerGlobal, ID: "delete_tasks"},
		AskedAt: fakeTime, ExpiresAt: fakeTime.Add(24 * time.Hour),
	}
}

// withCalls opens a workbench with waiting calls.
func withCalls(t *testing.T, width, height int, calls ...gateway.Pending) (*workbench, *fakeCalls) {
	t.Helper()
	s := &fakeCalls{calls: calls}
	b := newWorkbench(t, width, height)
	b.config.Calls = s
	b.m = tui.New(b.config)
	b.m.Prime(width, height)
	b.drain(b.m.Init())
	return b, s
}

func TestCallsAreAnswered(t *testing.T) {
	b, s := withCalls(t, 100, 50, pendingCall(1, `{"ids":["t1","t2"]}`), pendingCall(2, `{"ids":["t3"]}`))
	b.wants("2 calls wait: P")
	b.press("P").wants("2 wait for you", "tool:global/delete_tasks", "agent:drafter", `"t1",`, `"t3"`, "expires")
	b.press("a").wants("Approve a call", "run it", `"t2"`, strings.Repeat("d", 64))
	b.press("enter")
	if len(s.ran) != 0 {
		t.Error("enter answers")
	}
	b.press("y").wants("Ran tool:global/delete_tasks; The eval gate was late.", "1 waits for you", "No longer waiting", "done", "result", `"deleted": [`, "⟨U+202E⟩9")
	if len(s.ran) != 1 || s.ran[0] != pendingCall(1, "").ID+" "+strings.Repeat("d", 64) {
		t.Errorf("ran %q", s.ran)
	}
	b.press("k", "k", "x").wants("Refuse a call")
	b.write("Not t3.").press("tab", "y").wants("Refused tool:global/delete_tasks", "No calls are waiting.", "Not t3.")
	if len(s.no) != 1 || s.no[0] != pendingCall(2, "").ID+" Not t3." {
		t.Errorf("refused %q", s.no)
	}
	b.press("a").wants("not waiting")
	b.press("esc").wants("Queue")
}

// TestLongArgumentsAreReadFirst checks that a call stays locked until all of its arguments were on screen.
func TestLongArgumentsAreReadFirst(t *testing.T) {
	shortrun.OneGoroutine(t)
	ids := make([]string, 60)
	for i := range ids {
		ids[i] = fmt.Sprintf(`"t%d"`, i)
	}
	b, s := withCalls(t, 80, 24, pendingCall(1, `{"ids":[`+strings.Join(ids, ",")+`]}`))
	b.press("P", "a").wants("unread: its arguments from line")
	b.press("y").wants("Unread: ", "press u to go there")
	for range 10 {
		b.press("u")
	}
	b.wants("You have read all arguments of the call")
	s.fail = errors.New("no connection")
	b.press("a", "y").wants("no connection")
	s.fail = nil
	b.press("a", "y").wants("Ran tool:global/delete_tasks")
	if len(s.ran) != 1 {
		t.Errorf("ran %q", s.ran)
	}
}

// TestHostileCalls checks that escape sequences in calls are shown and not executed.
func TestHostileCalls(t *testing.T) {
	shortrun.OneGoroutine(t)
	p := pendingCall(1, `{"ids":["\u001b[2J\u202e\u200b"]}`)
	p.Caller.Agent, p.Caller.User = "\x1b[2J", "a\u202eb"
	b, _ := withCalls(t, 100, 30, p)
	b.press("P", "a")
	for _, r := range []string{"\x1b[2J", "\u202e", "\u200b"} {
		if strings.Contains(b.m.View().Content, r) {
			t.Errorf("the screen holds %q", r)
		}
	}
}

func TestCallsScreens(t *testing.T) {
	shortrun.OneGoroutine(t)
	for _, size := range sizes {
		for _, s := range []struct {
			name string
			keys []string
		}{{"calls", []string{"P"}}, {"calls-approve", []string{"P", "a"}}} {
			t.Run(fmt.Sprintf("%s/%dx%d", s.name, size[0], size[1]), func(t *testing.T) {
				answered := pendingCall(2, `{"ids":["t3"]}`)
				answered.Answer = &gateway.Answer{By: mara, At: fakeTime, Reason: "Not this one."}
				b, _ := withCalls(t, size[0], size[1], pendingCall(1, `{"ids":["t1","t2"]}`), answered)
				b.press(s.keys...)
				checkWidth(t, b.m.View().Content, size[0], size[1])
				golden.RequireEqual(t, masked(trimmed(b.screen())))
			})
		}
	}
}
