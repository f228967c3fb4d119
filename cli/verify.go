package cli

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"toolcrib/history"
)

// docFindings is what lint, check and verify answer with.
type docFindings struct {
	Schema   int              `json:"schema"`
	Kind     string           `json:"kind"`
	OK       bool             `json:"ok"`
	Findings []docFinding     `json:"findings"`
	Counts   map[string]int64 `json:"counts,omitempty"`
}

func newVerify(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "verify",
		Short: "Recompute every hash chain and name what was tampered with",
		Long: `Read every version, event, revision, assessment, decision, waiver and comment,
recompute their seals, follow the chains, and compare the tables with each other
and the schema with the program's. The engine checks the file and its indexes.
Exit status 6 when anything is found, such as a changed core tool, with which no
other command opens the database. Nothing is repaired.`,
		Example: `  toolcrib verify
  toolcrib verify --json`,
		Args: exact(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error { return runVerify(cmd.Context(), a) },
	}
}

func runVerify(ctx context.Context, a *app) error {
	db, err := a.inspected(ctx)
	if err != nil {
		return err
	}
	var r history.Report
	err = db.Audit(ctx, func(l history.Ledger) error {
		var err error
		r, err = history.Verify(ctx, l, nil)
		return err
	})
	if err != nil {
		return err
	}
	return a.printReport(r)
}

func (a *app) printReport(r history.Report) error {
	doc := docFindings{Schema: schema, Kind: "findings", OK: len(r.Damage) == 0, Findings: []docFinding{}, Counts: r.Rows}
	for _, d := range r.Damage {
		doc.Findings = append(doc.Findings, docFinding{
			Rule: "V101", Severity: "block", Subject: strings.TrimSpace(d.Table + " " + d.Key), Path: d.Table, Message: d.Message,
			Suggestion: "Keep the file as it is and restore a copy from before.",
		})
	}
	err := a.print(doc, func(p *page) {
		for _, table := range slices.Sorted(maps.Keys(r.Rows)) {
			p.linef("%d %s", r.Rows[table], table)
		}
		for _, d := range r.Damage {
			key := d.Key
			if key == "" {
				key = d.Table
			}
			p.linef("%s: %s", key, d.Message)
		}
		if len(r.Damage) == 0 {
			p.raw(p.paint(inkGood, "Every chain is whole."))
			return
		}
		p.raw(p.paint(inkBad, "Damaged.") + " Keep the file as it is and restore a copy from before.")
	})
	if err == nil && len(r.Damage) > 0 {
		err = errFindings
	}
	return err
}
