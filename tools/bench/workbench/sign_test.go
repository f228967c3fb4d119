package workbench

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const passphrase = "let me in"

// signs starts signing with a key that a passphrase locks.
func (c testDB) signs() {
	c.t.Helper()
	if _, err := exec.LookPath("ssh-keygen"); err != nil {
		c.t.Skip("ssh-keygen is not installed")
	}
	key := filepath.Join(c.home, "key")
	keygen := func(args ...string) {
		c.t.Helper()
		if out, err := exec.CommandContext(c.t.Context(), "ssh-keygen", append(args, "-q", "-f", key)...).CombinedOutput(); err != nil {
			c.t.Fatalf("ssh-keygen: %v\n%s", err, out)
		}
	}
	keygen("-t", "ed25519", "-N", "")
	c.run("signers", "init", "--sign-key", key, "--as", "user:mara")
	keygen("-p", "-N", passphrase)
}

// statement returns the hash that the dialog shows.
func (p person) statement() string {
	p.t.Helper()
	screen, err := p.Screen(p.t.Context())
	found := statementHash.FindStringSubmatch(screen)
	if err != nil || found == nil {
		p.t.Fatalf("no statement, %v:\n%s", err, screen)
	}
	return found[1]
}

var statementHash = regexp.MustCompile(`statement +([0-9a-f]{12})`)

// TestSignsOnATerminal decides with a locked key, in the workbench and in the
// dialogue of lines: ssh-keygen has the terminal to ask for the passphrase. After a
// wrong one nothing is decided, and the reason that was typed is still there.
func TestSignsOnATerminal(t *testing.T) {
	t.Parallel()
	c := newTestDB(t)
	c.signs()
	for _, name := range []string{"viewpoint_keeper.md", "word_counts.json"} {
		c.proposed(name)
	}
	p := c.open(100, 30)
	p.sees("viewpoint_keeper", "quit")
	p.press("Enter")
	p.sees("Rationale")
	p.press("x")
	p.sees("ctrl+s done writing")
	p.types("Not this year.")
	for _, try := range []struct{ passphrase, outcome string }{{"a guess", "signing failed: ssh-keygen: "}, {passphrase, "Rejected"}} {
		p.press("Tab")
		p.answers("y reject")
		p.sees("Sign the decision", "user:mara", "SHA256:")
		statement := p.statement()
		p.answers("y sign")
		p.sees(statement + ".\nEnter passphrase") // not the question before
		p.types(try.passphrase)
		p.press("Enter")
		p.sees(try.outcome)
		if try.passphrase != passphrase {
			p.sees("passphrase supplied to decrypt private key")
			p.press("x")
			p.sees("Not this year.")
		}
	}
	p.press("q", "q")
	p.ends()

	p = c.talk("true")
	p.sees("queue>")
	p.says("reject 1")
	p.sees("end it with a line that has only a period.")
	p.says("Twice is enough.")
	p.says(".")
	p.sees("Type y and press enter")
	p.says("y")
	p.sees("signing as user:mara with", "Enter passphrase")
	p.types(passphrase)
	p.press("Enter")
	p.sees("#1  rejected: ")
	p.says("quit")
	p.ends()
	if rejected := c.run("list", "--state", "rejected"); strings.Count(rejected, "#") != 2 {
		t.Errorf("it was not decided twice:\n%s", rejected)
	}
	c.run("verify")
}
