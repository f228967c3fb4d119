package keys

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"

	"toolcrib/signing/sshsig"
)

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
