package cli_test

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"

	"toolcrib/internal/shortrun"
)

// screen is a workbench over SSH.
type screen struct {
	*ssh.Session
	keys io.WriteCloser
	seen *logLines // the screen of a workbench, or the lines of a command
}

// screen opens the workbench on a terminal, or runs a command with line output.
func (h *sshHome) screen(client *ssh.Client, term string, width, height int, command string) *screen {
	h.Helper()
	session, err := client.NewSession()
	if err != nil {
		h.Fatal(err)
	}
	s := &screen{Session: session, seen: newScreen(h.T, width, height)}
	if command != "" {
		s.seen = &logLines{more: make(chan struct{})}
	}
	session.Stdout = s.seen
	if s.keys, err = session.StdinPipe(); err != nil {
		h.Fatal(err)
	}
	if err := session.RequestPty(term, height, width, nil); err != nil {
		h.Fatal(err)
	}
	if command == "" {
		err = session.Shell()
	} else {
		err = session.Start(command)
	}
	if err != nil {
		h.Fatal(err)
	}
	return s
}

func (s *screen) press(t testing.TB, keys string) {
	t.Helper()
	if _, err := io.WriteString(s.keys, keys); err != nil {
		t.Fatal(err)
	}
}

// TestSSHWorkbench opens, uses, and quits the workbench on several kinds of terminals.
func TestSSHWorkbench(t *testing.T) {
	h := serveSSH(t)
	for _, tt := range []struct {
		term, environ string
		colours       bool
	}{
		{"xterm-256color", "COLORTERM=truecolor", true}, {"xterm", "", true}, {"dumb", "", false}, {"xterm-256color", "NO_COLOR=1", false}, {"", "", false},
	} {
		t.Run(tt.term+tt.environ, func(t *testing.T) {
			client := h.dial("mara")
			defer client.Close() //nolint:errcheck // it has ended
			session, err := client.NewSession()
			if err != nil {
				t.Fatal(err)
			}
			if name, value, ok := strings.Cut(tt.environ, "="); ok {
				if err := session.Setenv(name, value); err != nil {
					t.Fatal(err)
				}
			}
			s := &screen{Session: session, seen: newScreen(t, 100, 30)}
			session.Stdout = s.seen
			s.keys, _ = session.StdinPipe()
			if err := session.RequestPty(tt.term, 30, 100, nil); err != nil {
				t.Fatal(err)
			}
			if err := session.Shell(); err != nil {
				t.Fatal(err)
			}
			s.seen.wait(t, `scene_pacer`)
			s.press(t, "\r")
			s.seen.wait(t, `Rationale`)
			s.seen.resize(140, 50)
			if err := session.WindowChange(50, 140); err != nil {
				t.Fatal(err)
			}
			s.press(t, "\x1a") // ctrl+z
			s.seen.wait(t, `no shell is available here`)
			s.press(t, "\x03")
			if err := session.Wait(); err != nil {
				t.Error(err)
			}
			seen := s.seen.String()
			if got := strings.Contains(seen, "\x1b[38;5;") || strings.Contains(seen, "\x1b[38;2;"); got != tt.colours && tt.term != "xterm" {
				t.Errorf("colours: %t", got)
			}
		})
	}
	h.log.wait(t, `command=workbench outcome=ok`)
}

// TestSSHFiles checks that a user on another machine sees the approved skills, but no files of the server.
func TestSSHFiles(t *testing.T) {
	h := serveSSH(t)
	const text = "---\nname: %s\ndescription: Reads files.\n---\nRead it.\n"
	h.write("home/.claude/skills/ofserver/SKILL.md", fmt.Sprintf(text, "ofserver"))
	h.write("skill.json", fmt.Sprintf(`{"type": "new", "subject": "skill:user/pdf", "rationale": "We read them.", "definition": {"id": "pdf", "path": ".claude/skills/pdf",
		"files": {"SKILL.md": {"text": %q}}}}`, fmt.Sprintf(text, "pdf")))
	h.must("propose", "--as", "agent:drafter", "skill.json")
	h.must("approve", "skill:user/pdf", "--as", "user:mara", "--sign-key", h.keys["mara"].Write(t, ""))
	s := h.screen(h.dial("ada"), "xterm", 100, 40, "")
	s.seen.wait(t, `scene_pacer`)
	s.press(t, "T")
	s.seen.wait(t, `▎Tools`)
	s.press(t, "T")
	s.seen.wait(t, `\.claude/skills/pdf`)
	if text := s.seen.text(); strings.Contains(text, "ofserver") || !strings.Contains(text, "live") {
		t.Errorf("the page of files has %s", text)
	}
	s.press(t, "\x03")
	if err := s.Wait(); err != nil {
		t.Errorf("%v: %s", err, s.seen)
	}
}

// TestSSHLines runs the dialogue on a raw terminal, which does not echo its input.
func TestSSHLines(t *testing.T) {
	h := serveSSH(t)
	s := h.screen(h.dial("ada"), "dumb", 100, 40, "toolcrib --accessible")
	s.seen.wait(t, `queue> `)
	s.press(t, "show 2\r")
	s.seen.wait(t, `show 2\r\n(?s:.*)scene_pacer`)
	s.seen.wait(t, `or enter stop: `)
	s.press(t, "stop\r")
	s.seen.wait(t, `#2> `)
	s.press(t, "edit x.md\r")
	s.seen.wait(t, `the session runs on another machine`)
	s.press(t, "quit\r")
	if err := s.Wait(); err != nil {
		t.Errorf("%v: %s", err, s.seen)
	}
}

// TestSSHHundredSessions runs a hundred workbenches in one process, for two users who read and comment concurrently.
// Each comment must have the user of its session as its author. Short runs use twenty sessions, because more do not
// help the race detector.
func TestSSHHundredSessions(t *testing.T) {
	shortrun.NeedsLong(t)
	sessions := 100
	if testing.Short() {
		sessions = 20
	}
	h := serveSSH(t)
	h.stop()
	h.log = &logLines{more: make(chan struct{})}
	h.start("--ssh-sessions", "60")
	clients := map[string]*ssh.Client{"mara": h.dial("mara"), "ada": h.dial("ada")}
	var all sync.WaitGroup
	for i := range sessions {
		user := []string{"mara", "ada"}[i%2]
		s := h.screen(clients[user], "xterm-256color", 80+i, 24+i%20, "")
		all.Go(func() {
			if s.seen.find(`scene_pacer`) == nil {
				t.Errorf("session %d shows no queue", i)
			}
			_, _ = io.WriteString(s.keys, "jk\r")
			if s.seen.find(`Rationale`) == nil {
				t.Errorf("session %d shows no proposal", i)
			}
			if i%10 < 2 {
				a := h.ask(clients[user], "", fmt.Sprintf("comment 2 --note 'By %s, %d.' --json", user, i))
				if a.code != 0 || !strings.Contains(a.out, `"author":"user:`+user+`"`) {
					t.Errorf("%s: exit status %d: %s%s", user, a.code, a.out, a.errs)
				}
			}
			_, _ = io.WriteString(s.keys, "\x03")
			if err := s.Wait(); err != nil {
				t.Errorf("session %d: %v", i, err)
			}
		})
	}
	all.Wait()
	h.must("verify")
}

// proposePacers proposes the tools pacer_0, pacer_1, and so on.
func (h *sshHome) proposePacers(n int) {
	h.Helper()
	sample, err := os.ReadFile("../testdata/scripts/sample.json")
	if err != nil {
		h.Fatal(err)
	}
	for i := range n {
		h.write(fmt.Sprintf("p%d.json", i), strings.ReplaceAll(string(sample), "scene_pacer", fmt.Sprintf("pacer_%d", i)))
	}
	names, err := filepath.Glob(filepath.Join(h.dir, "p*.json"))
	if err != nil {
		h.Fatal(err)
	}
	h.write("home/.config/toolcrib/toolcrib.toml", h.config()+"max_open_per_agent = 100\n")
	h.must(append([]string{"propose", "--as", "agent:drafter"}, names...)...)
}

// startApproval starts the approval of a pacer or, for odd numbers, the workbench, in a session with an agent.
func (h *sshHome) startApproval(i int, keyring agent.Agent) *ssh.Client {
	h.Helper()
	client := h.dial("mara")
	session, err := client.NewSession()
	if err != nil {
		h.Fatal(err)
	}
	if err := agent.ForwardToAgent(client, keyring); err != nil {
		h.Fatal(err)
	}
	if err := agent.RequestAgentForwarding(session); err != nil {
		h.Fatal(err)
	}
	if i%2 == 0 {
		err = session.Start(fmt.Sprintf("approve tool:user/pacer_%d", i))
	} else {
		_ = session.RequestPty("xterm", 40, 120, nil)
		err = session.Start("toolcrib")
	}
	if err != nil {
		h.Fatal(err)
	}
	return client
}

// approvedWithVersions checks that each proposal is either approved with its version or waits unchanged, and returns
// the number of approved ones.
func (h *sshHome) approvedWithVersions() int {
	h.Helper()
	var list struct {
		Proposals []struct{ Subject, State string }
	}
	out, errs, code := h.run("list", "--json", "--limit", "200")
	if code != 0 || json.Unmarshal([]byte(out), &list) != nil {
		h.Fatalf("exit status %d: %s", code, errs)
	}
	approved := 0
	for _, p := range list.Proposals {
		_, _, code := h.run("history", p.Subject)
		if (p.State == "approved") != (code == 0) || p.State != "approved" && p.State != "user_review" {
			h.Errorf("%s is %s, and history ends with %d", p.Subject, p.State, code)
		}
		if p.State == "approved" {
			approved++
		}
	}
	return approved
}

// TestSSHCutSessions cuts the connections of fifty approvals at random times while they run. Each proposal must either be approved
// with its version or be unchanged, and no files may remain.
func TestSSHCutSessions(t *testing.T) {
	shortrun.NeedsLong(t)
	temporary, err := os.MkdirTemp("", "t") //nolint:usetesting // a socket's path is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(temporary) })
	t.Setenv("TMPDIR", temporary) // contains no files of others
	h := serveSSH(t)
	const cuts = 50
	h.proposePacers(cuts + 1)
	h.stop()
	h.log = &logLines{more: make(chan struct{})}
	h.start()
	keyring := agent.NewKeyring()
	if err := keyring.Add(agent.AddedKey{PrivateKey: h.keys["mara"].Private()}); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	h.wants(h.as("mara", "", fmt.Sprintf("approve tool:user/pacer_%d", cuts)), 0)
	half := time.Since(start) / 2         // on this machine, with the login; many cuts then precede the commit
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // moments, not secrets
	for i := range cuts {
		client := h.startApproval(i, keyring)
		if len(sessionGoroutines()) == 0 {
			t.Fatal("sessionGoroutines does not find the session")
		}
		<-time.After(time.Duration(random.Float64() * float64(half)))
		_ = client.Close()
	}
	h.log.wait(t, fmt.Sprintf(`(?s)(msg="ssh session".*){%d}`, cuts+1))
	t.Logf("%d of %d approvals were committed", h.approvedWithVersions()-2, cuts/2)
	h.must("verify")
	h.wants(h.as("mara", "", "show 2"), 0)
	h.wants(h.as("mara", "", "approve 2"), 0)
	for end := time.Now().Add(3 * time.Minute); ; runtime.Gosched() {
		left := sessionGoroutines()
		if len(left) == 0 {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("%d goroutines of sessions remain:\n%s", len(left), strings.Join(left, "\n\n"))
		}
	}
	if left, err := filepath.Glob(filepath.Join(temporary, "toolcrib-*sign*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %q, %v", left, err)
	}
}

// sessionGoroutines returns the stacks of all goroutines that serve or use an SSH connection. The goroutines of the
// server itself and of earlier tests do not count.
func sessionGoroutines() []string {
	buf := make([]byte, 1<<20)
	stacks := strings.Split(string(buf[:runtime.Stack(buf, true)]), "\n\n")
	return slices.DeleteFunc(stacks, func(stack string) bool {
		return !regexp.MustCompile(`golang\.org/x/crypto/ssh[./]|charm\.land/bubbletea/|ssh\.\(\*Server\)\.HandleConn`).MatchString(stack)
	})
}

// config returns the user's configuration.
func (h *sshHome) config() string {
	h.Helper()
	text, err := os.ReadFile(filepath.Join(h.dir, "home/.config/toolcrib/toolcrib.toml"))
	if err != nil {
		h.Fatal(err)
	}
	return string(text)
}
