// This file lists skills and instruction files, and declares the commands of the package.

package files

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"toolcrib/cli/command"
	"toolcrib/cli/output"
	"toolcrib/gateway/instructions"
	"toolcrib/internal/lists"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/store"
	"toolcrib/store/catalog"
)

// Family returns the commands for skills and instruction files.
func Family() command.Family {
	return command.Family{
		Commands: []command.Entry{
			{Group: command.GroupRegistry, New: newList},
			{Group: command.GroupRegistry, New: newRestore},
		},
		Documents: map[string]any{
			"file.list":    docFiles{},
			"import.files": docImport{},
			"restore":      docRestore{},
		},
	}
}

// docFiles lists skills and instruction files.
type docFiles struct {
	output.Head
	Files []DocFile `json:"files"`
}

// DocFile is a skill or an instruction file that was approved or that agents read.
type DocFile struct {
	Subject     string `json:"subject,omitempty"` // absent if the file was never approved
	Kind        string `json:"kind"`              // skill or instructions
	Layer       string `json:"layer"`
	Folder      string `json:"folder"`
	Path        string `json:"path"` // path relative to the folder
	Version     int    `json:"version,omitempty"`
	Status      string `json:"status,omitempty"` // active or deactivated
	ContentHash string `json:"content_hash,omitempty"`
	// Drift is the kind of difference from the approved version: new, changed, missing, unreadable or deactivated.
	Drift  string `json:"drift,omitempty"`
	ReadBy string `json:"read_by,omitempty"` // clients that read the file
	Reason string `json:"reason,omitempty"`  // reason why the file cannot be read
	// Proposal is the number of the open proposal for this file, such as #4.
	Proposal string `json:"proposal,omitempty"`
}

func newList(a *command.App) *cobra.Command {
	return &cobra.Command{
		Use:     "files [FOLDER]",
		Aliases: []string{"skills"},
		Args:    command.ArgsBetween(0, 1, "at most one folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			list, err := List(cmd.Context(), a, args)
			if err != nil {
				return err
			}
			doc := docFiles{Head: output.NewHead("file.list"), Files: lists.Map(list, func(l instructions.Listed) DocFile {
				f := DocFile{
					Kind: string(l.Subject.Kind), Layer: string(l.Subject.Layer), Folder: l.Folder, Path: l.Path, Version: l.Version, Status: string(l.Status),
					ContentHash: l.Hash, Drift: string(l.Drift), ReadBy: l.ReadBy, Reason: l.Reason, Proposal: l.Proposal,
				}
				if l.Version > 0 {
					f.Subject = l.Subject.String()
				}
				return f
			})}
			return a.Print(doc, func(p *output.Page) {
				if len(list) == 0 {
					p.Remark("No skills or instruction files.")
					return
				}
				p.List([]string{"SUBJECT", "VERSION", "STATE", "PATH", "READ BY"}, lists.Map(list, func(l instructions.Listed) []string {
					subject, version := string(l.Subject.Kind), ""
					if l.Version > 0 {
						subject, version = l.Subject.String(), output.Itoa(l.Version)
					}
					return []string{subject, version, l.State(), l.At(), l.ReadBy}
				}))
			})
		},
	}
}

// List returns the skills and instruction files in the home folder and in the project, with their open proposals. Over
// SSH, it returns only the approved files.
func List(ctx context.Context, a *command.App, args []string) ([]instructions.Listed, error) {
	if a.Remote != nil {
		db, err := a.Database(ctx)
		if err != nil {
			return nil, err
		}
		return InRegistry(ctx, db, a.Config.Layer.View())
	}
	roots, err := roots(a, args)
	if err != nil {
		return nil, err
	}
	var all []instructions.Listed
	for _, r := range roots {
		list, err := r.list(ctx, a)
		if err != nil {
			return nil, err
		}
		all = append(all, list...)
	}
	return all, nil
}

// InRegistry returns the approved skills and instruction files in the given layers.
func InRegistry(ctx context.Context, db *store.DB, layers []registry.Layer) ([]instructions.Listed, error) {
	var all []instructions.Listed
	for _, layer := range layers {
		entries, err := liveFiles(ctx, db, layer)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			all = append(all, instructions.Listed{Subject: e.Subject, Path: e.Name, Version: e.Version, Status: e.Status, Hash: e.ContentHash})
		}
	}
	return all, nil
}

// list returns the approved files in the layer of r and the files on disk in the folder of r.
func (r root) list(ctx context.Context, a *command.App) ([]instructions.Listed, error) {
	var entries []catalog.Entry
	var open []review.Bundle
	db, err := a.Database(ctx)
	if err == nil {
		entries, err = liveFiles(ctx, db, r.layer)
	}
	if err == nil {
		open, err = openOn(ctx, db, r.layer, openStates()...)
	}
	if err != nil && !errors.Is(err, store.ErrNoDatabase) { // without a database, no file is approved
		return nil, err
	}
	approved := approvedOf(entries)
	tree, err := r.with(approved)
	if err != nil {
		return nil, err
	}
	type key struct {
		kind registry.Kind
		path string
	}
	readBy := lists.Index(tree.Found, func(f instructions.Found) (key, string) { return key{f.Kind, f.Path}, f.Client })
	drift := lists.Index(r.differences(tree, approved), func(d instructions.Difference) (key, instructions.Difference) {
		return key{d.Kind, d.Path}, d
	})
	waits := lists.Index(open, func(b review.Bundle) (key, string) {
		return key{b.Proposal.Subject.Kind, b.Proposal.Title}, b.Proposal.Handle()
	})
	var all []instructions.Listed
	add := func(k key, l instructions.Listed) {
		l.Subject.Kind, l.Subject.Layer, l.Folder, l.Path, l.ReadBy, l.Proposal = k.kind, r.layer, r.dir, k.path, readBy[k], waits[k]
		l.Above = elsewhere(r.scope)
		if d, ok := drift[k]; ok {
			l.Drift = d.Change
			if d.Change == instructions.Unreadable {
				l.Reason = d.Found.Err.Error()
			}
		}
		all = append(all, l)
	}
	for _, e := range entries {
		k := key{e.Subject.Kind, e.Name}
		if _, found := readBy[k]; r.partial && !found {
			continue
		}
		add(k, instructions.Listed{Subject: e.Subject, Version: e.Version, Status: e.Status, Hash: e.ContentHash})
		delete(readBy, k)
	}
	for k := range readBy {
		add(k, instructions.Listed{})
	}
	slices.SortFunc(all, func(a, b instructions.Listed) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.Subject.ID, b.Subject.ID), cmp.Compare(a.Subject.Kind, b.Subject.Kind))
	})
	return all, nil
}
