package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review/intake"
	"toolcrib/store"
)

func newAssign(a *app) *cobra.Command {
	var to string
	cmd := &cobra.Command{
		Use:   "assign TOOL… --to NAME",
		Short: "Propose tools for an agent or an allow-list",
		Long: `Draft and submit a proposal that adds tools to an agent or an allow-list. NAME
is an id or a subject. If the agent refers to a list by name, the proposal
changes the list for every agent that refers to it.

Nothing goes live before approval.`,
		Example: `  toolcrib assign scene_pacer --to author
  toolcrib assign get_tasks get_reminders --to list:global/supervisor`,
		Args: some("ids of tools"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if to == "" {
				return usagef("name the agent or the allow-list: --to NAME")
			}
			return runAssign(cmd.Context(), a, args, to)
		},
	}
	cmd.Flags().StringVar(&to, "to", "", "the agent or the allow-list `NAME`, or its subject")
	return cmd
}

func runAssign(ctx context.Context, a *app, names []string, to string) error {
	b, err := a.openSession(ctx)
	if err != nil {
		return err
	}
	ids := make([]string, len(names))
	for i, name := range names {
		if ids[i], err = a.toolID(ctx, name); err != nil {
			return err
		}
	}
	holder, err := a.holder(ctx, to)
	if err != nil {
		return err
	}
	draft, ok := intake.Assign(holder, ids)
	if !ok {
		return fmt.Errorf("%s names %s already", holder.Subject, strings.Join(ids, ", "))
	}
	return a.printMoved(b.desk.Propose(ctx, b.actor, []proposals.Draft{draft}, true))
}

// toolID returns the id of the live tool with a name.
func (a *app) toolID(ctx context.Context, name string) (string, error) {
	db, view, err := a.databaseView(ctx)
	if err != nil {
		return "", err
	}
	e, _, err := db.Find(ctx, store.CatalogQuery{Kind: registry.KindTool, View: view}, name)
	return e.Subject.ID, err
}

// holder returns the agent or the allow-list that a name means: a list where the
// agent refers to one.
func (a *app) holder(ctx context.Context, name string) (registry.Live, error) {
	db, view, err := a.databaseView(ctx)
	if err != nil {
		return registry.Live{}, err
	}
	find := func(kind registry.Kind, ref string) (registry.Live, error) {
		e, text, err := db.Find(ctx, store.CatalogQuery{Kind: kind, View: view}, ref)
		if err != nil {
			return registry.Live{}, err
		}
		return liveOf(store.Exported{CatalogEntry: e, Definition: text})
	}
	if s, err := registry.ParseSubject(name); err == nil && s.Kind == registry.KindList {
		return find(registry.KindList, name)
	}
	agent, err := find(registry.KindAgent, name)
	if err != nil {
		list, missing := find(registry.KindList, name)
		if missing == nil {
			return list, nil
		}
		return registry.Live{}, notFoundf("agent or allow-list %s", name)
	}
	if list := agent.Definition.Agent.AllowList; list != nil && list.Reference() {
		return find(registry.KindList, list.Name)
	}
	return agent, nil
}
