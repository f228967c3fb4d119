package cli

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"toolcrib/history"
	"toolcrib/review/intake"
	"toolcrib/tui"
)

// verifyJob recomputes every chain for the workbench.
func (a *app) verifyJob(ctx context.Context, tell tui.Tell) ([]string, error) {
	total, err := a.db.Rows(ctx)
	if err != nil {
		return nil, err
	}
	r, err := verified(ctx, a.db, nil, history.Options{Progress: verifying(total, tell)})
	if err != nil {
		return nil, err
	}
	var lines []string
	for _, d := range r.Damage {
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s %s: %s %s", d.Table, d.Key, d.Message, d.Remedy)))
	}
	for _, n := range r.Notes {
		lines = append(lines, fmt.Sprintf("%s %s: %s Nothing is damaged.", n.Table, n.Key, n.Message))
	}
	if len(r.Damage) == 0 {
		lines = append(lines, "Every chain is whole.")
	} else {
		lines = append(lines, r.verdict())
	}
	for _, table := range slices.Sorted(maps.Keys(r.Rows)) {
		lines = append(lines, fmt.Sprintf("%d %s", r.Rows[table], table))
	}
	if r.signatures != nil {
		lines = append(lines, r.signatures.lines()...)
	}
	return lines, nil
}

// importJob proposes what a file says about tools, as `toolcrib import` does.
func (a *app) importJob(ctx context.Context, file string, tell tui.Tell) ([]string, error) {
	tell(0, 0, "Reading "+file)
	data, err := a.readAll(ctx, file)
	if err != nil {
		return nil, err
	}
	taken, err := importFlags{tell: tell}.take(ctx, a, file, data, nil)
	if err != nil {
		return nil, err
	}
	counts := map[intake.Change]int{}
	for _, s := range taken.steps {
		counts[s.Change]++
	}
	lines := []string{fmt.Sprintf("%d definitions: %d new, %d changed, %d vanished, %d unchanged, %d proposed before, %d skipped.", len(taken.steps),
		counts[intake.New], counts[intake.Modify], counts[intake.Deactivate], counts[intake.None], counts[intake.Pending], counts[intake.Skip])}
	for _, p := range taken.made {
		lines = append(lines, fmt.Sprintf("#%d %s %s", p.Issue, p.Type, p.Subject))
	}
	return lines, nil
}
