// Package signature signs what a user decides, for every command that decides.
package signature

import (
	"bytes"
	"context"

	"github.com/spf13/pflag"

	"toolcrib/cli/command"
	"toolcrib/cli/process"
	"toolcrib/cli/settings"
	"toolcrib/proposals"
	"toolcrib/review/proof"
	"toolcrib/review/service"
	"toolcrib/signing/keys"
)

// Flags are the flags for signing a decision.
type Flags struct {
	Key                  string
	print                bool
	statement, signature string
}

func (f *Flags) Register(set *pflag.FlagSet) {
	set.StringVar(&f.Key, "sign-key", "", "sign with the key in `FILE`: a private key, or a public key whose private half is in the SSH agent")
	set.BoolVar(&f.print, "print-statement", false, "decide nothing; print the statement to sign elsewhere with toolcrib sign")
	set.StringVar(&f.statement, "statement", "", "`FILE` with the statement that was signed elsewhere")
	set.StringVar(&f.signature, "signature", "", "`FILE` with the signature of --statement")
}

// Decision returns the signed statement of an act, nil where nothing is signed.
// prepare returns the statement.
func Decision(ctx context.Context, a *command.App, actor proposals.Actor, f Flags, prepare func() ([]byte, error)) (*proof.Signed, error) {
	if f.statement == "" && f.signature == "" {
		if needed, err := Signs(ctx, a, f); err != nil || !needed {
			return nil, err
		}
	}
	return SignAs(ctx, a, actor, f, prepare, func() (keys.Key, error) { return SigningKey(ctx, a, actor, f.Key) })
}

// SignAs signs a statement with the key that find finds, or takes a statement and
// signature from the flags.
func SignAs(ctx context.Context, a *command.App, actor proposals.Actor, f Flags, prepare func() ([]byte, error), find func() (keys.Key, error)) (*proof.Signed, error) {
	handed := f.statement != "" || f.signature != ""
	switch {
	case (f.statement == "") != (f.signature == ""):
		return nil, process.Usagef("--statement and --signature belong together: the statement that was signed, and its signature")
	case handed && (f.print || f.Key != ""):
		return nil, process.Usagef("--signature excludes --print-statement and --sign-key")
	case handed:
		return handedIn(ctx, a, f)
	}
	text, err := prepare()
	if err != nil {
		return nil, err
	}
	if f.print {
		if _, err := a.Env.Out.Write(text); err != nil {
			return nil, err
		}
		return nil, process.ErrPrinted
	}
	key, err := find()
	if err != nil {
		return nil, err
	}
	return signWith(ctx, a, key, actor, text)
}

// Signs reports whether acts are signed: where it is asked for, required, or has
// started.
func Signs(ctx context.Context, a *command.App, f Flags) (bool, error) {
	if a.Flags.DryRun && !f.print {
		return false, nil
	}
	if a.Remote != nil {
		return true, nil
	}
	c, err := a.Settings()
	if err != nil || f.Key != "" || f.print || c.Signatures == settings.SignaturesRequired {
		return err == nil, err
	}
	desk, err := a.OpenDesk(ctx)
	if err != nil {
		return false, err
	}
	states, err := desk.Signers.SignersStates(ctx)
	return len(states) > 0, err
}

// handedIn reads a statement that was signed elsewhere.
func handedIn(ctx context.Context, a *command.App, f Flags) (*proof.Signed, error) {
	text, err := a.ReadAll(ctx, f.statement)
	if err != nil {
		return nil, err
	}
	if f.statement == "-" && f.signature == "-" {
		return splitSigned(text)
	}
	signature, err := a.ReadAll(ctx, f.signature)
	return &proof.Signed{Statement: text, Signature: signature}, err
}

// splitSigned takes a statement apart from the signature that follows it.
func splitSigned(text []byte) (*proof.Signed, error) {
	at := bytes.Index(text, []byte("-----BEGIN SSH SIGNATURE-----"))
	if at < 0 {
		return nil, process.Usagef("--statement - and --signature - read the statement and then its signature; there is no signature in standard input")
	}
	return &proof.Signed{Statement: text[:at], Signature: text[at:]}, nil
}

// DeskFor returns the desk for one act of actor, signed where it is needed.
func DeskFor(ctx context.Context, b command.Session, a *command.App, f Flags, prepare func() ([]byte, error)) (*service.Desk, error) {
	signed, err := Decision(ctx, a, b.Actor, f, prepare)
	if err != nil || signed == nil {
		return b.Desk, err
	}
	return b.Desk.Signed(*signed), nil
}
