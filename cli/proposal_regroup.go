package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"toolcrib/proposals"
)

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
	moved, err := b.desk.Regroup(ctx, b.actor, ids, into)
	if err != nil {
		return err
	}
	return a.printMoved(moved)
}
