package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"

	"toolcrib/internal/shortrun"
	"toolcrib/signing/signingtest"
)

// TestSSHCommands lets users propose, read, and decide over SSH. The key determines the user, not the login name.
func TestSSHCommands(t *testing.T) {
	h := serveSSH(t)
	h.wants(h.as("mara", "", "list"), 0, "#2")
	h.wants(h.as("ada", "", "toolcrib show 2 --json"), 0, `"kind":"proposal"`)
	text, err := os.ReadFile("../testdata/scripts/sample.json")
	if err != nil {
		t.Fatal(err)
	}
	mine := strings.ReplaceAll(string(text), "scene_pacer", "tide_pacer")
	h.wants(h.as("ada", mine, "toolcrib propose - --json"), 0, `"author":"user:ada"`)
	h.wants(h.as("mara", "", "comment 2 --note 'Two words.'"), 0)
	h.wants(h.as("mara", "", `reject 2 --note "" --json`), 2, "reason_missing") // S40
	h.wants(h.as("mara", "", "log --limit 1 --json"), 0, `"via":"ssh SHA256:`, `"actor":"user:mara"`)

	h.wants(h.ask(h.dial("mara"), "", "approve 2"), 5, "not forwarded", "ssh -A", "--print-statement")
	h.wants(h.as("mara", "", "show 2"), 0)
	h.wants(h.as("mara", "", "approve 2"), 0, "signing as user:mara with SHA256:")
	h.wants(h.as("mara", "", "history tool:user/scene_pacer --json"), 0, `"decided_by":"user:mara"`)
	if said := h.must("signers", "verify"); !strings.Contains(said, "mara") && said == "" {
		t.Error(said)
	}
	h.must("verify")
	h.wants(h.as("ada", "", "verify"), 0, "Every hash chain is intact.")
	h.log.wait(t, `principal=user:mara key=SHA256:\S+ remote=127\.0\.0\.1:\d+ command=approve outcome=ok`)
	h.log.wait(t, `command=approve outcome=exit_5`)
	if log := h.log.String(); strings.Contains(log, "Two words") {
		t.Error("the log has what was written")
	}
	if code := h.stop(); code != 130 {
		t.Errorf("exit status %d", code)
	}
}

// TestSSHSignsElsewhere prepares a decision on the server, signs it on the machine with the key, and sends the
// statement and the signature in one stream.
func TestSSHSignsElsewhere(t *testing.T) {
	shortrun.NeedsLong(t)
	h := serveSSH(t)
	client := h.dial("ada")
	h.wants(h.ask(client, "", "show 2"), 0)
	statement := h.wants(h.ask(client, "", "reject 2 --note No. --print-statement"), 0, "toolcrib decision 1").out
	h.write("statement", statement)
	signature := h.must("sign", "statement", "--sign-key", h.keys["ada"].Write(t, ""))
	h.wants(h.ask(client, statement, "reject 2 --note No. --statement - --signature -"), 2, "standard input has no signature")
	h.wants(h.ask(h.dial("mara"), statement+signature, "reject 2 --note No. --statement - --signature -"), 5, "user:ada")
	h.wants(h.ask(client, statement+signature, "reject 2 --note No. --statement - --signature -"), 0)
	h.wants(h.ask(client, "", "list --state rejected"), 0, "#2")
}

// TestSSHKeys checks that logins depend on the current signers file.
func TestSSHKeys(t *testing.T) {
	h := serveSSH(t)
	banner := ""
	hear := func(c *ssh.ClientConfig) {
		c.BannerCallback = func(text string) error { banner += text; return nil }
	}
	stranger := signingtest.NewKey(t, "ed25519")
	if _, err := h.login("mara", stranger, hear); err == nil || !strings.Contains(banner, ssh.FingerprintSHA256(stranger.PublicKey())) || !strings.Contains(banner, "toolcrib signers add") {
		t.Errorf("a stranger: %v, %q", err, banner)
	}
	for name, auth := range map[string]ssh.AuthMethod{
		"password":    ssh.Password("mara"),
		"interactive": ssh.KeyboardInteractive(func(string, string, []string, []bool) ([]string, error) { return nil, nil }),
	} {
		if _, err := h.login("mara", h.keys["mara"], func(c *ssh.ClientConfig) { c.Auth = []ssh.AuthMethod{auth} }); err == nil {
			t.Errorf("%s is let in", name)
		}
	}
	// Asking whether a key of mara is accepted does not log in as mara.
	if client, err := h.login("mara", h.keys["ada"]); err != nil {
		t.Error(err)
	} else {
		h.wants(h.ask(client, "", "comment 2 --note Hm. --json"), 0, `"author":"user:ada"`)
		_ = client.Close()
	}
	h.must("signers", "remove", ssh.FingerprintSHA256(h.keys["ada"].PublicKey()), "--revoke", "--as", "user:mara", "--sign-key", h.keys["mara"].Write(t, ""))
	banner = ""
	if _, err := h.login("ada", h.keys["ada"], hear); err == nil || !strings.Contains(banner, "unknown key") {
		t.Errorf("a revoked key: %v, %q", err, banner)
	}
}

// TestSSHHostKey checks that the host key is kept, and that only its account can read it.
func TestSSHHostKey(t *testing.T) {
	shortrun.NeedsLong(t)
	h := serveSSH(t)
	file := filepath.Join(h.dir, "home/.local/share/toolcrib/ssh_host_ed25519_key")
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("%v, %v", info, err)
	}
	before := h.log.wait(t, `host_key=(\S+)`)[1]
	h.stop()
	h.log = &logLines{more: make(chan struct{})}
	h.start()
	if now := h.log.wait(t, `host_key=(\S+)`)[1]; now != before {
		t.Errorf("the host has the key %s, and had %s", now, before)
	}
	h.stop()
	if err := os.Chmod(file, 0o640); err != nil {
		t.Fatal(err)
	}
	if _, errs, code := h.run("serve", "--ssh", "127.0.0.1:0"); code != 1 || !strings.Contains(errs, "chmod 600") {
		t.Errorf("exit status %d: %s", code, errs)
	}
}
