package cli

import (
	"cmp"
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"toolcrib/history/workspace"
	"toolcrib/proposals"
	"toolcrib/proposals/facts"
	"toolcrib/registry"
)

// openWorkspace attaches the project's folder and finishes what a crash, or an
// approval made elsewhere, left undone there.
func (a *app) openWorkspace(ctx context.Context, c config) error {
	if c.Workspace == "" {
		return nil
	}
	var err error
	a.workspace, err = workspace.New(ctx, a.db.Workspaces(), c.Workspace, c.Project)
	if err != nil {
		return err
	}
	return a.publish(ctx)
}

// publish writes the queued files of the workspace. It only reports errors,
// because the approval stands in any case.
func (a *app) publish(ctx context.Context) error {
	if a.workspace == nil {
		return nil
	}
	if err := a.workspace.Publish(ctx); err != nil && a.remote == nil { // the files are not the business of a user elsewhere
		writeNote(a.env.Err, "toolcrib: the files of the workspace are not up to date: %s", stop(err.Error()))
	}
	return nil
}

type docDrift struct {
	docHead
	OK       bool             `json:"ok"`
	File     string           `json:"file"`
	Edits    []docDriftEdit   `json:"edits"`
	Drafts   []facts.Document `json:"drafts,omitempty"`
	KeptFile string           `json:"kept_file,omitempty"`
	// History are the files of versions that are not as toolcrib wrote them.
	History []docHistoryFile `json:"history,omitempty"`
}

type docHistoryFile struct {
	File    string `json:"file"`
	Subject string `json:"subject,omitempty"`
	Version int    `json:"version,omitempty"`
	Change  string `json:"change"` // edited, missing or foreign
}

type docDriftEdit struct {
	Subject string `json:"subject"`
	Version int    `json:"version"`
	Change  string `json:"change"` // added, removed or modified
}

func newDrift(a *app) *cobra.Command {
	var adopt, overwrite bool
	cmd := &cobra.Command{
		Use:   "drift",
		Short: "Compare the project's files with the registry",
		Long: `List manual changes to the workspace's prompts.json. toolcrib never overwrites
such a file silently: --adopt drafts the changes as proposals, --overwrite
writes the file from the registry and keeps the changed one beside it. Changed,
missing, and foreign files in history/ are listed too, but not repaired. Exit
status 6: a file was changed.`,
		Example: `  toolcrib drift --workspace . --project novel
  toolcrib drift --adopt --workspace . --project novel`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if adopt && overwrite {
				return usagef("--adopt and --overwrite exclude each other")
			}
			return runDrift(cmd.Context(), a, adopt, overwrite)
		},
	}
	cmd.Flags().BoolVar(&adopt, "adopt", false, "draft the edits as proposals")
	cmd.Flags().BoolVar(&overwrite, "overwrite", false, "write the file from the registry")
	return cmd
}

func runDrift(ctx context.Context, a *app, adopt, overwrite bool) error {
	b, err := a.openSession(ctx)
	if err != nil {
		return err
	}
	if a.workspace == nil {
		return usagef("there is no workspace; name one with --workspace DIR --project NAME, or in toolcrib.toml")
	}
	doc := docDrift{docHead: head("drift"), Edits: []docDriftEdit{}}
	if overwrite {
		doc.OK, doc.File = true, a.workspace.LivePath()
		if a.flags.dryRun {
			return usagef("--overwrite cannot be tried without doing it")
		}
		if doc.KeptFile, err = a.workspace.Overwrite(ctx, a.env.Now()); err != nil {
			return err
		}
		return a.print(doc, func(p *page) {
			p.linef("Wrote %s from the registry.", doc.File)
			if doc.KeptFile != "" {
				p.linef("The edited file is kept as %s.", doc.KeptFile)
			}
		})
	}
	drift, err := a.workspace.Drift(ctx)
	if err != nil {
		return err
	}
	doc.File = drift.File
	if doc.History, err = a.historyFiles(ctx); err != nil {
		return err
	}
	doc.OK = drift.Known && len(doc.History) == 0
	doc.Edits = mapped(drift.Edits, func(e workspace.Edit) docDriftEdit {
		return docDriftEdit{Subject: e.Subject.String(), Version: e.Version, Change: changeWord(e)}
	})
	if adopt && len(drift.Edits) > 0 {
		made, err := b.desk.Propose(ctx, b.actor, adopted(drift), false)
		if err != nil {
			return err
		}
		doc.Drafts = newDocProposalList(made, "", false).Proposals
	}
	err = a.print(doc, func(p *page) {
		writeDrift(p, doc, drift.Known)
		writeHistoryFiles(p, doc.History)
	})
	return cmp.Or(err, findingsUnless((drift.Known || adopt) && len(doc.History) == 0))
}

func (a *app) historyFiles(ctx context.Context) ([]docHistoryFile, error) {
	faults, err := a.workspace.Faults(ctx)
	return mapped(faults, func(f workspace.Fault) docHistoryFile {
		d := docHistoryFile{File: f.File, Version: f.Version, Change: string(f.Kind)}
		if f.Kind != workspace.Foreign {
			d.Subject = f.Subject.String()
		}
		return d
	}), err
}

func writeHistoryFiles(p *page, docs []docHistoryFile) {
	if len(docs) == 0 {
		return
	}
	p.linef("Files of the history are not as toolcrib wrote them:")
	for _, d := range docs {
		line := fmt.Sprintf("  %s %s", d.Change, d.File)
		if d.Subject != "" {
			line += fmt.Sprintf(" (%s version %d)", d.Subject, d.Version)
		}
		p.linef("%s", line)
	}
	p.linef("They are not repaired; toolcrib history SUBJECT lists the approved versions.")
}

func changeWord(e workspace.Edit) string {
	switch {
	case e.Before.IsZero():
		return "added"
	case e.After.IsZero():
		return "removed"
	}
	return "modified"
}

// adopted makes drafts of edits. Their authors add the examples and the test
// cases.
func adopted(drift workspace.Drift) []proposals.Draft {
	drafts := make([]proposals.Draft, len(drift.Edits))
	for i, e := range drift.Edits {
		drafts[i] = proposals.Draft{
			Type: proposals.Modify, Subject: e.Subject, BaseVersion: &drift.Edits[i].Version, Definition: e.After,
			Rationale: fmt.Sprintf("Adopted from %s, where it was edited by hand.", drift.File),
		}
		switch {
		case e.After.IsZero():
			drafts[i].Type = proposals.Deactivate
		case e.Before.IsZero():
			drafts[i].Type = proposals.New
		case e.Before.Status() == registry.Deactivated:
			drafts[i].Definition = e.After.WithStatus(registry.Deactivated) // a status changes on its own
		}
	}
	return drafts
}

func writeDrift(p *page, doc docDrift, known bool) {
	if known {
		p.linef("%s agrees with the registry.", doc.File)
		return
	}
	p.linef("%s was edited by hand:", doc.File)
	for _, e := range doc.Edits {
		p.linef("  %s %s", e.Change, e.Subject)
	}
	if len(doc.Edits) == 0 {
		p.linef("  only in its form; the definitions are those of the registry")
	}
	for _, d := range doc.Drafts {
		p.linef("Drafted %s %s as %s; add examples and test cases, then submit it.", d.Type, d.Subject, d.ID)
	}
	if len(doc.Drafts) == 0 {
		p.linef("toolcrib drift --adopt drafts the edits as proposals; --overwrite writes the file from the registry.")
	}
}
