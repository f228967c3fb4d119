// Package sign implements the signers command, which manages the people who may sign decisions, and the sign command,
// which signs a statement on the machine with the key. A statement is the text about a decision that a user signs.
package sign

import (
	"cmp"

	"github.com/spf13/cobra"
	"golang.org/x/crypto/ssh"

	"toolcrib/cli/command"
	"toolcrib/cli/output"
	"toolcrib/cli/settings"
	"toolcrib/cli/signature"
	"toolcrib/signing/statement"
)

// Family returns the signers and sign commands.
func Family() command.Family {
	return command.Family{
		Commands: []command.Entry{
			{Group: command.GroupOther, New: newSigners},
			{Group: command.GroupOther, New: newSign},
		},
		Documents: map[string]any{
			"signature": docSignature{},
			"signers":   DocSigners{},
		},
	}
}

func newSign(a *command.App) *cobra.Command {
	var keyFile string
	cmd := &cobra.Command{
		Use:  "sign [FILE]",
		Args: command.ArgsBetween(0, 1, "the file of a statement"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, name := cmd.Context(), append(args, "-")[0]
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
			file := cmp.Or(settings.Absolute(a.Env.Dir, keyFile), c.SignKey)
			may := func(ssh.PublicKey) error { return nil }
			if who, err := c.Signers.Signers(); err == nil { // this machine may have no signers file
				may = func(k ssh.PublicKey) error { _, err := who.May(st.By, k, st.At); return err }
			}
			tools := signature.KeyTools(a)
			if name == "-" {
				tools.Stdin = nil
			}
			key, err := tools.Find(ctx, file, may)
			if err != nil {
				return err
			}
			for _, line := range signature.DescribeStatement(st) {
				a.Note("toolcrib: %s", line)
			}
			a.Note("toolcrib: signing as %s with %s; statement %.12s", st.By, signature.KeyName(key), statement.Sum(text))
			signed, err := tools.Sign(ctx, key, text)
			if err != nil {
				return err
			}
			doc := docSignature{
				Head: output.NewHead("signature"), Statement: statement.Sum(text), By: st.By, Verdict: string(statement.VerdictOf(st.Act)), Key: signature.KeyName(key),
				Signature: string(signed.Armor()),
			}
			return a.Print(doc, func(p *output.Page) { p.Text("", doc.Signature) })
		},
	}
	cmd.Flags().StringVar(&keyFile, "sign-key", "", signature.KeyUsage)
	return cmd
}

type docSignature struct {
	output.Head
	Statement string `json:"statement"` // SHA-256 of the statement
	By        string `json:"by"`
	Verdict   string `json:"verdict"`
	Key       string `json:"key"`
	Signature string `json:"signature"` // armored signature
}
