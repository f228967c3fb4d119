package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/review/intake"
	"toolcrib/store"
)

func newComment(a *app) *cobra.Command {
	var note noteFlags
	var at review.Anchor
	cmd := &cobra.Command{
		Use:   "comment ID --note TEXT",
		Short: "Comment on a proposal",
		Long: `Add a comment to the thread of a proposal, for its author, the Chief of Staff,
and the user. --field and --line anchor it to a passage.

Comments are permanent. They decide nothing and change no state.`,
		Example: `  toolcrib comment 4 --note "Which harbour is meant?"
  toolcrib comment 4 --field definition.prompt --line 1 --note-file remark.txt`,
		Args: exact(1, "the number of a proposal"),
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := note.read(cmd.Context(), a)
			if err != nil {
				return err
			}
			b, ids, err := a.openProposals(cmd.Context(), args)
			if err != nil {
				return err
			}
			c, err := b.desk.Comment(cmd.Context(), b.actor, ids[0], text, at)
			if err != nil {
				return err
			}
			return a.print(docCommentMade{docHead: head("comment"), Proposal: string(c.Proposal), Comment: newDocComment(c)}, func(p *page) {
				p.linef("%s  commented on (%s)", asTyped(args[0]), c.ID)
				a.closing(p)
			})
		},
	}
	note.register(cmd.Flags())
	cmd.Flags().StringVar(&at.Field, "field", "", "anchor it to the field at `PATH`, such as definition.prompt")
	cmd.Flags().IntVar(&at.Line, "line", 0, "anchor it to line `N` of the field")
	cmd.Flags().IntVar(&at.Revision, "revision", 0, "anchor it to revision `N` (default: the current one)")
	return cmd
}

type docCommentMade struct {
	docHead
	Proposal string     `json:"proposal"`
	Comment  docComment `json:"comment"`
}

func newFork(a *app) *cobra.Command {
	var layer string
	cmd := &cobra.Command{
		Use:   "fork CORE_ID",
		Short: "Draft your own tool from a core tool",
		Long: `Draft a new tool with the content of a core tool, under the id CORE_ID_custom,
in the user's layer or, with --project, in the project's. Complete the draft
(toolcrib show ID --source FILE, toolcrib revise ID FILE) and submit it.

The core tool does not change. The draft goes live only after approval.`,
		Example: `  toolcrib fork file_reader
  toolcrib fork line_editor --project novel`,
		Args: exact(1, "the id of a core tool"),
		RunE: func(cmd *cobra.Command, args []string) error {
			b, err := a.openSession(cmd.Context())
			if err != nil {
				return err
			}
			into, err := a.layer()
			if err != nil {
				return err
			}
			if layer != "" {
				if into, err = registry.ParseLayer(layer); err != nil {
					return err
				}
			}
			p, err := b.desk.Fork(cmd.Context(), b.actor, args[0], into)
			if err := a.printMoved([]proposals.Proposal{p}, err); err != nil {
				return err
			}
			a.note("next: toolcrib show %s --source fork.json, add rationale, examples and testCases, toolcrib revise %s fork.json, toolcrib submit %s", p.ID, p.ID, p.ID)
			return nil
		},
	}
	cmd.Flags().StringVar(&layer, "layer", "", "draft it in `LAYER` instead")
	return cmd
}

func newRollback(a *app) *cobra.Command {
	var note noteFlags
	var submit bool
	cmd := &cobra.Command{
		Use:   "rollback SUBJECT VERSION",
		Short: "Propose an earlier version again",
		Long: `Draft a proposal of type restore, which makes an earlier version the next one.
It goes through the same review as every change. No version is removed.`,
		Example: `  toolcrib rollback tool:user/scene_pacer 1
  toolcrib rollback tool:user/scene_pacer 1 --submit --note "The longer report is not read."`,
		Args: exact(2, "a subject and the number of a version"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			subject, err := a.subject(ctx, args[0])
			if err != nil {
				return err
			}
			version, err := parseVersion(args[1])
			if err != nil {
				return err
			}
			rationale, err := note.read(ctx, a)
			if err != nil {
				return err
			}
			b, err := a.openSession(ctx)
			if err != nil {
				return err
			}
			p, err := b.desk.Rollback(ctx, b.actor, subject, version, rationale)
			if err == nil && submit && !a.flags.dryRun {
				p, err = b.desk.Submit(ctx, b.actor, p.ID)
			}
			return a.printMoved([]proposals.Proposal{p}, err)
		},
	}
	note.register(cmd.Flags())
	cmd.Flags().BoolVar(&submit, "submit", false, "submit it at once")
	return cmd
}

func newRegroup(a *app) *cobra.Command {
	var into string
	var alone bool
	cmd := &cobra.Command{
		Use:   "regroup ID… {--into NAME | --alone}",
		Short: "Move open proposals into another change set, or out of theirs",
		Long: `Move open proposals into another change set, or out of theirs. After one member
was rejected, nothing else of its set can be approved: regroup the rest into a
new set, or let each stand alone. set:NAME means the open members of a set. Each
proposal gets a new revision with the same content, which is reviewed again.`,
		Example: `  toolcrib regroup set:rollout --into rollout-2
  toolcrib regroup '#12' --alone`,
		Args: some("numbers of proposals, or - for standard input"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if alone == (into != "") {
				return usagef("say where to: --into NAME or --alone")
			}
			return runRegroup(cmd.Context(), a, args, into)
		},
	}
	cmd.Flags().StringVar(&into, "into", "", "move them into the change set `NAME`")
	cmd.Flags().BoolVar(&alone, "alone", false, "take each out of its change set")
	return cmd
}

func runRegroup(ctx context.Context, a *app, refs []string, into string) error {
	b, err := a.openSession(ctx)
	if err != nil {
		return err
	}
	var ids []proposals.ID
	for _, ref := range refs {
		set, isSet := strings.CutPrefix(ref, "set:")
		var found []proposals.ID
		if isSet {
			found, err = b.desk.OpenMembers(ctx, set)
		} else {
			found, err = a.ids(ctx, b.desk, []string{ref})
		}
		if err != nil {
			return err
		}
		ids = append(ids, found...)
	}
	made, err := b.desk.Regroup(ctx, b.actor, ids, into)
	return a.printMoved(made, err)
}

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
	made, err := b.desk.Propose(ctx, b.actor, []proposals.Draft{draft}, true)
	return a.printMoved(made, err)
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
