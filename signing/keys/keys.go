// Package keys has the user's keys sign statements. A key that the SSH agent
// holds signs there. Every other key is left to ssh-keygen, which asks for
// passphrases and PINs, waits for a touch, and knows PKCS#11: toolcrib never
// holds a private key.
package keys

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"

	"toolcrib/signing/sshsig"
)

// Reasons for a missing signature. Nothing is lost by any of them: a statement can be
// signed again.
var (
	ErrNoKey   = errors.New("no key to sign with")
	ErrRefused = errors.New("the key did not sign")
)

// Tools are the programs and sockets by which keys are reached.
type Tools struct {
	Agent string // socket of the SSH agent, as in SSH_AUTH_SOCK; "" for none
	// Dial connects to an SSH agent that is forwarded from elsewhere; nil dials Agent.
	Dial   func(ctx context.Context) (io.ReadWriteCloser, error)
	Keygen string   // "" for ssh-keygen of the path
	Env    []string // of ssh-keygen; nil for that of the process
	// Stdin is the terminal for ssh-keygen to ask at, nil for none. Stderr gets its
	// messages, such as to touch the key; an error ends with their last line.
	Stdin  io.Reader
	Stderr io.Writer
}

// Key is a key that can sign.
type Key struct {
	Public ssh.PublicKey // nil when the file does not tell it before it is unlocked
	File   string        // "" for a key that only the agent is known to have
	agent  bool
}

// InAgent reports whether the SSH agent signs with the key, so that nothing is asked
// at the terminal.
func (k Key) InAgent() bool { return k.agent }

// Find returns the key of a file: a private key, or a public key or certificate
// whose private half the agent, or the file beside it, has. Without a file it is
// the first key of the agent that may lets sign. The error wraps ErrNoKey.
func (t Tools) Find(ctx context.Context, file string, may func(ssh.PublicKey) error) (Key, error) {
	held, err := t.held(ctx)
	if file == "" {
		if err != nil {
			return Key{}, err
		}
		return first(held, may)
	}
	public, readErr := readPublic(file)
	if readErr != nil {
		return Key{}, readErr
	}
	for _, key := range held { // without an agent there are none
		if public != nil && string(key.Marshal()) == string(public.Marshal()) {
			return Key{Public: public, File: file, agent: true}, nil
		}
	}
	return Key{Public: public, File: file}, nil
}

func first(held []ssh.PublicKey, may func(ssh.PublicKey) error) (Key, error) {
	why := errors.New("it holds none")
	for _, key := range held {
		if why = may(key); why == nil {
			return Key{Public: key, agent: true}, nil
		}
	}
	return Key{}, fmt.Errorf("%w: no key of the SSH agent can: %w; add one with ssh-add, or name a file with --sign-key", ErrNoKey, why)
}

// Sign has a key sign a message. It takes as long as the user does; ctx ends it.
func (t Tools) Sign(ctx context.Context, k Key, message []byte) (*sshsig.Signature, error) {
	if k.agent {
		return t.signByAgent(ctx, k.Public, message)
	}
	return t.signByKeygen(ctx, k, message)
}

// readPublic returns the public half of a key file, nil where only the passphrase
// or the hardware tells it.
func readPublic(file string) (ssh.PublicKey, error) {
	b, err := readKey(file)
	if errors.Is(err, fs.ErrNotExist) { // the private half may be in the agent alone
		if beside, missing := readKey(file + ".pub"); missing == nil {
			b, err = beside, nil
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoKey, err)
	}
	if public, ok := PublicOf(b); ok {
		return public, nil
	}
	beside, err := readKey(file + ".pub")
	if err != nil {
		return nil, nil //nolint:nilnil // there need not be one
	}
	public, _ := PublicOf(beside)
	return public, nil
}

// maxKey is the size of the largest key file, in bytes.
const maxKey = 64 << 10

func readKey(file string) ([]byte, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxKey {
		return nil, fmt.Errorf("%s is not a key", file)
	}
	return os.ReadFile(file)
}

// PublicOf finds the public half in a public key, or in the part of a private
// key that is not encrypted.
func PublicOf(b []byte) (ssh.PublicKey, bool) {
	if public, _, _, _, err := ssh.ParseAuthorizedKey(b); err == nil {
		return public, true
	}
	private, err := ssh.ParsePrivateKey(b)
	if err == nil {
		return private.PublicKey(), true
	}
	var locked *ssh.PassphraseMissingError
	if errors.As(err, &locked) && locked.PublicKey != nil {
		return locked.PublicKey, true
	}
	return nil, false
}

// held returns the keys that the agent holds.
func (t Tools) held(ctx context.Context) ([]ssh.PublicKey, error) {
	var keys []ssh.PublicKey
	err := t.ask(ctx, func(a agent.ExtendedAgent) error {
		list, err := a.List()
		if err != nil {
			return fmt.Errorf("%w: the SSH agent does not list its keys: %w", ErrNoKey, err)
		}
		for _, k := range list {
			if key, err := ssh.ParsePublicKey(k.Blob); err == nil { // kinds that are not known here do not sign here
				keys = append(keys, key)
			}
		}
		return nil
	})
	return keys, err
}

func (t Tools) signByAgent(ctx context.Context, key ssh.PublicKey, message []byte) (*sshsig.Signature, error) {
	var signature *sshsig.Signature
	err := t.ask(ctx, func(a agent.ExtendedAgent) error {
		var flags agent.SignatureFlags
		if sshsig.Plain(key).Type() == ssh.KeyAlgoRSA {
			flags = agent.SignatureFlagRsaSha512
		}
		made, err := a.SignWithFlags(key, sshsig.Message(message), flags)
		if err != nil {
			return fmt.Errorf("%w: the SSH agent: %w", ErrRefused, errors.Join(ctx.Err(), err))
		}
		// An agent is a program of somebody's: what it gives may be anything.
		if signature, err = sshsig.New(key, message, made); err != nil {
			return fmt.Errorf("%w: invalid answer of the SSH agent: %w", ErrRefused, err)
		}
		return nil
	})
	return signature, err
}

// ask runs fn with the agent. When ctx ends, so does the connection.
func (t Tools) ask(ctx context.Context, fn func(agent.ExtendedAgent) error) error {
	dial := t.Dial
	if dial == nil {
		dial = t.dialSocket
	}
	conn, err := dial(ctx)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNoKey, err)
	}
	defer conn.Close() //nolint:errcheck // nothing was written that could be lost
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	return fn(agent.NewClient(conn))
}

func (t Tools) dialSocket(ctx context.Context) (io.ReadWriteCloser, error) {
	if t.Agent == "" {
		return nil, errors.New("there is no SSH agent (SSH_AUTH_SOCK); start one, or name a file with --sign-key")
	}
	conn, err := new(net.Dialer).DialContext(ctx, "unix", t.Agent)
	if err != nil {
		return nil, fmt.Errorf("the SSH agent of SSH_AUTH_SOCK: %w", err)
	}
	return conn, nil
}

// signByKeygen has ssh-keygen sign. The message is in a file, because ssh-keygen
// asks for a passphrase at the terminal only if that is its standard input. It
// stays in the process group that owns the terminal, for the same reason.
func (t Tools) signByKeygen(ctx context.Context, k Key, message []byte) (*sshsig.Signature, error) {
	dir, err := os.MkdirTemp("", "toolcrib-sign-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a statement is not a secret
	file := filepath.Join(dir, "statement")
	if err := os.WriteFile(file, message, 0o600); err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, cmp.Or(t.Keygen, "ssh-keygen"), "-q", "-Y", "sign", "-n", sshsig.Namespace, "-f", k.File, file)
	cmd.Env, cmd.Stdin = t.Env, t.Stdin
	cmd.WaitDelay = time.Second
	var said bytes.Buffer // the last line becomes the error: a screen that comes back hides the terminal
	cmd.Stderr = &said
	if t.Stderr != nil {
		cmd.Stderr = io.MultiWriter(t.Stderr, &said)
	}
	err = cmd.Run()
	if errors.Is(err, exec.ErrNotFound) {
		return nil, fmt.Errorf("%w: %w; install OpenSSH's client, or add the key to an SSH agent", ErrNoKey, err)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: ssh-keygen: %w", ErrRefused, errors.Join(ctx.Err(), explain(err, said.String())))
	}
	armored, err := os.ReadFile(file + ".sig")
	if err != nil {
		return nil, fmt.Errorf("%w: ssh-keygen: %w", ErrRefused, err)
	}
	signature, err := sshsig.Parse(armored)
	if err == nil {
		err = signature.Verify(message)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: what ssh-keygen gave: %w", ErrRefused, err)
	}
	return signature, nil
}

// explain returns the last line that ssh-keygen printed, or how it ended.
func explain(err error, said string) error {
	lines := strings.Split(strings.TrimSpace(said), "\n")
	if last := strings.TrimSpace(lines[len(lines)-1]); last != "" {
		return errors.New(last)
	}
	return err
}
