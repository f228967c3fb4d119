package keys_test

import (
	"context"
	"crypto/rand"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"

	"toolcrib/internal/shortrun"
	"toolcrib/signing/keys"
	"toolcrib/signing/signingtest"
	"toolcrib/signing/sshsig"
)

// serve runs an agent at a socket.
func serve(t testing.TB, a agent.Agent) string {
	t.Helper()
	socket := filepath.Join(t.TempDir(), "agent")
	listener, err := new(net.ListenConfig).Listen(t.Context(), "unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() { _ = agent.ServeAgent(a, conn) }()
		}
	}()
	return socket
}

// TestRealAgent adds keys to a real agent and signs by naming the private file, the
// public file, or no file. The private files are removed before.
func TestRealAgent(t *testing.T) {
	shortrun.NeedsLong(t)
	signingtest.NeedsKeygen(t)
	for _, kind := range signingtest.Accepted() {
		if strings.HasPrefix(kind, "sk-") {
			continue // these need a device
		}
		tools := keys.Tools{Agent: signingtest.Agent(t)}
		key := signingtest.NewKey(t, kind)
		file := key.Write(t, "")
		add := exec.CommandContext(t.Context(), "ssh-add", "-q", file)
		add.Env = append(os.Environ(), "SSH_AUTH_SOCK="+tools.Agent)
		if out, err := add.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		for _, named := range []string{file, file + ".pub", ""} {
			if named == file+".pub" {
				if err := os.Remove(file); err != nil {
					t.Fatal(err)
				}
			}
			s, err := sign(t, tools, named)
			if err != nil || string(s.Key.Marshal()) != string(key.PublicKey().Marshal()) {
				t.Errorf("%s by %q: %v", kind, filepath.Base(named), err)
			}
		}
	}
}

// TestChoosesAKeyThatMay skips keys of the agent that may not sign.
func TestChoosesAKeyThatMay(t *testing.T) {
	ring := agent.NewKeyring()
	var added []signingtest.Key
	for range 3 {
		key := signingtest.NewKey(t, "ed25519")
		if err := ring.Add(agent.AddedKey{PrivateKey: key.Private()}); err != nil {
			t.Fatal(err)
		}
		added = append(added, key)
	}
	tools := keys.Tools{Agent: serve(t, ring)}
	want := string(added[1].PublicKey().Marshal())
	wrong := errors.New("not this one")
	key, err := tools.Find(t.Context(), "", func(k ssh.PublicKey) error {
		if string(k.Marshal()) != want {
			return wrong
		}
		return nil
	})
	if err != nil || string(key.Public.Marshal()) != want {
		t.Errorf("found %v, %v", key.Public, err)
	}
	if _, err := tools.Find(t.Context(), "", func(ssh.PublicKey) error { return wrong }); !errors.Is(err, keys.ErrNoKey) || !errors.Is(err, wrong) {
		t.Errorf("no key may: %v", err)
	}
}

// hardwareAgent simulates an agent with a hardware key.
type hardwareAgent struct {
	agent.ExtendedAgent
	key  *signingtest.HardwareKey
	sign func([]byte) (*ssh.Signature, error)
}

func (a hardwareAgent) List() ([]*agent.Key, error) {
	public := a.key.PublicKey()
	unknown := ssh.Marshal(struct{ Format, Key string }{"of-tomorrow", "x"})
	return []*agent.Key{{Format: "of-tomorrow", Blob: unknown}, {Format: public.Type(), Blob: public.Marshal()}}, nil
}

func (a hardwareAgent) Sign(_ ssh.PublicKey, data []byte) (*ssh.Signature, error) {
	return a.sign(data)
}

func (a hardwareAgent) SignWithFlags(_ ssh.PublicKey, data []byte, _ agent.SignatureFlags) (*ssh.Signature, error) {
	return a.sign(data)
}

// TestAgentIsNotTrusted uses agents that return invalid signatures or none.
func TestAgentIsNotTrusted(t *testing.T) {
	key := signingtest.NewKey(t, "sk-ed25519").Signer.(*signingtest.HardwareKey)
	honest := func(data []byte) (*ssh.Signature, error) { return key.Sign(rand.Reader, data) }
	for name, c := range map[string]struct {
		sign func([]byte) (*ssh.Signature, error)
		want error
	}{
		"honest":          {honest, nil},
		"another message": {func([]byte) (*ssh.Signature, error) { return honest([]byte("another")) }, sshsig.ErrSignature},
		"another key": {func(data []byte) (*ssh.Signature, error) {
			return signingtest.NewKey(t, "ed25519").Sign(rand.Reader, data)
		}, sshsig.ErrKey},
		"refusal":         {func([]byte) (*ssh.Signature, error) { return nil, errors.New("no") }, keys.ErrRefused},
		"nobody is there": {func(data []byte) (*ssh.Signature, error) { key.Flags = 0; return honest(data) }, sshsig.ErrSignature},
	} {
		key.Flags = signingtest.UserPresent
		tools := keys.Tools{Agent: serve(t, hardwareAgent{key: key, sign: c.sign})}
		if _, err := sign(t, tools, ""); !errors.Is(err, c.want) || err != nil && !errors.Is(err, keys.ErrRefused) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestTouchCanBeCanceled cancels waiting for a touch.
func TestTouchCanBeCanceled(t *testing.T) {
	key := signingtest.NewKey(t, "sk-ecdsa").Signer.(*signingtest.HardwareKey)
	ctx, cancel := context.WithCancel(t.Context())
	waits := make(chan struct{})
	t.Cleanup(func() { close(waits) })
	tools := keys.Tools{Agent: serve(t, hardwareAgent{key: key, sign: func([]byte) (*ssh.Signature, error) {
		cancel()
		<-waits
		return nil, errors.New("too late")
	}})}
	found, err := tools.Find(ctx, "", anyKey)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tools.Sign(ctx, found, text); !errors.Is(err, keys.ErrRefused) || !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}
