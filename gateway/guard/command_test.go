//go:build unix

package guard_test

import (
	"encoding/json"
	"strings"
	"syscall"
	"testing"
	"time"

	"toolcrib/gateway"
	"toolcrib/gateway/guard"
)

// ends waits for the guard to end and returns its status.
func (s *session) ends() int {
	s.t.Helper()
	select {
	case status := <-s.status:
		s.status <- status
		return status
	case <-time.After(longest):
		s.t.Fatal("the guard does not end")
		return 0
	}
}

// spawned starts a child process of the server that ends only when killed, and returns its id.
func (s *session) spawned(id int) int {
	s.t.Helper()
	var doc struct {
		Result struct {
			Content struct {
				PID int `json:"pid"`
			} `json:"structuredContent"`
		} `json:"result"`
	}
	if err := json.Unmarshal([]byte(s.call(id, "spawn", "{}")), &doc); err != nil || doc.Result.Content.PID == 0 {
		s.t.Fatalf("nothing was started: %v", err)
	}
	return doc.Result.Content.PID
}

// gone checks that a process ends.
func gone(t *testing.T, pid int) {
	t.Helper()
	for late := time.Now().Add(longest); time.Now().Before(late); time.Sleep(time.Millisecond) {
		if err := syscall.Kill(pid, 0); err != nil {
			return
		}
	}
	t.Errorf("process %d lives on", pid)
}

func TestNoProcessIsLeft(t *testing.T) {
	t.Parallel()
	for name, act := range map[string]func(s *session) (status int){ // the child keeps the output open
		"the client goes": func(s *session) int {
			_ = s.in.Close()
			return 0
		},
		"the client goes, and the server hangs": func(s *session) int {
			s.expectPart(s.call(9, "hang", "{}"), "hanging")
			s.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9}}`)
			_ = s.in.Close()
			s.stop()
			return 128 + int(syscall.SIGKILL)
		},
		"the server ends": func(s *session) int {
			s.send(`{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"exit","arguments":{"status":7}}}`)
			return 7
		},
		"the guard is told": func(s *session) int {
			s.stop()
			return 128 + int(syscall.SIGTERM)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := guarded(t, newFakeRegistry(allTools...), func(s *session) {
				s.times.Drain = 10 * time.Millisecond
				if strings.HasSuffix(name, "hangs") {
					s.times.Stop = 10 * time.Millisecond
				}
			}).begin()
			child := s.spawned(1)
			if want, got := act(s), s.ends(); got != want {
				t.Errorf("the status is %d, want %d", got, want)
			}
			gone(t, child)
		})
	}
}

// TestAnswersAfterTheInput checks that a server can respond to requests that were made before its input ended, as
// with input piped by a shell.
func TestAnswersAfterTheInput(t *testing.T) {
	c := newFakeRegistry(allTools...)
	c.holds = make(chan struct{})
	s := guarded(t, c).begin()
	s.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"received"}}`)
	_ = s.in.Close()
	close(c.holds)
	s.expectPart(s.next(), `"id":1,"result"`)
	if got := s.ends(); got != 0 {
		t.Errorf("the status is %d", got)
	}
}

// TestServerInputStaysOpenUntilResponses checks that the input of a server that exits at its end stays open until the server has
// responded to everything piped into the guard.
func TestServerInputStaysOpenUntilResponses(t *testing.T) {
	s := guarded(t, newFakeRegistry("hasty")).begin()
	s.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hasty"}}`)
	_ = s.in.Close()
	s.expectLine(`{"jsonrpc":"2.0","id":1,"result":{"content":[]}}`)
	if got := s.ends(); got != 0 {
		t.Errorf("the status is %d", got)
	}
}

// terminated is the exit status of a program that SIGTERM ended.
const terminated = 128 + 15

// TestUnresponsiveServerIsEnded checks that a server that does not respond is ended as soon as nobody reads responses,
// or after the time limit.
func TestUnresponsiveServerIsEnded(t *testing.T) {
	for _, name := range []string{"nobody reads", "it is late"} {
		t.Run(name, func(t *testing.T) {
			change := func(s *session) { // the client disconnects after its call was admitted
				s.gone = func() bool {
					s.registry.mu.Lock()
					defer s.registry.mu.Unlock()
					return len(s.registry.calls) > 0
				}
			}
			if name == "it is late" {
				change = func(s *session) { s.times.Answer = time.Millisecond }
			}
			s := guarded(t, newFakeRegistry("silent"), change).begin()
			s.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"silent"}}`)
			_ = s.in.Close()
			if got := s.ends(); got != 0 && (got != terminated || s.gone == nil) { // without readers, the server is also sent SIGTERM
				t.Errorf("the status is %d", got)
			}
			if o := <-s.registry.ended; o.Code != gateway.CodeProvider {
				t.Errorf("the call ends with %+v", o)
			}
		})
	}
}

// TestAHangingCallEndsWithTheClient checks that the guard ends soon after the client closed the input, although the
// server never responds (G34). Clients wait two seconds before they end the guard themselves.
func TestAHangingCallEndsWithTheClient(t *testing.T) {
	t.Parallel()
	s := guarded(t, newFakeRegistry("silent"), func(s *session) { s.times.Answer = 0 }).begin()
	s.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"silent"}}`)
	_ = s.in.Close()
	began := time.Now()
	s.ends()
	if took := time.Since(began); took > 20*time.Second { // on a busy machine; it used to be 30 s at least
		t.Errorf("the guard ends after %s", took)
	}
}

// TestAShortSessionIsProposed checks that the server's list is proposed although the client disconnects meanwhile.
func TestAShortSessionIsProposed(t *testing.T) {
	c := newFakeRegistry()
	slow := make(chan struct{})
	c.slow = slow
	s := guarded(t, c).begin()
	<-slow
	_ = s.in.Close()
	if got := s.ends(); got != 0 {
		t.Errorf("the status is %d", got)
	}
	select {
	case l := <-c.observed:
		if len(l.Tools) == 0 {
			t.Error("no tool was proposed")
		}
	default:
		t.Error("nothing was proposed")
	}
}

func TestACommandThatDoesNotStart(t *testing.T) {
	s := &session{t: t, registry: newFakeRegistry(), lines: make(chan string), logs: make(chan string, 10), status: make(chan int, 1)}
	s.start(&guard.Command{Args: []string{"/no/such/program"}})
	s.expectLog("cannot be started")
	if got := s.ends(); got != 1 {
		t.Errorf("the status is %d", got)
	}
}
