//go:build unix

package crash

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"

	"toolcrib/internal/shortrun"
)

// door is a toolcrib serve --ssh of its own process.
type door struct {
	cmd  *exec.Cmd
	addr string
}

// serve starts a server that dies at the nth passing of a point, "" for none.
func (c testDB) serve(point string, n int) *door {
	c.t.Helper()
	cmd := c.command(asToolcrib, "serve", "--ssh", "127.0.0.1:0", "--http", "127.0.0.1:0")
	if point != "" {
		cmd.Env = append(cmd.Env, fmt.Sprintf("%s=%s@%d", diesAt, point, n))
	}
	errs, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		c.t.Fatal(err)
	}
	addr := make(chan string, 1)
	go func() {
		defer close(addr)
		for lines := bufio.NewScanner(errs); lines.Scan(); {
			if found := regexp.MustCompile(`ssh://(\S+)`).FindStringSubmatch(lines.Text()); found != nil {
				addr <- found[1]
			}
		}
	}()
	d := &door{cmd, <-addr} // "" where it died before it listened
	c.t.Cleanup(d.stop)
	return d
}

// stop ends the server as an administrator does, if it has not ended.
func (d *door) stop() {
	_ = d.cmd.Process.Signal(os.Interrupt)
	_ = d.cmd.Wait() // a killed one has no status that matters
}

// as runs a command in a session of the key in file, which its agent signs with. ok is
// false where the connection was cut before the command had ended.
func (d *door) as(t *testing.T, file, command string) (out string, code int, ok bool) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	private, err := ssh.ParseRawPrivateKey(text)
	if err != nil {
		t.Fatal(err)
	}
	keyring := agent.NewKeyring()
	if err := keyring.Add(agent.AddedKey{PrivateKey: private}); err != nil {
		t.Fatal(err)
	}
	client, err := ssh.Dial("tcp", d.addr, &ssh.ClientConfig{
		User: "x", Auth: []ssh.AuthMethod{ssh.PublicKeysCallback(keyring.Signers)}, Timeout: time.Minute,
		HostKeyCallback: ssh.InsecureIgnoreHostKey(), //nolint:gosec // the server is a process of this test
	})
	if err != nil {
		return "", 0, false
	}
	defer client.Close() //nolint:errcheck // the server may have ended
	session, err := client.NewSession()
	if err == nil {
		err = errors.Join(agent.ForwardToAgent(client, keyring), agent.RequestAgentForwarding(session))
	}
	if err != nil {
		return "", 0, false
	}
	var said, errs bytes.Buffer // one for both would be read into at once
	session.Stdout, session.Stderr = &said, &errs
	var status *ssh.ExitError
	err = session.Run(command)
	ok = err == nil
	if errors.As(err, &status) {
		code, ok = status.ExitStatus(), true
	}
	return said.String() + errs.String(), code, ok
}

// TestServerKilledWhileApproving kills a server at each commit of an approval over SSH,
// and at statements on its way: the reviewer, who has no answer, comes back and approves
// again. The version is there once, signed, and nothing else is left.
func TestServerKilledWhileApproving(t *testing.T) {
	shortrun.NeedsLong(t)
	t.Parallel()
	if _, err := exec.LookPath("ssh-keygen"); err != nil {
		t.Skip("ssh-keygen is not installed")
	}
	mara := signingKey(t, "mara")
	kills, afterCommit := 0, 0
	for round := 0; round < 3 && afterCommit == 0; round++ { // a slow machine may cut a session before the commit
		for point, step := range map[string]int{"committed": 1, "statement": blows(2, 9)} {
			for n := 1; ; n += step {
				killed, there := killedWhileApproving(t, mara, point, n)
				if !killed {
					break // nothing passes the point so often
				}
				kills++
				if there {
					afterCommit++
				}
			}
		}
	}
	if afterCommit == 0 {
		t.Errorf("%d kills, none of them after the commit of the approval", kills)
	}
	figures.note(t, "kill -9 of serve --ssh while a user approves", kills, "each version there once, %d of them before the answer", afterCommit)
}

// killedWhileApproving kills a server at the nth passing of a point while a user
// approves, who then approves again. It reports whether the server was killed, and
// whether the version was there by then.
func killedWhileApproving(t *testing.T, key, point string, n int) (killed, there bool) {
	t.Helper()
	c := newTestDB(t)
	c.must("", opening()...)
	c.must("", "signers", "init", "--sign-key", key, "--as", "user:mara")
	c.must(proposal("user", "scene_pacer"), "propose", "--as", "agent:drafter", "-")
	const approve = "approve tool:user/scene_pacer"
	d := c.serve(point, n)
	out, code, answered := d.as(t, key, approve)
	d.stop()
	if answered && code != 0 {
		t.Fatalf("%s@%d: exit status %d: %s", point, n, code, out)
	}
	if !answered {
		again := c.serve("", 0)
		out, code, ok := again.as(t, key, approve)
		again.stop()
		if there = strings.Contains(out, "#1 (approved)"); !ok || code != 0 && !there {
			t.Fatalf("%s@%d: the server that was started again answers %d: %s", point, n, code, out)
		}
	}
	if versions := c.must("", "history", "tool:user/scene_pacer", "--json"); strings.Count(versions, `"version":`) != 1 {
		t.Errorf("%s@%d: %s", point, n, versions)
	}
	c.must("", "verify", "--deep")
	if left, err := filepath.Glob(filepath.Join(filepath.Dir(c.path), ".toolcrib-*")); err != nil || len(left) > 0 {
		t.Errorf("%s@%d: left behind: %v %v", point, n, left, err)
	}
	return !answered, there
}
