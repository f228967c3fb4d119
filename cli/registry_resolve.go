package cli

import (
	"context"

	"github.com/spf13/cobra"

	"toolcrib/gateway/builtin"
	"toolcrib/registry"
)

type docResolution struct {
	docHead
	Agent    string      `json:"agent"`
	Subject  string      `json:"subject"`
	Context  docWhere    `json:"context"`
	Tools    []docChoice `json:"tools"`
	Warnings []string    `json:"warnings"`
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

func newResolve(a *app) *cobra.Command {
	var agent string
	var where whereFlags
	var noDeferred, explain bool
	cmd := &cobra.Command{
		Use:   "resolve --agent A",
		Short: "List the tools that an agent has",
		Long: `List the tools of an agent: its allow-list, expanded through the live registry,
in a context. --explain adds the excluded tools and the reason for every tool.

Names that the registry lacks are skipped with a warning. An empty result is an
error: an agent never falls back to all tools.`,
		Example: `  toolcrib resolve --agent assistant
  toolcrib resolve --agent assistant --explain --json`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if agent == "" {
				return usagef("name the agent: --agent ID")
			}
			return runResolve(cmd.Context(), a, agent, where.context(!noDeferred), explain)
		},
	}
	f := cmd.Flags()
	f.StringVar(&agent, "agent", "", "the `ID` or subject of the agent")
	where.register(f)
	f.BoolVar(&noDeferred, "no-deferred", false, "leave out deferred tools")
	f.BoolVar(&explain, "explain", false, "also list excluded tools, with reasons")
	return cmd
}

func runResolve(ctx context.Context, a *app, agent string, where registry.Context, explain bool) error {
	desk, err := a.openDesk(ctx)
	if err != nil {
		return err
	}
	layer, err := a.layer()
	if err != nil {
		return err
	}
	profile, res, err := desk.Toolset(ctx, agent, layer, where)
	if err != nil {
		return err
	}
	doc := docResolution{
		docHead: head("resolution"), Agent: profile.Subject.ID, Subject: profile.Subject.String(),
		Context: newDocWhere(where), Tools: []docChoice{}, Warnings: append([]string{}, res.Warnings...),
	}
	in := 0
	for _, c := range res.Choices {
		if c.In {
			in++
		}
		if c.In || explain {
			choice := newDocChoice(c)
			if t := c.Entry.Definition.Tool; t != nil {
				choice.NotConnected = !a.connected(*t)
			}
			doc.Tools = append(doc.Tools, choice)
		}
	}
	for _, w := range res.Warnings {
		a.note("toolcrib: %s", stop(w+"; it is skipped"))
	}
	return a.print(doc, func(p *page) {
		if !explain {
			for _, t := range doc.Tools {
				p.linef("%s", t.ID)
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
		p.list([]string{"", "TOOL", "LAYER", "WHY"}, rows)
		p.remark("\n%s has %d of the %d tools that its allow-list speaks of.", profile.Subject, in, len(res.Choices))
	})
}

// connected reports whether anything is configured that could run a tool.
func (a *app) connected(t registry.Tool) bool {
	if t.Provider == nil || t.Provider.Type != registry.ProviderMCP {
		return builtin.Connected(t)
	}
	_, ok := a.config.Servers[t.Provider.Server]
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
