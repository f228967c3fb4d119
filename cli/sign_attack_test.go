package cli_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"toolcrib/cli"
	"toolcrib/cli/process"
	"toolcrib/internal/shortrun"
	"toolcrib/signing/signingtest"
)

// with runs toolcrib with environment variables, and with the home folder in the account database.
func (c testHome) with(vars map[string]string, home, system string, args ...string) (said string, code int) {
	c.Helper()
	var out bytes.Buffer
	code = cli.Main(c.Context(), process.Env{
		Args: args, In: strings.NewReader(""), Out: &out, Err: &out, Dir: c.dir, Now: time.Now, MinWait: longest, NewID: newID, System: system,
		Account: func() process.Account {
			a := loggedIn(args)()
			a.Home = home
			return a
		},
		Getenv: func(name string) string { return vars[name] },
	})
	return out.String(), code
}

// TestEnvironmentLowersNothing lets an agent with a shell set HOME and XDG_CONFIG_HOME to its own configuration.
func TestEnvironmentLowersNothing(t *testing.T) {
	shortrun.OneGoroutine(t)
	home := signedHome(t)
	own := filepath.Join(home.dir, "home")
	db := filepath.Join(own, ".local/share/toolcrib/toolcrib.db")
	home.write("evil/.config/toolcrib/toolcrib.toml", "signatures = \"off\"\n")
	home.must("propose", "--as", "agent:drafter", "open.json")
	for name, vars := range map[string]map[string]string{
		"HOME":            {"HOME": filepath.Join(home.dir, "evil"), "TOOLCRIB_DB": db},
		"XDG_CONFIG_HOME": {"HOME": own, "XDG_CONFIG_HOME": filepath.Join(home.dir, "evil/.config"), "TOOLCRIB_DB": db},
		"an empty HOME":   {"HOME": t.TempDir(), "TOOLCRIB_DB": db},
	} {
		if said, code := home.with(vars, own, "", "doctor"); !strings.Contains(said, "required") {
			t.Errorf("%s: exit status %d: %s", name, code, said)
		}
		// Without a file in the account, it cannot decide without the key either.
		for _, account := range []string{own, ""} {
			said, code := home.with(vars, account, "", "reject", "#2", "--note", "No.", "--as", "user:ada")
			if code != 5 {
				t.Errorf("%s, account's home %q: exit status %d: %s", name, account, code, said)
			}
		}
	}
	if said, code := home.with(map[string]string{"HOME": own}, own, "", "reject", "#2", "--note", "No.", "--as", "user:mara"); code != 0 {
		t.Errorf("the user: exit status %d: %s", code, said)
	}
}

// TestSystemFileWins lets the administrator require signatures from a user who has disabled them.
func TestSystemFileWins(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("the system's folder is the administrator's")
	}
	home := newTestHome(t, "signatures = \"off\"\n")
	system := filepath.Join(home.dir, "etc")
	home.write("etc/toolcrib.toml", "signatures = \"required\"\n")
	home.must("propose", "--as", "agent:drafter", "open.json")
	vars := map[string]string{"HOME": filepath.Join(home.dir, "home")}
	if said, code := home.with(vars, "", system, "reject", "#1", "--note", "No.", "--as", "user:mara"); code != 5 {
		t.Errorf("exit status %d: %s", code, said)
	}
	home.write("etc/toolcrib.toml", "signatures = \"off\"\n")
	if said, code := home.with(vars, "", system, "list"); code != 1 || !strings.Contains(said, "use required, or leave it out") {
		t.Errorf("exit status %d: %s", code, said)
	}
	if err := os.Chmod(filepath.Join(system, "toolcrib.toml"), 0o666); err != nil {
		t.Fatal(err)
	}
	if said, code := home.with(vars, "", system, "list"); code != 1 || !strings.Contains(said, "other accounts can write") {
		t.Errorf("exit status %d: %s", code, said)
	}
}

// TestAgentThatAsks lets an agent with a shell use the user's SSH agent. The key in it requires a confirmation, which
// is not given.
func TestAgentThatAsks(t *testing.T) {
	signingtest.NeedsKeygen(t)
	if _, err := exec.LookPath("ssh-add"); err != nil {
		t.Skip("ssh-add is not installed")
	}
	socket := signingtest.Agent(t)
	home := newTestHome(t, "")
	key := signingtest.NewKey(t, "ed25519").Write(t, "")
	home.must("signers", "init", "--as", "user:mara", "--sign-key", key)
	home.must("propose", "--as", "agent:drafter", "open.json")
	add := func(args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "ssh-add", args...)
		cmd.Env = append(os.Environ(), "SSH_AUTH_SOCK="+socket)
		if said, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, said)
		}
	}
	add("-q", "-c", key)
	if err := os.Remove(key); err != nil { // it remains only in the agent
		t.Fatal(err)
	}
	vars := map[string]string{"HOME": filepath.Join(home.dir, "home"), "SSH_AUTH_SOCK": socket}
	for _, args := range [][]string{
		{"approve", "#1", "--as", "user:mara"},
		{"reject", "#1", "--as", "user:mara", "--note", "No.", "--sign-key", key + ".pub"},
		{"signers", "add", "user:evil", key + ".pub", "--as", "user:mara"},
	} {
		said, code := home.with(vars, "", "", args...)
		if code == 0 || strings.Contains(strings.Join(args, " "), "#1") && !strings.Contains(said, "signing failed") {
			t.Errorf("%v: exit status %d: %s", args, code, said)
		}
	}
	if said, code := home.with(vars, "", "", "list", "--state", "user_review"); code != 0 || !strings.Contains(said, "#1") {
		t.Errorf("it was decided: exit status %d: %s", code, said)
	}
	if said, code := home.with(vars, "", "", "signers", "verify"); code != 0 {
		t.Errorf("the signers changed: exit status %d: %s", code, said)
	}
}

// TestDialogueSigns rejects a proposal in the dialogue, which must print the signer and the statement.
func TestDialogueSigns(t *testing.T) {
	home := signedHome(t)
	home.must("propose", "--as", "agent:drafter", "open.json")
	out, code := runDialogue(t, filepath.Join(home.dir, "home"), "show 2\n"+strings.Repeat("\n", 12)+"reject\nNot this year.\n.\ny\nquit\n", map[string]string{"TERM": "dumb"}, "--accessible", "--as", "user:mara")
	if code != 0 || !strings.Contains(out, "signing as user:mara with SHA256:") || !strings.Contains(out, "; statement ") {
		t.Errorf("exit status %d: %s", code, out)
	}
	if said := home.must("list", "--state", "rejected"); !strings.Contains(said, "#2") {
		t.Errorf("it was not rejected: %s\n%s", said, out)
	}
	home.must("verify")
}

// TestSignersInitTakesGitsKey starts signing with the public key in Git's configuration. Only the SSH agent has the
// private key, after another key.
func TestSignersInitTakesGitsKey(t *testing.T) {
	shortrun.OneGoroutine(t)
	for _, program := range []string{"git", "ssh-add"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(program + " is not installed")
		}
	}
	socket := signingtest.Agent(t)
	gits := signingtest.NewKey(t, "ed25519")
	for _, key := range []signingtest.Key{signingtest.NewKey(t, "ecdsa-256"), gits} {
		cmd := exec.CommandContext(t.Context(), "ssh-add", "-q", key.Write(t, ""))
		cmd.Env = append(os.Environ(), "SSH_AUTH_SOCK="+socket)
		if said, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, said)
		}
	}
	line := signingtest.Line(gits.PublicKey())
	for name, setting := range map[string]string{"with key::": "key::" + line, "with its type": line + " mara@example"} {
		t.Run(name, func(t *testing.T) {
			home := newTestHome(t, "")
			home.write("home/.gitconfig", "[gpg]\n\tformat = ssh\n[user]\n\tsigningkey = \""+setting+"\"\n")
			vars := map[string]string{"HOME": filepath.Join(home.dir, "home"), "SSH_AUTH_SOCK": socket}
			said, code := home.with(vars, "", "", "signers", "init", "--as", "user:mara")
			if code != 0 || !strings.Contains(said, "(ssh-ed25519); statement ") {
				t.Errorf("exit status %d: %s", code, said)
			}
			home.must("propose", "--as", "agent:drafter", "open.json")
			if said, code := home.with(vars, "", "", "reject", "#1", "--note", "No.", "--as", "user:mara"); code != 0 {
				t.Errorf("exit status %d: %s", code, said)
			}
		})
	}
}
