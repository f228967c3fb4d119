package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"toolcrib/internal/visible"
	"toolcrib/proposals"
	"toolcrib/review"
)

func newRebase(a *app) *cobra.Command {
	var source string
	cmd := &cobra.Command{
		Use:   "rebase ID",
		Short: "Rebase a stale proposal on the live version",
		Long: `Merge a proposal's changes onto the live version, by field and line, as a new
revision. If they conflict, show the conflicts and save nothing (exit status 4);
--source FILE then writes the merge with conflict markers, for toolcrib revise.`,
		Example: `  toolcrib rebase 4
  toolcrib rebase 4 --source merged.md`,
		Args: exact(1, "the number of a proposal"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runRebase(cmd.Context(), a, args[0], source)
		},
	}
	cmd.Flags().StringVar(&source, "source", "", "on conflict, write the merge to `FILE` (.md or .json)")
	return cmd
}

func runRebase(ctx context.Context, a *app, ref, source string) error {
	b, ids, err := a.openProposals(ctx, []string{ref})
	if err != nil {
		return err
	}
	p, err := b.desk.Rebase(ctx, b.actor, ids[0])
	var conflict *review.RebaseConflict
	if errors.As(err, &conflict) && source != "" {
		if writeErr := a.writeDraft(conflict.Draft, source); writeErr != nil {
			return writeErr
		}
		a.note("Wrote the merge to %s; resolve the conflicts and run: toolcrib revise %s %s", source, strings.TrimPrefix(ref, "#"), source)
	}
	return a.printMoved([]proposals.Proposal{p}, err)
}

// conflictLines shows each conflict for a person: the three sides of a value,
// or of each passage of a text.
func conflictLines(e *review.RebaseConflict) []string {
	var lines []string
	short := func(text string) string {
		if text == "" {
			return "nothing"
		}
		return fmt.Sprintf("%q", cut(text, 60))
	}
	for _, p := range e.Passages() {
		where := p.Path
		if p.Line > 0 {
			where += fmt.Sprintf(", line %d", p.Line)
		}
		lines = append(lines, fmt.Sprintf("%s: was %s, here %s, live %s", where, short(p.Base), short(p.Ours), short(p.Theirs)))
	}
	return lines
}

// writeDraft writes a draft to a file that is not there yet, in the form that
// its name asks for. "-" is standard output, in JSON: Markdown cannot show a
// hidden character and keep it.
func (a *app) writeDraft(d proposals.Draft, file string) error {
	text := d.JSON()
	if file == "-" {
		_, err := a.env.Out.Write(visible.JSON(text))
		return err
	}
	if err := a.folderOf(file); err != nil {
		return err
	}
	if strings.HasSuffix(strings.ToLower(file), ".md") || strings.HasSuffix(strings.ToLower(file), ".markdown") {
		var err error
		if text, err = d.Markdown(); err != nil {
			return fmt.Errorf("%s: %w; name a .json file instead", file, err)
		}
	}
	f, err := os.OpenFile(a.path(file), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		if os.IsExist(err) {
			return usagef("%s is there already; name a new file", file)
		}
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}
