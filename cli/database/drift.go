// This file implements the drift command, which compares the files of a workspace with the registry.

package database

import (
	"cmp"
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"toolcrib/cli/command"
	"toolcrib/cli/document"
	"toolcrib/cli/output"
	"toolcrib/cli/process"
	"toolcrib/history/workspace"
	"toolcrib/internal/lists"
	"toolcrib/proposals"
	"toolcrib/proposals/facts"
	"toolcrib/registry"
)

type docDrift struct {
	output.Head
	OK       bool             `json:"ok"`
	File     string           `json:"file"`
	Edits    []docDriftEdit   `json:"edits"`
	Drafts   []facts.Document `json:"drafts,omitempty"`
	KeptFile string           `json:"kept_file,omitempty"`
	// History lists the files below history/ that were edited, deleted, or not written by toolcrib.
	History []docHistoryFile `json:"history,omitempty"`
}

type docHistoryFile struct {
	File    string `json:"file"`
	Subject string `json:"subject,omitempty"`
	Version int    `json:"version,omitempty"`
	Change  string `json:"change"` // edited, missing, or foreign (not written by toolcrib)
}

type docDriftEdit struct {
	Subject string `json:"subject"`
	Version int    `json:"version"`
	Change  string `json:"change"` // added, removed or modified
}

func newDrift(a *command.App) *cobra.Command {
	var adopt, overwrite bool
	cmd := &cobra.Command{
		Use: "drift",
		RunE: a.InSession(func(ctx context.Context, b command.Session, _ []string) (err error) {
			switch {
			case adopt && overwrite:
				return process.Usagef("--adopt cannot be combined with --overwrite")
			case a.Workspace == nil:
				return process.Usagef("no workspace configured; set it with --workspace DIR and --project NAME, or in toolcrib.toml")
			}
			doc := docDrift{Head: output.NewHead("drift"), Edits: []docDriftEdit{}}
			if overwrite {
				doc.OK, doc.File = true, a.Workspace.LivePath()
				if doc.KeptFile, err = a.Workspace.Overwrite(ctx, a.Env.Now()); err != nil {
					return err
				}
				return a.Print(doc, func(p *output.Page) {
					p.Linef("Wrote %s from the registry.", doc.File)
					if doc.KeptFile != "" {
						p.Linef("The edited file was saved as %s.", doc.KeptFile)
					}
				})
			}
			drift, err := a.Workspace.Drift(ctx)
			if err != nil {
				return err
			}
			doc.File = drift.File
			faults, err := a.Workspace.Faults(ctx)
			if err != nil {
				return err
			}
			doc.History = lists.Map(faults, func(f workspace.Fault) docHistoryFile {
				d := docHistoryFile{File: f.File, Version: f.Version, Change: string(f.Kind)}
				if f.Kind != workspace.Foreign {
					d.Subject = f.Subject.String()
				}
				return d
			})
			doc.OK = drift.Known && len(doc.History) == 0
			doc.Edits = lists.Map(drift.Edits, func(e workspace.Edit) docDriftEdit {
				change := "modified"
				switch {
				case e.Before.IsZero():
					change = "added"
				case e.After.IsZero():
					change = "removed"
				}
				return docDriftEdit{Subject: e.Subject.String(), Version: e.Version, Change: change}
			})
			if adopt && len(drift.Edits) > 0 {
				made, err := b.Desk.Drafting.Propose(ctx, b.Actor, adopted(drift), false)
				if err != nil {
					return err
				}
				doc.Drafts = document.NewProposalList(made, "", false).Proposals
			}
			err = a.Print(doc, func(p *output.Page) {
				writeDrift(p, doc, drift.Known)
				if len(doc.History) > 0 {
					p.Linef("These files of the history differ from the files that toolcrib wrote:")
				}
				for _, d := range doc.History {
					line := fmt.Sprintf("  %s %s", d.Change, d.File)
					if d.Subject != "" {
						line += fmt.Sprintf(" (%s version %d)", d.Subject, d.Version)
					}
					p.Linef("%s", line)
				}
				if len(doc.History) > 0 {
					p.Linef("This command does not repair these files; toolcrib history SUBJECT lists the approved versions.")
				}
			})
			return cmp.Or(err, process.CheckFindings((drift.Known || adopt) && len(doc.History) == 0))
		}),
	}
	cmd.Flags().BoolVar(&adopt, "adopt", false, "draft the edits as proposals")
	cmd.Flags().BoolVar(&overwrite, "overwrite", false, "write the file from the registry")
	return cmd
}

// adopted returns drafts that propose the manual edits. The drafts are incomplete: they contain no examples and no test
// cases.
func adopted(drift workspace.Drift) []proposals.Draft {
	drafts := make([]proposals.Draft, len(drift.Edits))
	for i, e := range drift.Edits {
		drafts[i] = proposals.Draft{
			Type: proposals.Modify, Subject: e.Subject, BaseVersion: &drift.Edits[i].Version, Definition: e.After,
			Rationale: fmt.Sprintf("Adopted from %s, which was edited by hand.", drift.File),
		}
		switch {
		case e.After.IsZero():
			drafts[i].Type = proposals.Deactivate
		case e.Before.IsZero():
			drafts[i].Type = proposals.New
		case e.Before.Status() == registry.Deactivated:
			drafts[i].Definition = e.After.WithStatus(registry.Deactivated) // keep the status, because changing it needs a separate proposal
		}
	}
	return drafts
}

func writeDrift(p *output.Page, doc docDrift, known bool) {
	if known {
		p.Linef("%s agrees with the registry.", doc.File)
		return
	}
	p.Linef("%s was edited by hand:", doc.File)
	for _, e := range doc.Edits {
		p.Linef("  %s %s", e.Change, e.Subject)
	}
	if len(doc.Edits) == 0 {
		p.Linef("  only in its formatting; the definitions match the registry")
	}
	for _, d := range doc.Drafts {
		p.Linef("Drafted %s %s as %s; add examples and test cases, then submit it.", d.Type, d.Subject, d.ID)
	}
	if len(doc.Drafts) == 0 {
		p.Linef("toolcrib drift --adopt drafts the edits as proposals; --overwrite writes the file from the registry.")
	}
}
