package catalog

import (
	"context"

	"github.com/spf13/cobra"

	"toolcrib/cli/command"
	"toolcrib/cli/document"
	"toolcrib/cli/output"
	"toolcrib/cli/process"
	"toolcrib/gateway/builtin"
	"toolcrib/registry"
)

type docResolution struct {
	output.Head
	Agent    string         `json:"agent"`
	Subject  string         `json:"subject"`
	Context  document.Where `json:"context"`
	Tools    []docChoice    `json:"tools"`
	Warnings []string       `json:"warnings"`
}

// docChoice is one tool and its resolution. Layer and the fields after it are
// empty for a tool that the registry lacks.
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
	// NotConnected reports that every call will fail until something can run it.
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
				return process.Usagef("name the agent: --agent ID")
			}
			return runResolve(cmd.Context(), a, agent, where.Context(!noDeferred), explain)
		},
	}
	f := cmd.Flags()
	f.StringVar(&agent, "agent", "", "the `ID` or subject of the agent")
	where.Register(f)
	f.BoolVar(&noDeferred, "no-deferred", false, "leave out deferred tools")
	f.BoolVar(&explain, "explain", false, "also list excluded tools, and give reasons")
	return cmd
}

func runResolve(ctx context.Context, a *command.App, agent string, where registry.Context, explain bool) error {
	desk, err := a.OpenDesk(ctx)
	if err != nil {
		return err
	}
	layer, err := a.Layer()
	if err != nil {
		return err
	}
	profile, res, err := desk.Impact.Toolset(ctx, agent, layer, where)
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
		if c.In || explain {
			choice := newDocChoice(c)
			if t := c.Entry.Definition.Tool; t != nil {
				choice.NotConnected = !connected(a, *t)
			}
			doc.Tools = append(doc.Tools, choice)
		}
	}
	for _, w := range res.Warnings {
		a.Note("toolcrib: %s", output.FullStop(w+"; it is skipped"))
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
			rows[i] = []string{inOrOut(c.In), c.Name, doc.Tools[i].Layer, c.Why()}
			if doc.Tools[i].NotConnected {
				rows[i][3] += ", not connected"
			}
		}
		p.List([]string{"", "TOOL", "LAYER", "WHY"}, rows)
		p.Remark("\n%s has %d of the %d tools that its allow-list speaks of.", profile.Subject, in, len(res.Choices))
	})
}

// connected reports whether anything is configured that could run a tool.
func connected(a *command.App, t registry.Tool) bool {
	if t.Provider == nil || t.Provider.Type != registry.ProviderMCP {
		return builtin.Connected(t)
	}
	_, ok := a.Config.Servers[t.Provider.Server]
	return ok
}

func inOrOut(in bool) string {
	if in {
		return "in"
	}
	return "out"
}

func newDocChoice(c registry.Choice) docChoice {
	doc := docChoice{ID: c.Name, In: c.In, Reason: string(c.Reason), Detail: c.Detail}
	t := c.Entry.Definition.Tool
	if t == nil {
		return doc
	}
	doc.Layer, doc.Kind, doc.Category = string(c.Entry.Subject.Layer), string(t.Kind), t.Category
	doc.Locked, doc.Deferred = c.Entry.Core(), t.DeferLoading
	if t.Approval != nil {
		doc.Approval = string(t.Approval.Tier)
	}
	return doc
}
