package cli

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
	"toolcrib/history"
	"toolcrib/history/workspace"
	"toolcrib/signing/checkpoint"
	"toolcrib/store"
	"toolcrib/tui"
)

// docFindings is the document of lint, check and verify.
type docFindings struct {
	output.Head
	OK       bool             `json:"ok"`
	Findings []docFinding     `json:"findings"`
	Counts   map[string]int64 `json:"counts,omitempty"`
	// Signatures counts decisions by their signatures, where signing has started.
	Signatures *docSignatures `json:"signatures,omitempty"`
	// Sentences are there with lint --explain.
	Sentences []docSentence `json:"sentences,omitempty"`
}

// docSignatures counts the decisions of users by their signatures.
type docSignatures struct {
	Signed         int64 `json:"signed"`
	UnsignedBefore int64 `json:"unsigned_before_start"`
	Unsigned       int64 `json:"unsigned"`
	UnknownKey     int64 `json:"unknown_key"`
	RevokedKey     int64 `json:"revoked_key"`
	TooFew         int64 `json:"too_few_approvals,omitempty"`
	Invalid        int64 `json:"invalid"`
}

// verification is the outcome of verify.
type verification struct {
	history.Report
	signatures *docSignatures // nil before signing has started
}

func newVerify(a *command.App) *cobra.Command {
	var f verifyFlags
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Recompute every hash chain and report tampering",
		Long: `Recompute the seals of every version, event, revision, assessment, decision,
waiver, and comment, follow the chains, compare the tables with each other, and
check the schema, the search indexes, and the history files of attached
workspaces. Exit status 6: damage (V101), such as a changed core tool, with which no
other command opens the database, or a decision whose signature does not count, such
as by a key that was revoked since (V103). Nothing is repaired.

With --deep, SQLite also checks every page of the file and every index against
its table, and the sketches that find near-duplicates are computed again.
PostgreSQL is checked on its server, with pg_amcheck.

With --checkpoint, which may be repeated, the database must also extend the log
that toolcrib checkpoint printed: the same entries, with the later ones after them.`,
		Example: `  toolcrib verify
  toolcrib verify --deep
  toolcrib verify --json`,
		RunE: func(cmd *cobra.Command, _ []string) error { return runVerify(cmd.Context(), a, f) },
	}
	cmd.Flags().BoolVar(&f.deep, "deep", false, "check every page and index of the database file, too")
	cmd.Flags().StringArrayVar(&f.checkpoints, "checkpoint", nil, "`FILE` with a checkpoint that the database has to extend, - for standard input; may be repeated")
	cmd.Flags().StringVar(&f.key, "checkpoint-key", "", "`FILE` with the public half of the key that signed it (default: your own, where there is one)")
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
		o.Progress = verifying(total, p.Tell)
	}
	r, err := verified(ctx, db, checker, o)
	p.End()
	if err != nil {
		return err
	}
	extended(&r, kept, checker)
	return printReport(a, r, kept)
}

// verifying adds up how many rows of all tables were verified, of so many.
func verifying(total int64, tell tui.Tell) func(table string, rows int64) {
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

// verified verifies the database, and the snapshot files in the folders that are
// attached to it. Files that the database does not know are left to drift: the
// folder may be ahead of a copy of the database.
// A checker, which may be nil, sees the log.
func verified(ctx context.Context, db *store.DB, checker *checkpoint.Checker, o history.Options) (verification, error) {
	var r verification
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
func (r *verification) addSignatures(ctx context.Context, db *store.DB) error {
	s, err := db.CheckSignatures(ctx)
	if err != nil {
		return damagedOr(err, len(r.Damage))
	}
	r.Damage = append(r.Damage, s.Damage...)
	if s.Started || len(s.Damage) > 0 {
		r.signatures = &docSignatures{s.Signed, s.UnsignedBefore, s.Unsigned, s.UnknownKey, s.RevokedKey, s.TooFew, s.Invalid}
	}
	return nil
}

// lines describes the counts, those that are 0 left out but for the first.
func (s *docSignatures) lines() []string {
	var lines []string
	for i, c := range []struct {
		n    int64
		what string
	}{
		{s.Signed, "signed decisions"},
		{s.UnsignedBefore, "unsigned decisions from before signing started"},
		{s.Unsigned, "unsigned decisions from after it started"},
		{s.UnknownKey, "decisions signed by an unknown key"},
		{s.RevokedKey, "decisions signed by a revoked key"},
		{s.TooFew, "versions that fewer owners signed than the policy asks for"},
		{s.Invalid, "decisions with an invalid signature"},
	} {
		if i == 0 || c.n > 0 {
			lines = append(lines, fmt.Sprintf("%d %s", c.n, c.what))
		}
	}
	return lines
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

func printReport(a *command.App, r verification, kept []keptCheckpoint) error {
	doc := docFindings{Head: output.NewHead("findings"), OK: len(r.Damage) == 0, Findings: []docFinding{}, Counts: r.Rows, Signatures: r.signatures}
	for _, d := range r.Damage {
		finding := docFinding{
			Rule: "V101", Severity: "block", Subject: strings.TrimSpace(d.Table + " " + d.Key), Path: d.Table, Message: d.Message, Suggestion: restoreCopy,
		}
		if d.Remedy != "" {
			finding.Rule, finding.Suggestion = "V103", d.Remedy
		}
		doc.Findings = append(doc.Findings, finding)
	}
	for _, d := range r.Notes {
		doc.Findings = append(doc.Findings, docFinding{
			Rule: "V102", Severity: "info", Subject: strings.TrimSpace(d.Table + " " + d.Key), Path: d.Table, Message: d.Message,
			Suggestion: "Nothing is damaged: leave it. toolcrib migrate carries it unchanged.",
		})
	}
	return a.PrintChecked(doc, doc.OK, func(p *output.Page) {
		for _, table := range slices.Sorted(maps.Keys(r.Rows)) {
			p.Linef("%s", output.Counted(int(r.Rows[table]), strings.TrimSuffix(strings.ReplaceAll(table, "_", " "), "s")))
		}
		if r.signatures != nil {
			for _, line := range r.signatures.lines() {
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
		verdict, advice, _ := strings.Cut(r.verdict(), ". ")
		p.Raw(p.Paint(output.InkBad, verdict+".") + " " + advice)
	})
}

// restoreCopy is the advice for damage.
const restoreCopy = "Keep the file as it is and restore a copy from before."

// verdict sums up the damage: what was changed, or only what does not count any more.
func (r verification) verdict() string {
	if slices.ContainsFunc(r.Damage, func(d history.Damage) bool { return d.Remedy == "" }) {
		return "Damaged. " + restoreCopy
	}
	return "Nothing was changed. Every chain is whole, and the decisions named above do not count."
}
