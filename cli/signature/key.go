package signature

import (
	"cmp"
	"context"
	"fmt"
	"os"

	"golang.org/x/crypto/ssh"
	"golang.org/x/term"

	"toolcrib/cli/command"
	"toolcrib/cli/settings"
	"toolcrib/proposals"
	"toolcrib/review/proof"
	"toolcrib/signing/keys"
	"toolcrib/signing/signers"
	"toolcrib/signing/sshsig"
	"toolcrib/signing/statement"
)

// KeyTools reach the keys of the user. ssh-keygen asks at the terminal.
func KeyTools(a *command.App) keys.Tools {
	if a.Remote != nil {
		return keys.Tools{Dial: a.Remote.Forwarded, Stderr: a.Env.Err}
	}
	t := keys.Tools{Agent: a.Env.Getenv("SSH_AUTH_SOCK"), Stderr: a.Env.Err}
	if in, ok := a.Keyboard.(*os.File); ok && term.IsTerminal(int(in.Fd())) {
		t.Stdin = in
	}
	return t
}

// SigningKey finds the key by which actor signs decisions.
func SigningKey(ctx context.Context, a *command.App, actor proposals.Actor, file string) (keys.Key, error) {
	c, err := a.Settings()
	if err != nil {
		return keys.Key{}, err
	}
	who, err := c.Signers.Signers()
	if err != nil {
		return keys.Key{}, fmt.Errorf("%w: %w", proof.ErrSigners, err)
	}
	return SigningKeyOf(ctx, a, who, actor, file)
}

// SigningKeyOf finds the key by which actor signs: of a file, of the configuration,
// or the first of the agent that may.
func SigningKeyOf(ctx context.Context, a *command.App, who *signers.Signers, actor proposals.Actor, file string) (keys.Key, error) {
	file = cmp.Or(settings.Absolute(a.Env.Dir, file), a.Config.SignKey)
	now := a.Env.Now()
	may := func(k ssh.PublicKey) error {
		_, err := who.May(actor.String(), k, now)
		return err
	}
	key, err := KeyTools(a).Find(ctx, file, may)
	if err == nil && key.Public != nil {
		if err := may(key.Public); err != nil {
			return key, fmt.Errorf("%w: %w", proof.ErrSignature, err)
		}
	}
	return key, err
}

// signWith has a key sign a statement, and prints both before it asks for the key.
func signWith(ctx context.Context, a *command.App, key keys.Key, actor proposals.Actor, text []byte) (*proof.Signed, error) {
	a.Note("toolcrib: signing as %s with %s; statement %.12s", actor, KeyName(key), statement.Sum(text))
	return SignQuietly(ctx, a, key, text)
}

// SignQuietly has a key sign a statement.
func SignQuietly(ctx context.Context, a *command.App, key keys.Key, text []byte) (*proof.Signed, error) {
	signature, err := KeyTools(a).Sign(ctx, key, text)
	if err != nil {
		return nil, fmt.Errorf("%w; nothing was decided", err)
	}
	return &proof.Signed{Statement: text, Signature: signature.Armor()}, nil
}

// KeyName names a key for people.
func KeyName(k keys.Key) string {
	if k.Public == nil {
		return k.File
	}
	return fmt.Sprintf("%s (%s)", ssh.FingerprintSHA256(sshsig.Plain(k.Public)), k.Public.Type())
}
