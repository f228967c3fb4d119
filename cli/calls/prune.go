package calls

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"toolcrib/cli/command"
	"toolcrib/cli/output"
	"toolcrib/cli/process"
	"toolcrib/cli/settings"
)

// docPrune reports the calls that toolcrib calls prune moved to a file.
type docPrune struct {
	output.Head
	Calls    int64     `json:"calls"`
	Outcomes int64     `json:"outcomes"`
	LastCall int64     `json:"last_call,omitempty"` // number of the newest call in the file
	Before   time.Time `json:"before"`
	File     string    `json:"file,omitempty"`
	FileHash string    `json:"file_hash,omitempty"` // SHA-256 of the last line of the file
	DryRun   bool      `json:"dry_run,omitempty"`
}

func newCallsPrune(a *command.App) *cobra.Command {
	var before, to string
	cmd := &cobra.Command{
		Use:  "prune --before TIME",
		RunE: func(cmd *cobra.Command, _ []string) error { return runPrune(cmd.Context(), a, before, to) },
	}
	cmd.Flags().StringVar(&before, "before", "", "move calls before `TIME` (RFC 3339), or of an age such as 90d")
	cmd.Flags().StringVar(&to, "to", "", "to the new `FILE` (default: one beside the database, named after the calls)")
	return cmd
}

func runPrune(ctx context.Context, a *command.App, before, to string) error {
	var t time.Time
	age, err := settings.ParseAge(before)
	switch {
	case before == "":
		return process.Usagef("--before is missing: name a time, or an age such as 90d")
	case err == nil:
		t = a.Env.Now().Add(-age)
	default:
		if t, err = command.ParseTime(before); err != nil {
			return err
		}
	}
	s, err := a.OpenSession(ctx)
	if err != nil {
		return err
	}
	if err := a.FolderOf(to); err != nil {
		return err
	}
	order, err := a.PruneOrder(s.Actor, t, to)
	if err != nil {
		return err
	}
	path, name := "", order.File
	order.File = func(first, last int64) string {
		path = name(first, last)
		return path
	}
	moved, err := a.DB.Calls().Prune(ctx, order)
	if err != nil {
		return err
	}
	doc := docPrune{
		Head: output.NewHead("call.prune"), Calls: moved.Calls, Outcomes: moved.Outcomes, LastCall: moved.Call.Number, Before: moved.Before,
		File: path, FileHash: moved.FileHash, DryRun: a.Flags.DryRun,
	}
	return a.Print(doc, func(p *output.Page) {
		switch {
		case doc.Calls == 0:
			p.Remark("No call is older than %s.", output.Timestamp(doc.Before))
		case doc.DryRun:
			p.Linef("This would move %s, up to call %d, to %s", output.Counted(int(doc.Calls), "call"), doc.LastCall, doc.File)
		default:
			p.Linef("Moved %s, up to call %d, to %s", output.Counted(int(doc.Calls), "call"), doc.LastCall, doc.File)
			p.Linef("Keep this file. toolcrib verify --calls checks it.")
		}
	})
}
