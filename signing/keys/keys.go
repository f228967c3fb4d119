// Package keys signs statements with the user's SSH keys. If a key is in the SSH agent, the agent signs. Otherwise,
// ssh-keygen signs, because it prompts for passphrases and PINs, waits for a touch of a hardware key, and supports
// PKCS#11. toolcrib itself never signs a statement with a private key.
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

// Reasons why a statement was not signed. The caller can try again.
var (
	ErrNoKey   = errors.New("no key to sign with")
	ErrRefused = errors.New("signing failed")
)

// Tools describes the programs and sockets that give access to keys.
type Tools struct {
	Agent string // socket of the SSH agent (SSH_AUTH_SOCK); "" for no agent
	// Dial connects to a forwarded SSH agent. If it is nil, Agent is used.
	Dial   func(ctx context.Context) (io.ReadWriteCloser, error)
	Keygen string   // path of ssh-keygen; "" to search the PATH
	Env    []string // environment of ssh-keygen; nil for the environment of the process
	// Stdin is the terminal on which ssh-keygen can prompt the user, or nil. Stderr, if not nil, receives the
	// messages of ssh-keygen, such as the request to touch the key. If ssh-keygen fails, the error contains the last
	// message.
	Stdin  io.Reader
	Stderr io.Writer
}

// Key is a key that can sign.
type Key struct {
	Public ssh.PublicKey // nil if the key cannot be read without a passphrase or the hardware key
	File   string        // "" for a key that was found in the agent only
	agent  bool
}

// InAgent reports whether the SSH agent signs with the key. The agent does not use the terminal for prompts.
func (k Key) InAgent() bool { return k.agent }

// Find returns the key in file. The file contains a private key, a public key, or a certificate. For a public key or a
// certificate, the private key must be in the agent or in a file that ssh-keygen finds. If file is "", Find returns the
// first key of the agent for which accept returns nil. If no key is found, the error wraps ErrNoKey.
func (t Tools) Find(ctx context.Context, file string, accept func(ssh.PublicKey) error) (Key, error) {
	var held []ssh.PublicKey // keys in the agent
	err := t.withAgent(ctx, func(a agent.ExtendedAgent) error {
		list, err := a.List()
		if err != nil {
			return fmt.Errorf("%w: cannot list the keys of the SSH agent: %w", ErrNoKey, err)
		}
		for _, k := range list {
			if key, err := ssh.ParsePublicKey(k.Blob); err == nil { // keys of unknown types cannot sign
				held = append(held, key)
			}
		}
		return nil
	})
	if file == "" {
		if err != nil {
			return Key{}, err
		}
		why := errors.New("the agent has no keys")
		for _, key := range held {
			if why = accept(key); why == nil {
				return Key{Public: key, agent: true}, nil
			}
		}
		return Key{}, fmt.Errorf("%w: the SSH agent has no key that is allowed to sign: %w; add a key with ssh-add, or specify a file with --sign-key", ErrNoKey, why)
	}
	public, readErr := readPublic(file)
	if readErr != nil {
		return Key{}, readErr
	}
	for _, key := range held { // held is empty if there is no agent
		if public != nil && string(key.Marshal()) == string(public.Marshal()) {
			return Key{Public: public, File: file, agent: true}, nil
		}
	}
	return Key{Public: public, File: file}, nil
}

// Sign signs message with k. It may wait for the user until ctx is done.
func (t Tools) Sign(ctx context.Context, k Key, message []byte) (signature *sshsig.Signature, err error) {
	if !k.agent {
		return t.signByKeygen(ctx, k, message)
	}
	err = t.withAgent(ctx, func(a agent.ExtendedAgent) error {
		var flags agent.SignatureFlags
		if sshsig.Plain(k.Public).Type() == ssh.KeyAlgoRSA {
			flags = agent.SignatureFlagRsaSha512
		}
		made, err := a.SignWithFlags(k.Public, sshsig.Message(message), flags)
		if err != nil {
			return fmt.Errorf("%w: the SSH agent did not sign: %w", ErrRefused, errors.Join(ctx.Err(), err))
		}
		// The agent is not trusted, so New verifies its signature.
		if signature, err = sshsig.New(k.Public, message, made); err != nil {
			return fmt.Errorf("%w: invalid signature from the SSH agent: %w", ErrRefused, err)
		}
		return nil
	})
	return signature, err
}

// readPublic returns the public key that belongs to a key file. It returns nil if the public key cannot be read without
// the passphrase or the hardware key.
func readPublic(file string) (ssh.PublicKey, error) {
	b, err := readKey(file)
	if errors.Is(err, fs.ErrNotExist) { // the private key may be in the agent
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
		return nil, nil //nolint:nilnil // the .pub file is optional
	}
	public, _ := PublicOf(beside)
	return public, nil
}

func readKey(file string) ([]byte, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > 64<<10 {
		return nil, fmt.Errorf("%s is not a key file", file)
	}
	return os.ReadFile(file)
}

// PublicOf returns the public key in b, the content of a public key file or of a private
// key file. It returns false if the public key cannot be read without a passphrase.
func PublicOf(b []byte) (ssh.PublicKey, bool) {
	if public, _, _, _, err := ssh.ParseAuthorizedKey(b); err == nil {
		return public, true
	}
	private, err := ssh.ParsePrivateKey(b)
	if err == nil {
		return private.PublicKey(), true
	}
	if locked, ok := errors.AsType[*ssh.PassphraseMissingError](err); ok && locked.PublicKey != nil {
		return locked.PublicKey, true
	}
	return nil, false
}

// withAgent connects to the agent and calls fn. It closes the connection if ctx is done.
func (t Tools) withAgent(ctx context.Context, fn func(agent.ExtendedAgent) error) error {
	var conn io.ReadWriteCloser
	var err error
	switch {
	case t.Dial != nil:
		conn, err = t.Dial(ctx)
	case t.Agent == "":
		err = errors.New("no SSH agent found (SSH_AUTH_SOCK is not set); start an agent, or specify a key file with --sign-key")
	default:
		if conn, err = new(net.Dialer).DialContext(ctx, "unix", t.Agent); err != nil {
			err = fmt.Errorf("cannot connect to the SSH agent at SSH_AUTH_SOCK: %w", err)
		}
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNoKey, err)
	}
	defer conn.Close() //nolint:errcheck // the connection does not buffer writes
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	return fn(agent.NewClient(conn))
}

// signByKeygen signs message with ssh-keygen. It passes the message in a file, because ssh-keygen prompts for a
// passphrase only if its standard input is the terminal. For the same reason, ssh-keygen stays in the process group
// that owns the terminal.
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
	var stderr bytes.Buffer // the last line becomes part of the error, because the workbench redraws the terminal
	cmd.Stderr = &stderr
	if t.Stderr != nil {
		cmd.Stderr = io.MultiWriter(t.Stderr, &stderr)
	}
	err = cmd.Run()
	if errors.Is(err, exec.ErrNotFound) {
		return nil, fmt.Errorf("%w: %w; install the OpenSSH client, or add the key to an SSH agent", ErrNoKey, err)
	}
	if err != nil {
		lines := strings.Split(strings.TrimSpace(stderr.String()), "\n")
		if last := strings.TrimSpace(lines[len(lines)-1]); last != "" {
			err = errors.New(last)
		}
		return nil, fmt.Errorf("%w: ssh-keygen: %w", ErrRefused, errors.Join(ctx.Err(), err))
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
		return nil, fmt.Errorf("%w: ssh-keygen wrote an invalid signature: %w", ErrRefused, err)
	}
	return signature, nil
}
