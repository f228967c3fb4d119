// Package verify implements the verify command, which verifies the history, and the checkpoint command, which creates
// and publishes checkpoints.
package verify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"toolcrib/cli/command"
	"toolcrib/cli/findings"
	"toolcrib/cli/output"
	"toolcrib/cli/report"
	"toolcrib/history"
	"toolcrib/history/workspace"
	"toolcrib/internal/lists"
	"toolcrib/review/proof"
	"toolcrib/signing/checkpoint"
	"toolcrib/store"
	"toolcrib/store/calls"
)

// Family returns the verify and checkpoint commands.
func Family() command.Family {
	return command.Family{
		Commands: []command.Entry{
			{Group: command.GroupRegistry, New: newVerify},
			{Group: command.GroupRegistry, New: newCheckpoint},
		},
		Documents: map[string]any{
			"checkpoint":           docCheckpoint{},
			"checkpoint.key":       docCheckpointKey{},
			"checkpoint.published": docPublication{},
		},
	}
}

// Verification is the result of verifying a database.
type Verification struct {
	history.Report
	Signatures *proof.Report // results for signatures; nil if signing has not started
}

func newVerify(a *command.App) *cobra.Command {
	var deep bool
	var files, callFiles []string
	var key string
	cmd := &cobra.Command{
		Use: "verify",
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			ctx := cmd.Context()
			defer func() { err = a.NamePages(ctx, err) }()
			kept, err := readCheckpoints(ctx, a, files, key)
			if err != nil {
				return err
			}
			if err := checkCallFiles(a, callFiles); err != nil {
				return err
			}
			db, err := a.Inspected(ctx)
			if err != nil {
				return err
			}
			var checker *checkpoint.Checker
			if len(kept) > 0 {
				checker = checkpoint.NewChecker(lists.Map(kept, func(k keptCheckpoint) checkpoint.Checkpoint { return k.Checkpoint })...)
			}
			p := a.Progress()
			o := history.Options{Deep: deep}
			if p != nil {
				total, _ := db.Rows(ctx) // the number is unknown if the file is damaged
				rows := map[string]int64{}
				o.Progress = func(table string, n int64) {
					rows[table] = n
					done := int64(0)
					for _, n := range rows {
						done += n
					}
					p.Tell(done, max(done, total), "Recomputing the seals of "+table)
				}
			}
			r, err := Verified(ctx, db, checker, o)
			p.End()
			if err != nil {
				return err
			}
			if len(callFiles) > 0 {
				prunes, err := db.Calls().Prunes(ctx)
				if err != nil {
					return err
				}
				for _, file := range callFiles {
					var l history.Ledger = calls.File{Path: a.Path(file), Prunes: prunes}
					if checker != nil {
						l = watched{l, checker}
					}
					moved, err := history.Verify(ctx, l, history.Options{})
					if err != nil {
						return err
					}
					r.Damage = append(r.Damage, moved.Damage...)
					r.Rows["moved_calls"] += moved.Rows["calls"]
					r.Rows["moved_call_outcomes"] += moved.Rows["call_outcomes"]
				}
			}
			if checker != nil {
				for i, err := range checker.Result() {
					kept[i].unproven = checker.Unproven(kept[i].Checkpoint)
					if err != nil {
						r.Damage = append(r.Damage, history.Damage{Table: "checkpoints", Key: "checkpoint " + kept[i].file, Message: output.FullStop("The database does not extend this checkpoint: " + err.Error())})
					}
				}
			}
			return PrintReport(a, r, kept)
		},
	}
	cmd.Flags().BoolVar(&deep, "deep", false, "also check every page and index of the database file")
	cmd.Flags().StringArrayVar(&files, "checkpoint", nil, "the `FILE` with a checkpoint that the database must extend, - for standard input; can be repeated")
	cmd.Flags().StringArrayVar(&callFiles, "calls", nil, "also check `FILE`, which was written by toolcrib calls prune; can be repeated")
	cmd.Flags().StringVar(&key, "checkpoint-key", "", "`FILE` with the public half of the key that signed the checkpoint (default: your key, if it exists)")
	return cmd
}

// checkCallFiles returns an error if one of the given files cannot be read. Without this check, a mistyped name would
// be reported as damage. checkCallFiles does not open a pipe, because this blocks until another process opens the pipe
// for writing.
func checkCallFiles(a *command.App, files []string) error {
	for _, file := range files {
		info, err := os.Stat(a.Path(file))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return command.NotFoundf("--calls %s", file)
		case err != nil:
			return fmt.Errorf("--calls: %w", err)
		case !info.Mode().IsRegular():
			return fmt.Errorf("--calls %s is not a regular file; use a file that `toolcrib calls prune` wrote, or a copy of such a file", file)
		}
		f, err := os.Open(a.Path(file))
		if err != nil {
			return fmt.Errorf("--calls: %w", err)
		}
		_ = f.Close()
	}
	return nil
}

// Verified verifies the database and the version files in its workspace folders. It ignores files that are not recorded
// in the database, because a folder may be newer than a copy of the database. The drift command reports these files. If
// checker is not nil, Verified passes the events and calls of the log to checker.
func Verified(ctx context.Context, db *store.DB, checker *checkpoint.Checker, o history.Options) (Verification, error) {
	var r Verification
	var err error
	r.Report, err = command.ReadView(ctx, db.Audit, func(l history.Ledger) (history.Report, error) {
		if checker != nil {
			l = watched{l, checker}
		}
		return history.Verify(ctx, l, o)
	})
	if err != nil {
		return r, err
	}
	damagedOr := func(err error) error { // damage explains an unreadable row
		if len(r.Damage) > 0 {
			return nil
		}
		return err
	}
	s, err := db.CheckSignatures(ctx)
	if err != nil {
		if err := damagedOr(err); err != nil {
			return r, err
		}
	} else if r.Damage = append(r.Damage, s.Damage...); s.Started || len(s.Damage) > 0 {
		r.Signatures = &s
	}
	dirs, err := db.Workspaces().Folders(ctx)
	if err != nil {
		return r, damagedOr(err)
	}
	for _, dir := range dirs {
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			continue // the folder was moved or is not mounted
		}
		faults, err := workspace.CheckSnapshots(ctx, db.Workspaces(), dir)
		if err != nil {
			return r, damagedOr(err)
		}
		for _, f := range faults {
			if f.Kind != workspace.Foreign {
				deed := map[bool]string{true: "removed", false: string(f.Kind)}[f.Kind == workspace.Missing]
				r.Damage = append(r.Damage, history.Damage{
					Table: "workspaces", Key: filepath.Join(dir, filepath.FromSlash(f.File)),
					Message: fmt.Sprintf("The file of %s version %d was %s.", f.Subject, f.Version, deed),
				})
			}
		}
	}
	return r, nil
}

// PrintReport prints the result of a verification. checkpoints contains the checkpoints with which the log was
// compared.
func PrintReport(a *command.App, r Verification, checkpoints []keptCheckpoint) error {
	doc := report.Findings{Head: output.NewHead("findings"), OK: len(r.Damage) == 0, Findings: []findings.Finding{}, Counts: r.Rows, Signatures: r.Signatures}
	for _, d := range r.Damage {
		finding := findings.Finding{
			Rule: "V101", Severity: "block", Subject: strings.TrimSpace(d.Table + " " + d.Key), Path: d.Table, Message: d.Message, Suggestion: restoreCopy,
		}
		if d.Remedy != "" {
			finding.Rule, finding.Suggestion = "V103", d.Remedy
		}
		doc.Findings = append(doc.Findings, finding)
	}
	for _, d := range r.Notes {
		doc.Findings = append(doc.Findings, findings.Finding{
			Rule: "V102", Severity: "info", Subject: strings.TrimSpace(d.Table + " " + d.Key), Path: d.Table, Message: d.Message,
			Suggestion: "No data is damaged, so leave the row unchanged. toolcrib migrate copies the row.",
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
			p.Linef("%s: %s %s", cmp.Or(d.Key, d.Table, "database"), d.Message, d.Remedy)
		}
		for _, d := range r.Notes {
			p.Linef("%s: %s Nothing is damaged.", cmp.Or(d.Key, d.Table), d.Message)
		}
		for _, k := range checkpoints {
			if !k.signed {
				p.Linef("The signature of checkpoint %s was not verified, because the public key is not on this machine.", k.file)
			}
			if k.unproven {
				p.Linef("Call %d of checkpoint %s was not checked, because it was moved to a file. To check the call, pass this file with --calls FILE.", k.Calls.Seq, k.file)
			}
		}
		if len(r.Damage) == 0 {
			p.Raw(p.Paint(output.InkGood, "Every hash chain is intact."))
			if len(checkpoints) > 0 {
				p.Linef("The log extends %s.", output.Counted(len(checkpoints), "checkpoint"))
			}
			return
		}
		verdict, advice, _ := strings.Cut(r.Verdict(), ". ")
		p.Raw(p.Paint(output.InkBad, verdict+".") + " " + advice)
	})
}

// restoreCopy is the advice for a damaged database.
const restoreCopy = "Keep the file unchanged and restore an earlier copy."

// Verdict returns a summary of the damage. It distinguishes changed data from decisions that are no longer valid.
func (r Verification) Verdict() string {
	if slices.ContainsFunc(r.Damage, func(d history.Damage) bool { return d.Remedy == "" }) {
		return "Damaged. " + restoreCopy
	}
	return "No data was changed. Every chain is complete, but the decisions named above are not valid."
}
