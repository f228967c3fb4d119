// This file implements the comment, fork, rollback, regroup, and assign commands.

package proposal

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"toolcrib/cli/command"
	"toolcrib/cli/output"
	"toolcrib/cli/process"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/review/intake"
	"toolcrib/store/catalog"
)

func newComment(a *command.App) *cobra.Command {
	var note command.NoteFlags
	var at review.Anchor
	cmd := &cobra.Command{
		Use:  "comment ID --note TEXT",
		Args: command.ExactArgs(1, "the number of a proposal (the text follows --note)"),
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := note.Read(cmd.Context(), a)
			if err != nil {
				return err
			}
			b, ids, err := a.OpenProposals(cmd.Context(), args)
			if err != nil {
				return err
			}
			c, err := b.Desk.Drafting.Comment(cmd.Context(), b.Actor, ids[0], text, at)
			if err != nil {
				return err
			}
			return a.Print(docCommentMade{Head: output.NewHead("comment"), Proposal: string(c.Proposal), Comment: c}, func(p *output.Page) {
				p.Linef("%s  commented on (%s)", asTyped(args[0]), c.ID)
				a.Closing(p)
			})
		},
	}
	note.Register(cmd.Flags())
	cmd.Flags().StringVar(&at.Field, "field", "", "attach the comment to the field at `PATH`, such as definition.prompt, or to a file of a skill")
	cmd.Flags().IntVar(&at.Line, "line", 0, "attach the comment to line `N` of the field")
	cmd.Flags().IntVar(&at.Revision, "revision", 0, "attach the comment to revision `N` (default: the current revision)")
	return cmd
}

type docCommentMade struct {
	output.Head
	Proposal string            `json:"proposal"`
	Comment  proposals.Comment `json:"comment"`
}

func newFork(a *command.App) *cobra.Command {
	var layer string
	cmd := &cobra.Command{
		Use:  "fork CORE_ID",
		Args: command.ExactArgs(1, "the id of a core tool"),
		RunE: a.InSession(func(ctx context.Context, b command.Session, args []string) error {
			into := a.Config.Layer
			if layer != "" {
				var err error
				if into, err = registry.ParseLayer(layer); err != nil {
					return err
				}
			}
			p, err := b.Desk.Drafting.Fork(ctx, b.Actor, args[0], into)
			if err := printMoved(a, []proposals.Proposal{p}, err); err != nil {
				return err
			}
			a.Note("next: run toolcrib show %s --source fork.json; add rationale, examples, and testCases to the file; run toolcrib revise %s fork.json; and run toolcrib submit %s", p.ID, p.ID, p.ID)
			return nil
		}),
	}
	cmd.Flags().StringVar(&layer, "layer", "", "draft the tool in `LAYER` (default: user, or the layer of the project)")
	return cmd
}

func newRollback(a *command.App) *cobra.Command {
	var note command.NoteFlags
	var submit bool
	cmd := &cobra.Command{
		Use: "rollback {SUBJECT VERSION | set:NAME}",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				if _, isSet := review.ChangeSetRef(args[0]); isSet {
					return command.ExactArgs(1, "a change set")(cmd, args)
				}
			}
			return command.ExactArgs(2, "a subject and the number of a version")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			rationale, err := note.Read(ctx, a)
			if err != nil {
				return err
			}
			b, err := a.OpenSession(ctx)
			if err != nil {
				return err
			}
			if set, isSet := review.ChangeSetRef(args[0]); isSet {
				made, err := b.Desk.Drafting.RollbackSet(ctx, b.Actor, set, rationale)
				return printMoved(a, made, err)
			}
			subject, err := a.Subject(ctx, args[0])
			if err != nil {
				return err
			}
			version, err := command.ParseVersion(args[1])
			if err != nil {
				return err
			}
			p, err := b.Desk.Drafting.Rollback(ctx, b.Actor, subject, version, rationale)
			if err == nil && submit && !a.Flags.DryRun {
				p, err = b.Desk.Drafting.Submit(ctx, b.Actor, p.ID)
			}
			return printMoved(a, []proposals.Proposal{p}, err)
		},
	}
	note.Register(cmd.Flags())
	cmd.Flags().BoolVar(&submit, "submit", false, "submit the draft at once")
	return cmd
}

func newRegroup(a *command.App) *cobra.Command {
	var into string
	var alone bool
	cmd := &cobra.Command{
		Use:  "regroup ID… {--into NAME | --alone}",
		Args: command.AtLeastOneArg("numbers of proposals, or - for standard input"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if alone == (into != "") {
				return process.Usagef("use either --into NAME or --alone")
			}
			ctx := cmd.Context()
			b, err := a.OpenSession(ctx)
			if err != nil {
				return err
			}
			var ids []proposals.ID
			for _, ref := range args {
				set, isSet := strings.CutPrefix(ref, "set:")
				var found []proposals.ID
				if isSet {
					found, err = b.Desk.Reading.OpenMembers(ctx, set)
				} else {
					found, err = a.IDs(ctx, b.Desk, []string{ref})
				}
				if err != nil {
					return err
				}
				ids = append(ids, found...)
			}
			made, err := b.Desk.Drafting.Regroup(ctx, b.Actor, ids, into)
			return printMoved(a, made, err)
		},
	}
	cmd.Flags().StringVar(&into, "into", "", "move the proposals into the change set `NAME`")
	cmd.Flags().BoolVar(&alone, "alone", false, "take each proposal out of its change set")
	return cmd
}

func newAssign(a *command.App) *cobra.Command {
	var to string
	cmd := &cobra.Command{
		Use:  "assign TOOL… --to NAME",
		Args: command.AtLeastOneArg("ids of tools"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if to == "" {
				return process.Usagef("select the agent or the allow-list with --to NAME")
			}
			ctx := cmd.Context()
			b, err := a.OpenSession(ctx)
			if err != nil {
				return err
			}
			ids := make([]string, len(args))
			for i, name := range args {
				e, _, err := a.DB.Find(ctx, catalog.Query{Kind: registry.KindTool, View: a.Config.Layer.View()}, name)
				if err != nil {
					return err
				}
				ids[i] = e.Subject.ID
			}
			holder, err := holder(ctx, a, to)
			if err != nil {
				return err
			}
			draft, ok := intake.Assign(holder, ids)
			if !ok {
				return fmt.Errorf("%s already lists %s", holder.Subject, strings.Join(ids, ", "))
			}
			made, err := b.Desk.Drafting.Propose(ctx, b.Actor, []proposals.Draft{draft}, true)
			return printMoved(a, made, err)
		},
	}
	cmd.Flags().StringVar(&to, "to", "", "the agent or the allow-list `NAME`, or its subject")
	return cmd
}

// holder returns the definition that lists the tools of the agent or allow-list called name. For an agent that refers
// to a shared allow-list, this is the allow-list.
func holder(ctx context.Context, a *command.App, name string) (registry.Live, error) {
	find := func(kind registry.Kind, ref string) (registry.Live, error) {
		e, text, err := a.DB.Find(ctx, catalog.Query{Kind: kind, View: a.Config.Layer.View()}, ref)
		if err != nil {
			return registry.Live{}, err
		}
		return command.LiveOf(catalog.Exported{Entry: e, Definition: text})
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
		return registry.Live{}, command.NotFoundf("agent or allow-list %s", name)
	}
	if list := agent.Definition.Agent.AllowList; list != nil && list.Reference() {
		return find(registry.KindList, list.Name)
	}
	return agent, nil
}
