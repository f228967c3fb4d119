// This file implements the resolve and reach commands.

package catalog

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"toolcrib/cli/command"
	"toolcrib/cli/document"
	"toolcrib/cli/output"
	"toolcrib/cli/process"
	"toolcrib/gateway/builtin"
	"toolcrib/registry"
	"toolcrib/review/reach/fact"
)

type docResolution struct {
	output.Head
	Agent    string         `json:"agent"`
	Subject  string         `json:"subject"`
	Context  document.Where `json:"context"`
	Tools    []docChoice    `json:"tools"`
	Warnings []string       `json:"warnings"`
}

// docChoice reports whether a tool is available to the agent, and the reason. Layer and the fields after it are empty
// if the registry does not contain the tool.
type docChoice struct {
	ID       string `json:"id"`
	In       bool   `json:"in"`
	Reason   string `json:"reason"`
	Detail   string `json:"detail,omitempty"`
	Layer    string `json:"layer,omitempty"`
	Kind     string `json:"kind,omitempty"`
	Category string `json:"category,omitempty"`
	Approval string `json:"approval,omitempty"`
	Locked   bool   `json:"locked"`
	Deferred bool   `json:"deferred"`
	// NotConnected is true if no provider is configured for the tool, so every call of the tool fails.
	NotConnected bool `json:"not_connected,omitempty"`
}

func newResolve(a *command.App) *cobra.Command {
	var agent string
	var where command.WhereFlags
	var noDeferred, explain bool
	cmd := &cobra.Command{
		Use: "resolve --agent A",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if agent == "" {
				return process.Usagef("specify the agent with --agent ID")
			}
			ctx, where := cmd.Context(), where.Context(!noDeferred)
			desk, err := a.OpenDesk(ctx)
			if err != nil {
				return err
			}
			profile, res, err := desk.Impact.Toolset(ctx, agent, a.Config.Layer, where)
			if err != nil {
				return err
			}
			doc := docResolution{
				Head: output.NewHead("resolution"), Agent: profile.Subject.ID, Subject: profile.Subject.String(),
				Context: document.NewWhere(where), Tools: []docChoice{}, Warnings: append([]string{}, res.Warnings...),
			}
			in := 0
			for _, c := range res.Choices {
				if c.In {
					in++
				}
				if !c.In && !explain {
					continue
				}
				choice := docChoice{ID: c.Name, In: c.In, Reason: string(c.Reason), Detail: c.Detail}
				if t := c.Entry.Definition.Tool; t != nil {
					choice.Layer, choice.Kind, choice.Category = string(c.Entry.Subject.Layer), string(t.Kind), t.Category
					choice.Locked, choice.Deferred = c.Entry.Core(), t.DeferLoading
					if t.Approval != nil {
						choice.Approval = string(t.Approval.Tier)
					}
					connected := builtin.Connected(*t)
					if t.Provider != nil && t.Provider.Type == registry.ProviderMCP {
						_, connected = a.Config.Servers[t.Provider.Server]
					}
					choice.NotConnected = !connected
				}
				doc.Tools = append(doc.Tools, choice)
			}
			for _, w := range res.Warnings {
				a.Note("toolcrib: %s", output.FullStop(w+"; the entry is skipped"))
			}
			return a.Print(doc, func(p *output.Page) {
				if !explain {
					for _, t := range doc.Tools {
						p.Linef("%s", t.ID)
					}
					return
				}
				rows := make([][]string, len(res.Choices))
				for i, c := range res.Choices {
					rows[i] = []string{map[bool]string{true: "in", false: "out"}[c.In], c.Name, doc.Tools[i].Layer, c.Why()}
					if doc.Tools[i].NotConnected {
						rows[i][3] += ", not connected"
					}
				}
				p.List([]string{"", "TOOL", "LAYER", "WHY"}, rows)
				p.Remark("\n%s has %d of the %d tools in its allow-list.", profile.Subject, in, len(res.Choices))
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&agent, "agent", "", "the `ID` or subject of the agent")
	where.Register(f)
	f.BoolVar(&noDeferred, "no-deferred", false, "leave out deferred tools")
	f.BoolVar(&explain, "explain", false, "also list excluded tools, and give reasons")
	return cmd
}

// docReach lists the reach of each live definition. Reach means the facts about the data and programs that an agent can
// access, change, or run because of the definition.
type docReach struct {
	output.Head
	Subjects []docReached `json:"subjects"`
}

type docReached struct {
	Subject string `json:"subject"`
	Version int    `json:"version"`
	// Facts lists the facts by kind. Facts that quote whole sentences of the definition are omitted.
	Facts []fact.Fact `json:"facts"`
}

func newReach(a *command.App) *cobra.Command {
	var kind string
	cmd := &cobra.Command{
		Use:  "reach [ID | SUBJECT]",
		Args: command.ArgsBetween(0, 1, "at most one id or subject"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			if kind != "" && (fact.Decisions{Warn: []string{kind + ":*"}}).Check() != nil {
				return process.Usagef("--kind is %q: use a kind of fact, such as out, secret, write, rights, run, or file", kind)
			}
			b, err := a.OpenSession(ctx)
			if err != nil {
				return err
			}
			found, err := b.Desk.Reading.Reach(ctx, strings.Join(args, ""))
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
				if len(rows) > 0 {
					p.List([]string{"KIND", "VALUE", "USE", "SUBJECT", "PLACE"}, rows)
				} else {
					p.Remark("No facts.")
				}
				if commands > 0 {
					p.Remark("%s not listed; --json lists them.", output.Counted(commands, "ordinary command"))
				}
			})
		},
	}
	cmd.Flags().StringVar(&kind, "kind", "", "only facts of `KIND`, such as out or secret")
	return cmd
}
