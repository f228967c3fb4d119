package catalog

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"toolcrib/cli/command"
	"toolcrib/cli/output"
	"toolcrib/cli/process"
	"toolcrib/review/reach/fact"
)

// docReach lists what live definitions can reach.
type docReach struct {
	output.Head
	Subjects []docReached `json:"subjects"`
}

type docReached struct {
	Subject string `json:"subject"`
	Version int    `json:"version"`
	// Facts are without sentences, which are the rest of the text.
	Facts []fact.Fact `json:"facts"`
}

func newReach(a *command.App) *cobra.Command {
	var kind string
	cmd := &cobra.Command{
		Use:  "reach [ID | SUBJECT]",
		Args: command.Between(0, 1, "at most an id or a subject"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runReach(cmd.Context(), a, strings.Join(args, ""), kind)
		},
	}
	cmd.Flags().StringVar(&kind, "kind", "", "only facts of `KIND`, such as out or secret")
	return cmd
}

func runReach(ctx context.Context, a *command.App, of, kind string) error {
	if kind != "" && (fact.Decisions{Warn: []string{kind + ":*"}}).Check() != nil {
		return process.Usagef("--kind is %q; write a kind of facts, such as out, secret, write, rights, run, or file", kind)
	}
	b, err := a.OpenSession(ctx)
	if err != nil {
		return err
	}
	found, err := b.Desk.Reading.Reach(ctx, of)
	if err != nil {
		return err
	}
	doc := docReach{Head: output.NewHead("reach"), Subjects: []docReached{}}
	var rows [][]string
	commands := 0
	for _, r := range found {
		one := docReached{Subject: r.Subject.String(), Version: r.Version, Facts: []fact.Fact{}}
		for _, g := range fact.ByKind(r.Facts) {
			if kind != "" && kind != string(g.Kind) {
				continue
			}
			one.Facts = append(one.Facts, g.Facts...)
			for _, f := range g.Facts {
				if f.Use == fact.Command {
					commands++
					continue
				}
				rows = append(rows, []string{string(f.Kind), f.Value, f.Use, one.Subject, fmt.Sprintf("%s:%d", f.Path, f.Line)})
			}
		}
		if len(one.Facts) > 0 {
			doc.Subjects = append(doc.Subjects, one)
		}
	}
	return a.Print(doc, func(p *output.Page) {
		p.List([]string{"KIND", "VALUE", "USE", "SUBJECT", "PLACE"}, rows)
		if commands > 0 {
			p.Remark("%s not listed; --json has them.", output.Counted(commands, "ordinary command"))
		}
	})
}
