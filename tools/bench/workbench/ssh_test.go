package workbench

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"

	"toolcrib/signing/signingtest"
	"toolcrib/tools/bench/terminal"
)

// servedSSH is a server process, and a user of OpenSSH's client with a key in the
// agent.
type servedSSH struct {
	testDB
	options []string // of ssh, with the host
	env     []string
	agent   string
}

// serveSSH starts the server. It skips a test where there is no OpenSSH.
func serveSSH(t *testing.T) servedSSH {
	t.Helper()
	for _, name := range []string{"ssh", "ssh-add", "ssh-agent"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skip(name + " is not installed")
		}
	}
	s := servedSSH{testDB: newTestDB(t), agent: signingtest.Agent(t)}
	key := signingtest.NewKey(t, "ed25519").Write(t, "")
	s.proposed("delete_tasks_unasked.json")
	start := s.command(t.Context(), "signers", "init", "--as", "user:mara", "--sign-key", key)
	start.Env = append(start.Env, "PATH="+os.Getenv("PATH"))
	if said, err := start.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	add := exec.CommandContext(t.Context(), "ssh-add", "-q", key)
	add.Env = append(os.Environ(), "SSH_AUTH_SOCK="+s.agent)
	if said, err := add.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	serve := s.command(t.Context(), "serve", "--ssh", "127.0.0.1:0", "--http", "127.0.0.1:0")
	serve.Env = append(serve.Env, "EDITOR=false", "TMPDIR="+t.TempDir())
	log, err := serve.StderrPipe()
	if err == nil {
		err = serve.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = serve.Wait() })
	lines := bufio.NewReader(log)
	var port string
	for port == "" {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if found := regexp.MustCompile(`ssh://127\.0\.0\.1:(\d+)`).FindStringSubmatch(line); found != nil {
			port = found[1]
		}
	}
	go func() { _, _ = io.Copy(io.Discard, lines) }()
	text, err := os.ReadFile(filepath.Join(s.home, ".local/share/toolcrib/ssh_host_ed25519_key"))
	if err != nil {
		t.Fatal(err)
	}
	host, err := ssh.ParsePrivateKey(text)
	if err != nil {
		t.Fatal(err)
	}
	known := filepath.Join(s.home, "known_hosts")
	signingtest.WriteFile(t, known, "[127.0.0.1]:"+port+" "+signingtest.Line(host.PublicKey())+"\n")
	s.options = []string{
		"-F", "/dev/null", "-p", port, "-o", "UserKnownHostsFile=" + known, "-o", "StrictHostKeyChecking=yes", "-o", "SendEnv=*", "-A", "anybody@127.0.0.1",
	}
	s.env = []string{"SSH_AUTH_SOCK=" + s.agent, "HOME=" + s.home, "EDITOR=evil", "TOOLCRIB_DB=/none"}
	return s
}

// ssh runs a command over SSH.
func (s servedSSH) ssh(in string, command ...string) (said string, err error) {
	s.t.Helper()
	cmd := exec.CommandContext(s.t.Context(), "ssh", append(s.options, command...)...)
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH")}, s.env...)
	cmd.Stdin = strings.NewReader(in)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err = cmd.Run()
	return out.String(), err
}

// TestOpenSSHClient has OpenSSH's client run commands, and show the workbench on a real
// terminal, in which a decision is signed by the forwarded agent.
func TestOpenSSHClient(t *testing.T) {
	t.Parallel()
	s := serveSSH(t)
	text, err := os.ReadFile(s.file("scene_pacer"))
	if err != nil {
		t.Fatal(err)
	}
	if said, err := s.ssh(string(text), "toolcrib", "propose", "-"); err != nil || !strings.Contains(said, "scene_pacer") {
		t.Fatalf("propose: %v: %s", err, said)
	}
	if said, err := s.ssh("", "backup", "x"); err == nil || !strings.Contains(said, "not available over SSH") {
		t.Errorf("backup: %v: %s", err, said)
	}
	tm, err := terminal.Start(t.Context(), terminal.Program{Args: append([]string{"ssh"}, s.options...), Dir: s.home, Env: s.env, Width: 120, Height: 40})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := tm.Close(); err != nil {
			t.Error(err)
		}
	})
	p := person{t, tm}
	p.sees("scene_pacer", "delete_tasks", "quit")
	p.press("/")
	p.types("scene_pacer")
	p.lost("delete_tasks")
	p.press("Enter")
	p.sees("LINES", "1 of 1")
	p.press("Enter")
	p.sees("Assessment", "Rationale")
	p.press("2")
	p.sees("Read the scene")
	if err := p.Resize(t.Context(), 130, 50); err != nil {
		t.Fatal(err)
	}
	p.press("a")
	p.sees("Approve", "digest")
	p.answers("y approve")
	p.sees("Sign the decision", "user:mara", "SHA256:")
	p.answers("y sign")
	p.sees("Live: tool:user/scene_pacer version 1")
	p.press("C-z")
	p.sees("no shell is available here")
	p.press("q")
	p.ends()
	if out := s.run("history", "tool:user/scene_pacer"); !strings.Contains(out, "user:mara") {
		t.Errorf("the version is not in the history:\n%s", out)
	}
	s.run("verify")
}
