package cli_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"golang.org/x/crypto/ssh"

	"toolcrib/cli"
)

// TestEveryCommandIsDecided checks that the table of commands over SSH contains all commands, so that a new one is not
// made available by mistake, and that all its entries exist.
func TestEveryCommandIsDecided(t *testing.T) {
	root := cli.Commands()
	offered := cli.Offers()
	var names []string
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		name := strings.TrimSpace(strings.TrimPrefix(c.CommandPath(), root.Name()))
		names = append(names, name)
		flags, known := offered[name]
		if !known {
			t.Errorf("%q is neither offered nor refused", name)
		}
		for _, flag := range flags {
			if c.Flags().Lookup(flag) == nil && c.InheritedFlags().Lookup(flag) == nil {
				t.Errorf("%q has no flag --%s", name, flag)
			}
		}
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(root)
	for name := range offered {
		if !slices.Contains(names, name) {
			t.Errorf("there is no command %q", name)
		}
	}
}

// leaks lists requests for data of the server or of another user. FILE is a file on the server.
var leaks = []struct {
	command, why string
	code         int
}{
	{"--db FILE list", "--db is not available over SSH", 5},
	{"list --db=FILE.other", "--db is not available over SSH", 5},
	{"list --workspace /tmp", "--workspace is not available over SSH", 5},
	{"list --as user:root", "--as is not available over SSH", 5},
	{"propose - --as agent:drafter", "--as is not available over SSH", 5},
	{"--approve 2 --as user:ada", "--as is not available over SSH", 5},
	{"propose FILE", "redirect standard input", 5},
	{"propose secret", "redirect standard input", 5},
	{"propose ../secret", "redirect standard input", 5},
	{"propose /dev/stdin", "redirect standard input", 5},
	{"revise 2 FILE", "redirect standard input", 5},
	{"lint FILE", "redirect standard input", 5},
	{"lint /etc/passwd", "redirect standard input", 5},
	{"import FILE", "redirect standard input", 5},
	{"import --mcp 'cat FILE'", "--mcp is not available over SSH", 5},
	{"import --mcp-url http://127.0.0.1:1", "--mcp-url is not available over SSH", 5},
	{"import --server x", "--server is not available over SSH", 5},
	{"canonicalize FILE", "redirect standard input", 5},
	{"check --code FILE", "redirect standard input", 5},
	{"check --bundle FILE", "--bundle is not available over SSH", 5},
	{"check --lock FILE", "--lock is not available over SSH", 5},
	{"diff FILE FILE", "redirect standard input", 5},
	{"parse FILE --agent assistant", "redirect standard input", 5},
	{"comment 2 --note-file FILE", "redirect standard input", 5},
	{"reject 2 --note-file FILE", "redirect standard input", 5},
	{"reject 2 --note No. --sign-key FILE", "--sign-key is not available over SSH", 5},
	{"reject 2 --note No. --statement FILE --signature -", "redirect standard input", 5},
	{"reject 2 --note No. --statement - --signature FILE", "redirect standard input", 5},
	{"review 2 --file FILE", "redirect standard input", 5},
	{"preview --agent assistant --context FILE", "redirect standard input", 5},
	{"preview --agent assistant --user root", "--user is not available over SSH", 5},
	{"show 2 --source FILE.md", "redirect standard input", 5},
	{"rebase 2 --source FILE", "--source is not available over SSH", 5},
	{"export --output FILE.leak", "--output is not available over SSH", 5},
	{"verify --checkpoint FILE", "redirect standard input", 5},
	{"verify --checkpoint-key FILE", "--checkpoint-key is not available over SSH", 5},
	{"calls policy get_gmail auto_approve --user ada", "--user is not available over SSH", 5},
	{"backup FILE.db", "files of the server", 5},
	{"init --yes", "files of the server", 5},
	{"wrap", "files of the server", 5},
	{"unwrap", "files of the server", 5},
	{"drift", "files of the server", 5},
	{"files", "files of the server", 5},
	{"restore skill:user/x --yes", "files of the server", 5},
	{"check --files FILE", "--files is not available over SSH", 5},
	{"import --files FILE", "--files is not available over SSH", 5},
	{"watch --files FILE", "programs on the server", 5},
	{"demo --print", "files of the server", 5},
	{"checkpoint", "files of the server", 5},
	{"mcp", "programs on the server", 5},
	{"serve --http 127.0.0.1:0", "programs on the server", 5},
	{"watch --once", "programs on the server", 5},
	{"exec get_gmail --agent assistant", "programs on the server", 5},
	{"config", "settings of the server", 5},
	{"doctor", "settings of the server", 5},
	{"trust", "settings of the server", 5},
	{"untrust", "settings of the server", 5},
	{"tokens", "settings of the server", 5},
	{"tokens create assistant", "settings of the server", 5},
	{"tokens list", "settings of the server", 5},
	{"tokens revoke x", "settings of the server", 5},
	{"completion bash", "settings of the server", 5},
	{"__complete show ''", "settings of the server", 5},
	{"sign", "where your key is", 5},
	{"signers add user:root FILE", "where your key is", 5},
	{"signers list", "where your key is", 5},
	{"sh 'cat FILE'", "unknown command", 2},
	{"/bin/sh", "unknown command", 2},
	{"list; cat secret", "", 2},
	{"list $(cat secret)", "", 2},
	{"show $HOME", "", 3},
	{"list --filter \"$SECRET\"", "", 0},
	{"propose - 'unclosed", "a quotation mark is not closed", 2},
	{"", "without a terminal, toolcrib needs a command", 2},
}

// TestSSHRejectsForeignData requests data of the server and of other users over SSH. Every request must be rejected with the reason,
// and nothing may be read, written, or started.
func TestSSHRejectsForeignData(t *testing.T) {
	h := serveSSH(t)
	h.write("secret", secretOfServer)
	file := filepath.Join(h.dir, "secret")
	before := files(t, h.dir)
	client := h.dial("mara")
	for _, tt := range leaks {
		command := strings.ReplaceAll(tt.command, "FILE", file)
		a := h.ask(client, "", command)
		if a.code != tt.code || !strings.Contains(a.errs, tt.why) {
			t.Errorf("%s: exit status %d, want %d: %s%s", command, a.code, tt.code, a.out, a.errs)
		}
	}
	if after := files(t, h.dir); !slices.Equal(before, after) {
		t.Errorf("files were %q, and are %q", before, after)
	}
	if a := h.ask(client, "", "--help"); strings.Contains(a.out, "  backup") || strings.Contains(a.out, "--db") || !strings.Contains(a.out, "  approve") {
		t.Errorf("the help offers what is refused: %s", a.out)
	}
}

// files lists the files in a folder, except those that exist only while a database is open.
func files(t *testing.T, dir string) []string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		if !strings.HasSuffix(path, "-wal") && !strings.HasSuffix(path, "-shm") {
			all = append(all, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestSSHRejectsOtherFeatures requests features of the protocol that are not supported: other channels, a subsystem, X11, a
// forwarded port, and environment variables.
func TestSSHRejectsOtherFeatures(t *testing.T) {
	h := serveSSH(t)
	client := h.dial("mara")
	for _, kind := range []string{"direct-tcpip", "direct-streamlocal@openssh.com", "x11", "tun@openssh.com"} {
		if c, _, err := client.OpenChannel(kind, nil); err == nil {
			t.Errorf("a channel %s is opened", kind)
			_ = c.Close()
		}
	}
	for _, what := range []string{"tcpip-forward", "streamlocal-forward@openssh.com"} {
		if ok, _, err := client.SendRequest(what, true, ssh.Marshal(struct {
			Addr string
			Port uint32
		}{"127.0.0.1", 0})); ok || err != nil {
			t.Errorf("%s is granted: %v", what, err)
		}
	}
	session, err := client.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close() //nolint:errcheck // nothing runs in it
	for what, payload := range map[string][]byte{
		"subsystem": ssh.Marshal(struct{ Name string }{"sftp"}), "x11-req": ssh.Marshal(struct{ A bool }{}),
		// A length that overflows, and a terminal with a long name.
		"pty-req": {0xff, 0xff, 0xff, 0xff, 0, 0}, "env": ssh.Marshal(struct{ Name, Value string }{"LANG", strings.Repeat("x", 1000)}),
	} {
		if ok, err := session.SendRequest(what, true, payload); ok || err != nil {
			t.Errorf("%s is granted: %v", what, err)
		}
	}
	for name, may := range map[string]bool{
		"LANG": true, "LC_ALL": true, "NO_COLOR": true, "COLORTERM": true,
		"HOME": false, "TOOLCRIB_DB": false, "TOOLCRIB_PROJECT": false, "EDITOR": false, "PATH": false, "LC_EVIL": false, "LD_PRELOAD": false, "SSH_AUTH_SOCK": false,
	} {
		if err := session.Setenv(name, "x"); (err == nil) != may {
			t.Errorf("%s: %v", name, err)
		}
	}
	if out, err := session.Output("list"); err != nil || !strings.Contains(string(out), "#2") {
		t.Errorf("after all that: %s, %v", out, err)
	}
}
