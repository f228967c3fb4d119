package keys

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"toolcrib/signing/sshsig"
)

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
