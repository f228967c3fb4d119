package signingtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Agent starts an ssh-agent without user interaction and returns its socket. It
// skips the test if ssh-agent is not installed.
func Agent(t testing.TB) string {
	t.Helper()
	if _, err := exec.LookPath("ssh-agent"); err != nil {
		t.Skip("ssh-agent is not installed")
	}
	socket := filepath.Join(t.TempDir(), "agent")
	cmd := exec.CommandContext(t.Context(), "ssh-agent", "-D", "-a", socket)
	cmd.Env = append(os.Environ(), "DISPLAY=", "SSH_ASKPASS=", "SSH_ASKPASS_REQUIRE=never")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Wait() })
	if _, err := out.Read(make([]byte, 1)); err != nil { // ssh-agent prints its socket as soon as it listens
		t.Fatal(err)
	}
	return socket
}
