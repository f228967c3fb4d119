package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/crypto/ssh"
	"golang.org/x/term"

	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/signing/keys"
	"toolcrib/signing/signers"
	"toolcrib/signing/sshsig"
	"toolcrib/signing/statement"
)

// signFlags are the flags for signing a decision.
type signFlags struct {
	key                  string
	print                bool
	statement, signature string
}

func (f *signFlags) register(set *pflag.FlagSet) {
	set.StringVar(&f.key, "sign-key", "", "sign with the key in `FILE`: a private key, or a public key whose other half the SSH agent has")
	set.BoolVar(&f.print, "print-statement", false, "decide nothing; print the statement to sign elsewhere with toolcrib sign")
	set.StringVar(&f.statement, "statement", "", "`FILE` with the statement that was signed elsewhere")
	set.StringVar(&f.signature, "signature", "", "`FILE` with the signature of --statement")
}

// errPrinted ends a command that printed a statement instead of deciding.
var errPrinted = errors.New("statement printed")

// sign returns the signed statement of an act, nil where nothing is signed.
// prepare returns the statement.
func (a *app) sign(ctx context.Context, actor proposals.Actor, f signFlags, prepare func() ([]byte, error)) (*review.Signed, error) {
	if f.statement == "" && f.signature == "" {
		if needed, err := a.signs(ctx, f); err != nil || !needed {
			return nil, err
		}
	}
	return a.signAs(ctx, actor, f, prepare, func() (keys.Key, error) { return a.signingKey(ctx, actor, f.key) })
}

// signAs signs a statement with the key that find finds, or takes a statement and
// signature from the flags.
func (a *app) signAs(ctx context.Context, actor proposals.Actor, f signFlags, prepare func() ([]byte, error), find func() (keys.Key, error)) (*review.Signed, error) {
	handed := f.statement != "" || f.signature != ""
	switch {
	case (f.statement == "") != (f.signature == ""):
		return nil, usagef("--statement and --signature belong together: the statement that was signed, and its signature")
	case handed && (f.print || f.key != ""):
		return nil, usagef("--signature excludes --print-statement and --sign-key")
	case handed:
		return a.handedIn(ctx, f)
	}
	text, err := prepare()
	if err != nil {
		return nil, err
	}
	if f.print {
		if _, err := a.env.Out.Write(text); err != nil {
			return nil, err
		}
		return nil, errPrinted
	}
	key, err := find()
	if err != nil {
		return nil, err
	}
	return a.signWith(ctx, key, actor, text)
}

// signs reports whether acts are signed: where it is asked for, required, or has
// started.
func (a *app) signs(ctx context.Context, f signFlags) (bool, error) {
	if a.flags.dryRun && !f.print {
		return false, nil
	}
	if a.remote != nil {
		return true, nil
	}
	c, err := a.settings()
	if err != nil || f.key != "" || f.print || c.Signatures == signaturesRequired {
		return err == nil, err
	}
	desk, err := a.openDesk(ctx)
	if err != nil {
		return false, err
	}
	states, err := desk.SignersStates(ctx)
	return len(states) > 0, err
}

// handedIn reads a statement that was signed elsewhere.
func (a *app) handedIn(ctx context.Context, f signFlags) (*review.Signed, error) {
	text, err := a.readAll(ctx, f.statement)
	if err != nil {
		return nil, err
	}
	if f.statement == "-" && f.signature == "-" {
		return splitSigned(text)
	}
	signature, err := a.readAll(ctx, f.signature)
	return &review.Signed{Statement: text, Signature: signature}, err
}

// splitSigned takes a statement apart from the signature that follows it.
func splitSigned(text []byte) (*review.Signed, error) {
	at := bytes.Index(text, []byte("-----BEGIN SSH SIGNATURE-----"))
	if at < 0 {
		return nil, usagef("--statement - and --signature - read the statement and then its signature; there is no signature in standard input")
	}
	return &review.Signed{Statement: text[:at], Signature: text[at:]}, nil
}

// keyTools reach the keys of the user. ssh-keygen asks at the terminal.
func (a *app) keyTools() keys.Tools {
	if a.remote != nil {
		return keys.Tools{Dial: a.remote.forwarded, Stderr: a.env.Err}
	}
	t := keys.Tools{Agent: a.env.Getenv("SSH_AUTH_SOCK"), Stderr: a.env.Err}
	if in, ok := a.keyboard.(*os.File); ok && term.IsTerminal(int(in.Fd())) {
		t.Stdin = in
	}
	return t
}

// signingKey finds the key by which actor signs decisions.
func (a *app) signingKey(ctx context.Context, actor proposals.Actor, file string) (keys.Key, error) {
	c, err := a.settings()
	if err != nil {
		return keys.Key{}, err
	}
	who, err := c.signers.Signers()
	if err != nil {
		return keys.Key{}, fmt.Errorf("%w: %w", review.ErrSigners, err)
	}
	return a.signingKeyOf(ctx, who, actor, file)
}

// signingKeyOf finds the key by which actor signs: of a file, of the configuration,
// or the first of the agent that may.
func (a *app) signingKeyOf(ctx context.Context, who *signers.Signers, actor proposals.Actor, file string) (keys.Key, error) {
	file = cmp.Or(absolute(a.env.Dir, file), a.config.SignKey)
	now := a.env.Now()
	may := func(k ssh.PublicKey) error {
		_, err := who.May(actor.String(), k, now)
		return err
	}
	key, err := a.keyTools().Find(ctx, file, may)
	if err == nil && key.Public != nil {
		if err := may(key.Public); err != nil {
			return key, fmt.Errorf("%w: %w", review.ErrSignature, err)
		}
	}
	return key, err
}

// signWith has a key sign a statement, and prints both before it asks for the key.
func (a *app) signWith(ctx context.Context, key keys.Key, actor proposals.Actor, text []byte) (*review.Signed, error) {
	a.note("toolcrib: signing as %s with %s; statement %.12s", actor, keyName(key), statement.Sum(text))
	return a.signQuietly(ctx, key, text)
}

// signQuietly has a key sign a statement.
func (a *app) signQuietly(ctx context.Context, key keys.Key, text []byte) (*review.Signed, error) {
	signature, err := a.keyTools().Sign(ctx, key, text)
	if err != nil {
		return nil, fmt.Errorf("%w; nothing was decided", err)
	}
	return &review.Signed{Statement: text, Signature: signature.Armor()}, nil
}

// keyName names a key for people.
func keyName(k keys.Key) string {
	if k.Public == nil {
		return k.File
	}
	return fmt.Sprintf("%s (%s)", ssh.FingerprintSHA256(sshsig.Plain(k.Public)), k.Public.Type())
}

// deskFor returns the desk for one act of actor, signed where it is needed.
func (b session) deskFor(ctx context.Context, a *app, f signFlags, prepare func() ([]byte, error)) (*review.Desk, error) {
	signed, err := a.sign(ctx, b.actor, f, prepare)
	if err != nil || signed == nil {
		return b.desk, err
	}
	return b.desk.Signed(*signed), nil
}

func newSign(a *app) *cobra.Command {
	var key string
	cmd := &cobra.Command{
		Use:   "sign [FILE]",
		Short: "Sign the statement of a decision made elsewhere",
		Long: `Read the statement that --print-statement printed, on another machine or under
another account, from a file or standard input. Show its decision on standard
error, sign it, and print the signature. No database is needed. Pass the signature
to the original command with --statement and --signature.

The key is that of --sign-key, of sign_key in your configuration, or the first of
the SSH agent that may sign by your signers file, if there is one.`,
		Example: `  toolcrib sign statement > statement.sig
  toolcrib sign --sign-key ~/.ssh/id_ed25519 < statement`,
		Args: between(0, 1, "the file of a statement"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runSign(cmd.Context(), a, append(args, "-")[0], key)
		},
	}
	cmd.Flags().StringVar(&key, "sign-key", "", "sign with the key in `FILE`: a private key, or a public key whose other half the SSH agent has")
	return cmd
}

type docSignature struct {
	docHead
	Statement string `json:"statement"` // SHA-256 of it
	By        string `json:"by"`
	Verdict   string `json:"verdict"`
	Key       string `json:"key"`
	Signature string `json:"signature"` // armored
}

func runSign(ctx context.Context, a *app, name, file string) error {
	text, err := a.readAll(ctx, name)
	if err != nil {
		return err
	}
	st, err := statement.Decode(text)
	if err != nil {
		return err
	}
	c, err := a.settings()
	if err != nil {
		return err
	}
	file = cmp.Or(absolute(a.env.Dir, file), c.SignKey)
	may := func(ssh.PublicKey) error { return nil }
	if who, err := c.signers.Signers(); err == nil { // the file may only be on the other machine
		may = func(k ssh.PublicKey) error { _, err := who.May(st.By, k, st.At); return err }
	}
	tools := a.keyTools()
	if name == "-" {
		tools.Stdin = nil
	}
	key, err := tools.Find(ctx, file, may)
	if err != nil {
		return err
	}
	for _, line := range describeStatement(st) {
		a.note("toolcrib: %s", line)
	}
	a.note("toolcrib: signing as %s with %s; statement %.12s", st.By, keyName(key), statement.Sum(text))
	signature, err := tools.Sign(ctx, key, text)
	if err != nil {
		return err
	}
	doc := docSignature{
		docHead: head("signature"), Statement: statement.Sum(text), By: st.By, Verdict: string(statement.VerdictOf(st.Act)), Key: keyName(key),
		Signature: string(signature.Armor()),
	}
	return a.print(doc, func(p *page) { p.text("", doc.Signature) })
}

// describeStatement describes a statement, a line for each item.
func describeStatement(st statement.Statement) []string {
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
		return mapped(act.Tools, func(tool string) string {
			return fmt.Sprintf("%s of %s to %s", verdict, tool, cmp.Or(act.Tier, defaultTier))
		})
	case *statement.Signers:
		return []string{fmt.Sprintf("%s to state %d, %.12s", verdict, act.Number, act.State)}
	}
	return nil
}
