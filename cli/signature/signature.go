// Package signature signs the decisions that users make on the command line.
package signature

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"

	"github.com/spf13/pflag"
	"golang.org/x/crypto/ssh"
	"golang.org/x/term"

	"toolcrib/cli/command"
	"toolcrib/cli/process"
	"toolcrib/cli/settings"
	"toolcrib/internal/lists"
	"toolcrib/proposals"
	"toolcrib/review/proof"
	"toolcrib/review/service"
	"toolcrib/signing/keys"
	"toolcrib/signing/signers"
	"toolcrib/signing/sshsig"
	"toolcrib/signing/statement"
)

// Flags contains the flags for signing a decision.
type Flags struct {
	Key                  string
	print                bool
	statement, signature string
}

// KeyUsage is the help text of --sign-key.
const KeyUsage = "sign with the key in `FILE`: a private key, or the public half of a key in the SSH agent"

func (f *Flags) Register(set *pflag.FlagSet) {
	set.StringVar(&f.Key, "sign-key", "", KeyUsage)
	set.BoolVar(&f.print, "print-statement", false, "decide nothing; print the statement, to sign it elsewhere with toolcrib sign")
	set.StringVar(&f.statement, "statement", "", "`FILE` with the statement that was signed elsewhere")
	set.StringVar(&f.signature, "signature", "", "`FILE` with the signature of --statement")
}

// Decision returns the signed statement for an act of actor, or nil if no signature is necessary. prepare returns the
// statement to sign.
func Decision(ctx context.Context, a *command.App, actor proposals.Actor, f Flags, prepare func() ([]byte, error)) (*proof.Signed, error) {
	if f.statement == "" && f.signature == "" {
		if needed, err := Signs(ctx, a, f); err != nil || !needed {
			return nil, err
		}
	}
	return SignAs(ctx, a, actor, f, prepare, func() (keys.Key, error) { return SigningKey(ctx, a, actor, f.Key) })
}

// SignAs signs the statement from prepare with the key from findKey. If the flags specify files with a statement and
// its signature, SignAs returns the content of these files instead. With --print-statement, SignAs prints the statement
// from prepare and returns ErrPrinted.
func SignAs(ctx context.Context, a *command.App, actor proposals.Actor, f Flags, prepare func() ([]byte, error), findKey func() (keys.Key, error)) (*proof.Signed, error) {
	handed := f.statement != "" || f.signature != ""
	switch {
	case (f.statement == "") != (f.signature == ""):
		return nil, process.Usagef("--statement and --signature must be used together")
	case handed && (f.print || f.Key != ""):
		return nil, process.Usagef("--signature cannot be combined with --print-statement or --sign-key")
	case handed:
		text, err := a.ReadAll(ctx, f.statement)
		if err != nil {
			return nil, err
		}
		if f.statement == "-" && f.signature == "-" {
			at := bytes.Index(text, []byte("-----BEGIN SSH SIGNATURE-----"))
			if at < 0 {
				return nil, process.Usagef("standard input has no signature; with --statement - and --signature -, the signature must follow the statement")
			}
			return &proof.Signed{Statement: text[:at], Signature: text[at:]}, nil
		}
		signature, err := a.ReadAll(ctx, f.signature)
		return &proof.Signed{Statement: text, Signature: signature}, err
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
	key, err := findKey()
	if err != nil {
		return nil, err
	}
	a.Note("toolcrib: signing as %s with %s; statement %.12s", actor, KeyName(key), statement.Sum(text))
	return SignQuietly(ctx, a, key, text)
}

// Signs reports whether decisions must be signed. This is the case if a flag or a setting requires signatures, if the
// user is connected over SSH, or if signing has started in the database. A dry run needs no signature.
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

// DeskFor returns a desk for a single decision of the actor of b. If decisions must be signed, the actor signs the
// statement that prepare returns, and the desk contains the signed statement.
func DeskFor(ctx context.Context, b command.Session, a *command.App, f Flags, prepare func() ([]byte, error)) (*service.Desk, error) {
	signed, err := Decision(ctx, a, b.Actor, f, prepare)
	if err != nil || signed == nil {
		return b.Desk, err
	}
	return b.Desk.Signed(*signed), nil
}

// KeyTools returns the tools for finding and using the user's keys. They may run ssh-keygen, which can prompt the user
// on the terminal.
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

// SigningKey returns the key that signs the decisions of actor. The signers file determines which keys are permitted.
func SigningKey(ctx context.Context, a *command.App, actor proposals.Actor, file string) (keys.Key, error) {
	who, err := a.Config.Signers.Signers()
	if err != nil {
		return keys.Key{}, fmt.Errorf("%w: %w", proof.ErrSigners, err)
	}
	return SigningKeyOf(ctx, a, who, actor, file)
}

// SigningKeyOf returns the key that signs for actor: the key in file, the configured key, or the first key of the SSH
// agent that signerList permits for actor.
func SigningKeyOf(ctx context.Context, a *command.App, signerList *signers.Signers, actor proposals.Actor, file string) (keys.Key, error) {
	file = cmp.Or(settings.Absolute(a.Env.Dir, file), a.Config.SignKey)
	now := a.Env.Now()
	may := func(k ssh.PublicKey) error {
		_, err := signerList.May(actor.String(), k, now)
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

// SignQuietly signs text with key. Unlike SignAs, it does not print a note.
func SignQuietly(ctx context.Context, a *command.App, key keys.Key, text []byte) (*proof.Signed, error) {
	signature, err := KeyTools(a).Sign(ctx, key, text)
	if err != nil {
		return nil, fmt.Errorf("%w; nothing was decided", err)
	}
	return &proof.Signed{Statement: text, Signature: signature.Armor()}, nil
}

// KeyName returns a description of a key for display: its fingerprint and type, or its file.
func KeyName(k keys.Key) string {
	if k.Public == nil {
		return k.File
	}
	return fmt.Sprintf("%s (%s)", ssh.FingerprintSHA256(sshsig.Plain(k.Public)), k.Public.Type())
}

// DefaultTier is the value that removes a user's choice of a tier, so the tier in the definition of the tool applies
// again.
const DefaultTier = "default"

// DescribeStatement returns a line for each decision in a statement.
func DescribeStatement(st statement.Statement) []string {
	verdict := statement.VerdictOf(st.Act)
	switch act := st.Act.(type) {
	case *statement.Decision:
		lines := make([]string, len(act.Items))
		for i, item := range act.Items {
			lines[i] = fmt.Sprintf("%s %s, revision %d, content %.12s", verdict, item.Subject, item.Revision, item.ContentHash)
			if item.Version > 0 {
				lines[i] += fmt.Sprintf(", as version %d", item.Version)
			}
		}
		return lines
	case *statement.Waiver:
		return []string{fmt.Sprintf("%s %s in %s, revision %d", verdict, act.Rule, act.Subject, act.Revision)}
	case *statement.CallAnswer:
		return []string{fmt.Sprintf("%s %s of %s version %d, digest %.12s", verdict, act.Pending, act.Tool, act.Version, act.Digest)}
	case *statement.Tier:
		return lists.Map(act.Tools, func(tool string) string {
			return fmt.Sprintf("%s of %s to %s", verdict, tool, cmp.Or(act.Tier, DefaultTier))
		})
	case *statement.Signers:
		return []string{fmt.Sprintf("%s to state %d, %.12s", verdict, act.Number, act.State)}
	}
	return nil
}
