package cli

import (
	"cmp"
	"context"
	"fmt"

	"github.com/spf13/cobra"
	"golang.org/x/crypto/ssh"

	"toolcrib/signing/statement"
)

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
