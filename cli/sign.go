package cli

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/crypto/ssh"
	"golang.org/x/term"

	"toolcrib/cli/command"
	"toolcrib/cli/output"
	"toolcrib/cli/process"
	"toolcrib/cli/settings"
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

// sign returns the signed statement of an act, nil where nothing is signed.
// prepare returns the statement.
func sign(ctx context.Context, a *command.App, actor proposals.Actor, f signFlags, prepare func() ([]byte, error)) (*review.Signed, error) {
	if f.statement == "" && f.signature == "" {
		if needed, err := signs(ctx, a, f); err != nil || !needed {
			return nil, err
		}
	}
	return signAs(ctx, a, actor, f, prepare, func() (keys.Key, error) { return signingKey(ctx, a, actor, f.key) })
}

// signAs signs a statement with the key that find finds, or takes a statement and
// signature from the flags.
func signAs(ctx context.Context, a *command.App, actor proposals.Actor, f signFlags, prepare func() ([]byte, error), find func() (keys.Key, error)) (*review.Signed, error) {
	handed := f.statement != "" || f.signature != ""
	switch {
	case (f.statement == "") != (f.signature == ""):
		return nil, process.Usagef("--statement and --signature belong together: the statement that was signed, and its signature")
	case handed && (f.print || f.key != ""):
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

// signs reports whether acts are signed: where it is asked for, required, or has
// started.
func signs(ctx context.Context, a *command.App, f signFlags) (bool, error) {
	if a.Flags.DryRun && !f.print {
		return false, nil
	}
	if a.Remote != nil {
		return true, nil
	}
	c, err := a.Settings()
	if err != nil || f.key != "" || f.print || c.Signatures == settings.SignaturesRequired {
		return err == nil, err
	}
	desk, err := a.OpenDesk(ctx)
	if err != nil {
		return false, err
	}
	states, err := desk.SignersStates(ctx)
	return len(states) > 0, err
}

// handedIn reads a statement that was signed elsewhere.
func handedIn(ctx context.Context, a *command.App, f signFlags) (*review.Signed, error) {
	text, err := a.ReadAll(ctx, f.statement)
	if err != nil {
		return nil, err
	}
	if f.statement == "-" && f.signature == "-" {
		return splitSigned(text)
	}
	signature, err := a.ReadAll(ctx, f.signature)
	return &review.Signed{Statement: text, Signature: signature}, err
}

// splitSigned takes a statement apart from the signature that follows it.
func splitSigned(text []byte) (*review.Signed, error) {
	at := bytes.Index(text, []byte("-----BEGIN SSH SIGNATURE-----"))
	if at < 0 {
		return nil, process.Usagef("--statement - and --signature - read the statement and then its signature; there is no signature in standard input")
	}
	return &review.Signed{Statement: text[:at], Signature: text[at:]}, nil
}

// keyTools reach the keys of the user. ssh-keygen asks at the terminal.
func keyTools(a *command.App) keys.Tools {
	if a.Remote != nil {
		return keys.Tools{Dial: a.Remote.Forwarded, Stderr: a.Env.Err}
	}
	t := keys.Tools{Agent: a.Env.Getenv("SSH_AUTH_SOCK"), Stderr: a.Env.Err}
	if in, ok := a.Keyboard.(*os.File); ok && term.IsTerminal(int(in.Fd())) {
		t.Stdin = in
	}
	return t
}

// signingKey finds the key by which actor signs decisions.
func signingKey(ctx context.Context, a *command.App, actor proposals.Actor, file string) (keys.Key, error) {
	c, err := a.Settings()
	if err != nil {
		return keys.Key{}, err
	}
	who, err := c.Signers.Signers()
	if err != nil {
		return keys.Key{}, fmt.Errorf("%w: %w", review.ErrSigners, err)
	}
	return signingKeyOf(ctx, a, who, actor, file)
}

// signingKeyOf finds the key by which actor signs: of a file, of the configuration,
// or the first of the agent that may.
func signingKeyOf(ctx context.Context, a *command.App, who *signers.Signers, actor proposals.Actor, file string) (keys.Key, error) {
	file = cmp.Or(settings.Absolute(a.Env.Dir, file), a.Config.SignKey)
	now := a.Env.Now()
	may := func(k ssh.PublicKey) error {
		_, err := who.May(actor.String(), k, now)
		return err
	}
	key, err := keyTools(a).Find(ctx, file, may)
	if err == nil && key.Public != nil {
		if err := may(key.Public); err != nil {
			return key, fmt.Errorf("%w: %w", review.ErrSignature, err)
		}
	}
	return key, err
}

// signWith has a key sign a statement, and prints both before it asks for the key.
func signWith(ctx context.Context, a *command.App, key keys.Key, actor proposals.Actor, text []byte) (*review.Signed, error) {
	a.Note("toolcrib: signing as %s with %s; statement %.12s", actor, keyName(key), statement.Sum(text))
	return signQuietly(ctx, a, key, text)
}

// signQuietly has a key sign a statement.
func signQuietly(ctx context.Context, a *command.App, key keys.Key, text []byte) (*review.Signed, error) {
	signature, err := keyTools(a).Sign(ctx, key, text)
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
func deskFor(ctx context.Context, b command.Session, a *command.App, f signFlags, prepare func() ([]byte, error)) (*review.Desk, error) {
	signed, err := sign(ctx, a, b.Actor, f, prepare)
	if err != nil || signed == nil {
		return b.Desk, err
	}
	return b.Desk.Signed(*signed), nil
}

func newSign(a *command.App) *cobra.Command {
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
		Args: command.Between(0, 1, "the file of a statement"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runSign(cmd.Context(), a, append(args, "-")[0], key)
		},
	}
	cmd.Flags().StringVar(&key, "sign-key", "", "sign with the key in `FILE`: a private key, or a public key whose other half the SSH agent has")
	return cmd
}

type docSignature struct {
	output.Head
	Statement string `json:"statement"` // SHA-256 of it
	By        string `json:"by"`
	Verdict   string `json:"verdict"`
	Key       string `json:"key"`
	Signature string `json:"signature"` // armored
}

func runSign(ctx context.Context, a *command.App, name, file string) error {
	text, err := a.ReadAll(ctx, name)
	if err != nil {
		return err
	}
	st, err := statement.Decode(text)
	if err != nil {
		return err
	}
	c, err := a.Settings()
	if err != nil {
		return err
	}
	file = cmp.Or(settings.Absolute(a.Env.Dir, file), c.SignKey)
	may := func(ssh.PublicKey) error { return nil }
	if who, err := c.Signers.Signers(); err == nil { // the file may only be on the other machine
		may = func(k ssh.PublicKey) error { _, err := who.May(st.By, k, st.At); return err }
	}
	tools := keyTools(a)
	if name == "-" {
		tools.Stdin = nil
	}
	key, err := tools.Find(ctx, file, may)
	if err != nil {
		return err
	}
	for _, line := range describeStatement(st) {
		a.Note("toolcrib: %s", line)
	}
	a.Note("toolcrib: signing as %s with %s; statement %.12s", st.By, keyName(key), statement.Sum(text))
	signature, err := tools.Sign(ctx, key, text)
	if err != nil {
		return err
	}
	doc := docSignature{
		Head: output.NewHead("signature"), Statement: statement.Sum(text), By: st.By, Verdict: string(statement.VerdictOf(st.Act)), Key: keyName(key),
		Signature: string(signature.Armor()),
	}
	return a.Print(doc, func(p *output.Page) { p.Text("", doc.Signature) })
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
		return output.Mapped(act.Tools, func(tool string) string {
			return fmt.Sprintf("%s of %s to %s", verdict, tool, cmp.Or(act.Tier, defaultTier))
		})
	case *statement.Signers:
		return []string{fmt.Sprintf("%s to state %d, %.12s", verdict, act.Number, act.State)}
	}
	return nil
}
