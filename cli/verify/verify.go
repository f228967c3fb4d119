// Package verify has the commands that check the history, and that make, publish and
// check checkpoints of it.
package verify

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"toolcrib/cli/command"
	"toolcrib/cli/output"
	"toolcrib/cli/report"
	"toolcrib/history"
	"toolcrib/history/workspace"
	"toolcrib/signing/checkpoint"
	"toolcrib/store"
	"toolcrib/tui"
)

// Verification is the outcome of verify.
type Verification struct {
	history.Report
	Signatures *report.Signatures // nil before signing has started
}

func newVerify(a *command.App) *cobra.Command {
	var f verifyFlags
	cmd := &cobra.Command{
		Use: "verify",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.NamePages(cmd.Context(), runVerify(cmd.Context(), a, f))
		},
	}
	cmd.Flags().BoolVar(&f.deep, "deep", false, "also check every page and index of the database file")
	cmd.Flags().StringArrayVar(&f.checkpoints, "checkpoint", nil, "the `FILE` with a checkpoint that the database must extend, - for standard input; can be repeated")
	cmd.Flags().StringVar(&f.key, "checkpoint-key", "", "`FILE` with the public half of the key that signed it (default: your own, if there is one)")
	return cmd
}

// verifyFlags are the flags of verify.
type verifyFlags struct {
	deep        bool
	checkpoints []string
	key         string
}

func runVerify(ctx context.Context, a *command.App, f verifyFlags) error {
	kept, err := readCheckpoints(ctx, a, f.checkpoints, f.key)
	if err != nil {
		return err
	}
	db, err := a.Inspected(ctx)
	if err != nil {
		return err
	}
	checker := checkerOf(kept)
	p := a.Progress()
	o := history.Options{Deep: f.deep}
	if p != nil {
		total, err := db.Rows(ctx)
		if err != nil {
			total = 0 // the length is not known, which a damaged file may cause
		}
		o.Progress = Verifying(total, p.Tell)
	}
	r, err := Verified(ctx, db, checker, o)
	p.End()
	if err != nil {
		return err
	}
	extended(&r, kept, checker)
	return PrintReport(a, r, kept)
}

// Verifying adds up how many rows of all tables were verified, of so many.
func Verifying(total int64, tell tui.Tell) func(table string, rows int64) {
	rows := map[string]int64{}
	return func(table string, n int64) {
		rows[table] = n
		done := int64(0)
		for _, n := range rows {
			done += n
		}
		tell(done, max(done, total), "Recomputing the seals of "+table)
	}
}

// Verified verifies the database, and the snapshot files in the folders that are
// attached to it. Files that the database does not know are left to drift: the
// folder may be ahead of a copy of the database.
// A checker, which may be nil, sees the log.
func Verified(ctx context.Context, db *store.DB, checker *checkpoint.Checker, o history.Options) (Verification, error) {
	var r Verification
	err := db.Audit(ctx, func(l history.Ledger) error {
		if checker != nil {
			l = watched{l, checker}
		}
		var err error
		r.Report, err = history.Verify(ctx, l, o)
		return err
	})
	if err == nil {
		err = r.addSignatures(ctx, db)
	}
	if err != nil {
		return r, err
	}
	dirs, err := db.Workspaces().Folders(ctx)
	if err != nil {
		return r, damagedOr(err, len(r.Damage))
	}
	for _, dir := range dirs {
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			continue // the folder was moved or is not mounted
		}
		faults, err := workspace.CheckSnapshots(ctx, db.Workspaces(), dir)
		if err != nil {
			return r, damagedOr(err, len(r.Damage))
		}
		for _, f := range faults {
			if f.Kind != workspace.Foreign {
				r.Damage = append(r.Damage, history.Damage{
					Table: "workspaces", Key: filepath.Join(dir, filepath.FromSlash(f.File)),
					Message: fmt.Sprintf("The file of %s version %d was %s.", f.Subject, f.Version, word(f.Kind)),
				})
			}
		}
	}
	return r, nil
}

// addSignatures checks the signatures. Where rows are damaged, which is reported
// already, they may not be readable.
func (r *Verification) addSignatures(ctx context.Context, db *store.DB) error {
	s, err := db.CheckSignatures(ctx)
	if err != nil {
		return damagedOr(err, len(r.Damage))
	}
	r.Damage = append(r.Damage, s.Damage...)
	if s.Started || len(s.Damage) > 0 {
		r.Signatures = &report.Signatures{
			Signed: s.Signed, UnsignedBefore: s.UnsignedBefore, Unsigned: s.Unsigned, UnknownKey: s.UnknownKey, RevokedKey: s.RevokedKey,
			TooFew: s.TooFew, Invalid: s.Invalid,
		}
	}
	return nil
}

// damagedOr returns err unless damage was found already, which explains it.
func damagedOr(err error, damage int) error {
	if damage > 0 {
		return nil
	}
	return err
}

// word returns what happened to a file.
func word(k workspace.FaultKind) string {
	if k == workspace.Missing {
		return "removed"
	}
	return string(k)
}

func PrintReport(a *command.App, r Verification, kept []keptCheckpoint) error {
	doc := report.Findings{Head: output.NewHead("findings"), OK: len(r.Damage) == 0, Findings: []report.Finding{}, Counts: r.Rows, Signatures: r.Signatures}
	for _, d := range r.Damage {
		finding := report.Finding{
			Rule: "V101", Severity: "block", Subject: strings.TrimSpace(d.Table + " " + d.Key), Path: d.Table, Message: d.Message, Suggestion: restoreCopy,
		}
		if d.Remedy != "" {
			finding.Rule, finding.Suggestion = "V103", d.Remedy
		}
		doc.Findings = append(doc.Findings, finding)
	}
	for _, d := range r.Notes {
		doc.Findings = append(doc.Findings, report.Finding{
			Rule: "V102", Severity: "info", Subject: strings.TrimSpace(d.Table + " " + d.Key), Path: d.Table, Message: d.Message,
			Suggestion: "Nothing is damaged: leave it. toolcrib migrate carries it unchanged.",
		})
	}
	return a.PrintChecked(doc, doc.OK, func(p *output.Page) {
		for _, table := range slices.Sorted(maps.Keys(r.Rows)) {
			p.Linef("%s", output.Counted(int(r.Rows[table]), strings.TrimSuffix(strings.ReplaceAll(table, "_", " "), "s")))
		}
		if r.Signatures != nil {
			for _, line := range r.Signatures.Lines() {
				p.Linef("%s", line)
			}
		}
		for _, d := range r.Damage {
			p.Linef("%s: %s %s", cmp.Or(d.Key, d.Table), d.Message, d.Remedy)
		}
		for _, d := range r.Notes {
			p.Linef("%s: %s Nothing is damaged.", cmp.Or(d.Key, d.Table), d.Message)
		}
		for _, k := range kept {
			if !k.signed {
				p.Linef("The signature of checkpoint %s was not checked: there is no key for it here.", k.file)
			}
		}
		if len(r.Damage) == 0 {
			p.Raw(p.Paint(output.InkGood, "Every chain is whole."))
			if len(kept) > 0 {
				p.Linef("The log extends %s.", output.Counted(len(kept), "checkpoint"))
			}
			return
		}
		verdict, advice, _ := strings.Cut(r.Verdict(), ". ")
		p.Raw(p.Paint(output.InkBad, verdict+".") + " " + advice)
	})
}

// restoreCopy is the advice for damage.
const restoreCopy = "Keep the file as it is and restore a copy from before."

// Verdict sums up the damage: what was changed, or only what does not count any more.
func (r Verification) Verdict() string {
	if slices.ContainsFunc(r.Damage, func(d history.Damage) bool { return d.Remedy == "" }) {
		return "Damaged. " + restoreCopy
	}
	return "Nothing was changed. Every chain is whole, and the decisions named above do not count."
}
