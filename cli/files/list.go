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
	"toolcrib/cli/process"
	"toolcrib/gateway/instructions"
	"toolcrib/registry"
	"toolcrib/store"
)

// DocFiles lists skills and instruction files.
type DocFiles struct {
	output.Head
	Files []DocFile `json:"files"`
}

// DocFile is one skill or instruction file that was approved, or that agents read.
type DocFile struct {
	Subject     string `json:"subject,omitempty"` // absent for one that was never approved
	Kind        string `json:"kind"`              // skill or instructions
	Layer       string `json:"layer"`
	Folder      string `json:"folder"`
	Path        string `json:"path"` // below the folder
	Version     int    `json:"version,omitempty"`
	Status      string `json:"status,omitempty"` // active or deactivated
	ContentHash string `json:"content_hash,omitempty"`
	// Drift is how the disk differs from what was approved: new, changed, missing,
	// unreadable or "taken out of use"; absent where it does not.
	Drift  string `json:"drift,omitempty"`
	ReadBy string `json:"read_by,omitempty"` // the clients
	Reason string `json:"reason,omitempty"`  // why it cannot be read
}

// NewList is the command files.
func NewList(a *command.App) *cobra.Command {
	var kind string
	var drifted bool
	cmd := &cobra.Command{
		Use:     "files [FOLDER]",
		Aliases: []string{"skills"},
		Short:   "List skills and instruction files, and how they drifted",
		Long: `List the skills and instruction files of a project's FOLDER, else those in your
home and in the current project: the approved version of each, and how what is on
disk differs from it. Files that were never approved are in the list, too.

To see one: toolcrib history SUBJECT, diff SUBJECT, or show of its proposal. check
--files has the same differences as findings, with an exit status.`,
		Example: `  toolcrib files
  toolcrib files . --drifted --json
  toolcrib files --kind skill`,
		Args: command.Between(0, 1, "at most one folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runList(cmd.Context(), a, args, registry.Kind(kind), drifted)
		},
	}
	cmd.Flags().StringVar(&kind, "kind", "", "only those of `KIND`: skill or instructions")
	cmd.Flags().BoolVar(&drifted, "drifted", false, "only those that are not as they were approved")
	return cmd
}

func runList(ctx context.Context, a *command.App, args []string, kind registry.Kind, drifted bool) error {
	if kind != "" && !kind.InFiles() {
		return process.Usagef("--kind is %q; write skill or instructions", kind)
	}
	list, err := roots(a, args)
	if err != nil {
		return err
	}
	doc := DocFiles{Head: output.NewHead("file.list"), Files: []DocFile{}}
	for _, r := range list {
		all, err := r.list(ctx, a)
		if err != nil {
			return err
		}
		for _, f := range all {
			if (kind == "" || f.Kind == string(kind)) && (!drifted || f.Drift != "") {
				doc.Files = append(doc.Files, f)
			}
		}
	}
	return a.Print(doc, func(p *output.Page) {
		if len(doc.Files) == 0 {
			p.Remark("There are no skills and instruction files here.")
			return
		}
		p.List([]string{"SUBJECT", "VERSION", "STATE", "PATH", "READ BY"}, output.Mapped(doc.Files, func(f DocFile) []string {
			version, state := "", cmp.Or(f.Drift, "as approved")
			if f.Version > 0 {
				version = output.Itoa(f.Version)
			}
			if f.Drift == "" && f.Status == string(registry.Deactivated) {
				state = f.Status
			}
			at := f.Path
			if f.Layer == string(registry.LayerUser) {
				at = "~/" + at
			}
			return []string{cmp.Or(f.Subject, f.Kind), version, state, at, f.ReadBy}
		}))
	})
}

// list returns what was approved in a layer, and what is below its folder.
func (r root) list(ctx context.Context, a *command.App) ([]DocFile, error) {
	there, err := instructions.Find(r.dir, r.scope)
	if err != nil {
		return nil, err
	}
	var entries []store.CatalogEntry
	db, err := a.Database(ctx)
	if err == nil {
		entries, err = catalog(ctx, db, r.layer)
	}
	if err != nil && !errors.Is(err, store.ErrNoDatabase) { // without one nothing was ever approved
		return nil, err
	}
	type key struct {
		kind registry.Kind
		path string
	}
	readBy, drift := map[key]string{}, map[key]instructions.Difference{}
	for _, f := range there {
		readBy[key{f.Kind, f.Path}] = f.Client
	}
	for _, d := range instructions.Compare(there, approvedOf(entries)) {
		drift[key{d.Kind, d.Path}] = d
	}
	var all []DocFile
	add := func(k key, f DocFile) {
		f.Kind, f.Path, f.Layer, f.Folder, f.ReadBy = string(k.kind), k.path, string(r.layer), r.dir, readBy[k]
		if d, ok := drift[k]; ok {
			f.Drift = string(d.Change)
			if d.Change == instructions.Unreadable {
				f.Reason = d.Found.Err.Error()
			}
		}
		all = append(all, f)
	}
	for _, e := range entries {
		k := key{e.Subject.Kind, e.Name}
		add(k, DocFile{Subject: e.Subject.String(), Version: e.Version, Status: string(e.Status), ContentHash: e.ContentHash})
		delete(readBy, k)
	}
	for k := range readBy {
		add(k, DocFile{})
	}
	slices.SortFunc(all, func(a, b DocFile) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.Subject, b.Subject))
	})
	return all, nil
}
