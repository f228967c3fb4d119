package keys_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"

	"toolcrib/signing/keys"
	"toolcrib/signing/signingtest"
	"toolcrib/signing/sshsig"
)

var text = []byte("toolcrib decision 1\n")

func anyKey(ssh.PublicKey) error { return nil }

// sign finds the key of a file and signs with it.
func sign(t testing.TB, tools keys.Tools, file string) (*sshsig.Signature, error) {
	t.Helper()
	key, err := tools.Find(t.Context(), file, anyKey)
	if err != nil {
		return nil, err
	}
	return tools.Sign(t.Context(), key, text)
}

// TestKeygenSigns signs with key files that are not in an agent.
func TestKeygenSigns(t *testing.T) {
	signingtest.NeedsKeygen(t)
	empty := serve(t, agent.NewKeyring())
	for _, kind := range signingtest.Accepted() {
		if strings.HasPrefix(kind, "sk-") {
			continue
		}
		key := signingtest.NewKey(t, kind)
		for _, tools := range []keys.Tools{{}, {Agent: empty}, {Agent: "/nowhere"}} {
			if s, err := sign(t, tools, key.Write(t, "")); err != nil || string(s.Key.Marshal()) != string(key.PublicKey().Marshal()) {
				t.Errorf("%s with agent %q: %v", kind, tools.Agent, err)
			}
		}
	}
}

// TestKeygenSignsWithCertificates names the certificate beside a key.
func TestKeygenSignsWithCertificates(t *testing.T) {
	signingtest.NeedsKeygen(t)
	authority, key := signingtest.NewKey(t, "ed25519"), signingtest.NewKey(t, "ed25519")
	ca, file := authority.Write(t, ""), key.Write(t, "")
	signingtest.MustKeygen(t, nil, "-q", "-s", ca, "-I", "mara-laptop", "-n", "user:mara", file+".pub")
	s, err := sign(t, keys.Tools{}, file+"-cert.pub")
	if err != nil {
		t.Fatal(err)
	}
	if cert, ok := s.Key.(*ssh.Certificate); !ok || cert.KeyId != "mara-laptop" {
		t.Errorf("signed with %T", s.Key)
	}
}

// TestAskpass has ssh-keygen get the passphrase from a program, correct and wrong.
func TestAskpass(t *testing.T) {
	signingtest.NeedsKeygen(t)
	key := signingtest.NewKey(t, "ed25519")
	file := key.Write(t, "let me in")
	for answer, want := range map[string]error{"let me in": nil, "not this": keys.ErrRefused} {
		withAgent := filepath.Join(t.TempDir(), "askpass")
		signingtest.WriteFile(t, withAgent, "#!/bin/sh\necho '"+answer+"'\n")
		if err := os.Chmod(withAgent, 0o700); err != nil {
			t.Fatal(err)
		}
		tools := keys.Tools{Env: append(os.Environ(), "SSH_ASKPASS="+withAgent, "SSH_ASKPASS_REQUIRE=force")}
		found, err := tools.Find(t.Context(), file, anyKey)
		if err != nil || string(found.Public.Marshal()) != string(key.PublicKey().Marshal()) {
			t.Fatalf("an encrypted key: %v", err)
		}
		if _, err := tools.Sign(t.Context(), found, text); !errors.Is(err, want) {
			t.Errorf("with %q: %v", answer, err)
		}
	}
}

// TestAsksAtTheTerminal types a passphrase on a real terminal.
func TestAsksAtTheTerminal(t *testing.T) {
	signingtest.NeedsKeygen(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, "-test.run=^TestSignsAsChild$", "-test.v")
	cmd.Env = append(os.Environ(), childKey+"="+signingtest.NewKey(t, "ed25519").Write(t, "let me in"), "SSH_ASKPASS_REQUIRE=never")
	terminal, err := pty.Start(cmd)
	if err != nil {
		t.Skipf("no terminal available: %v", err)
	}
	t.Cleanup(func() { _ = terminal.Close() })
	if err := terminal.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	var seen strings.Builder
	b := make([]byte, 1024)
	for asked := false; ; {
		n, err := terminal.Read(b)
		seen.Write(b[:n])
		if !asked && strings.Contains(seen.String(), "passphrase") {
			asked = true
			if _, err := terminal.WriteString("let me in\n"); err != nil {
				t.Fatal(err)
			}
		}
		if err != nil { // the child has ended
			break
		}
	}
	if err := cmd.Wait(); err != nil || !strings.Contains(seen.String(), "--- PASS: TestSignsAsChild") {
		t.Errorf("%v; at the terminal:\n%s", err, seen.String())
	}
}

const childKey = "TOOLCRIB_TEST_CHILD_KEY"

// TestSignsAsChild runs in the child that TestAsksAtTheTerminal starts.
func TestSignsAsChild(t *testing.T) {
	file := os.Getenv(childKey)
	if file == "" {
		t.Skip("run by TestAsksAtTheTerminal")
	}
	if _, err := sign(t, keys.Tools{Stdin: os.Stdin, Stderr: os.Stderr}, file); err != nil {
		t.Fatal(err)
	}
}

// TestNoKey checks that the error names the missing key and the remedy.
func TestNoKey(t *testing.T) {
	dir := t.TempDir()
	nonsense := filepath.Join(dir, "nonsense")
	signingtest.WriteFile(t, nonsense, "not a key\n")
	public := filepath.Join(dir, "public.pub")
	signingtest.WriteFile(t, public, signingtest.Line(signingtest.NewKey(t, "ed25519").PublicKey())+"\n")
	large := filepath.Join(dir, "large")
	signingtest.WriteFile(t, large, strings.Repeat("x", 1<<20))
	private := signingtest.NewKey(t, "ed25519").Write(t, "")
	for _, c := range []struct {
		name    string
		tools   keys.Tools
		file    string
		want    error
		problem string
	}{
		{"neither agent nor file", keys.Tools{}, "", keys.ErrNoKey, "--sign-key"},
		{"an agent that is gone", keys.Tools{Agent: filepath.Join(dir, "gone")}, "", keys.ErrNoKey, "SSH_AUTH_SOCK"},
		{"an agent without keys", keys.Tools{Agent: serve(t, agent.NewKeyring())}, "", keys.ErrNoKey, "ssh-add"},
		{"a file that is gone", keys.Tools{}, filepath.Join(dir, "gone"), keys.ErrNoKey, "no such file"},
		{"a folder", keys.Tools{}, dir, keys.ErrNoKey, "not a key"},
		{"a large file", keys.Tools{}, large, keys.ErrNoKey, "not a key"},
		{"nonsense", keys.Tools{}, nonsense, keys.ErrRefused, "ssh-keygen"},
		{"a public key without its other half", keys.Tools{}, public, keys.ErrRefused, "ssh-keygen"},
		{"a key that is not accepted", keys.Tools{}, signingtest.NewKey(t, "rsa-2048").Write(t, ""), sshsig.ErrKey, "2048"},
		{"no ssh-keygen", keys.Tools{Keygen: "ssh-keygen-of-nobody"}, private, keys.ErrNoKey, "install"},
	} {
		if _, err := sign(t, c.tools, c.file); !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.problem) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func BenchmarkSign(b *testing.B) {
	key := signingtest.NewKey(b, "ed25519")
	ring := agent.NewKeyring()
	if err := ring.Add(agent.AddedKey{PrivateKey: key.Private()}); err != nil {
		b.Fatal(err)
	}
	file := key.Write(b, "")
	for name, tools := range map[string]keys.Tools{"agent": {Agent: serve(b, ring)}, "keygen": {}} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := sign(b, tools, file); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
