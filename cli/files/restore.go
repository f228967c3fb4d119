package files

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"toolcrib/cli/command"
	"toolcrib/cli/document"
	"toolcrib/cli/output"
	"toolcrib/cli/process"
	"toolcrib/gateway/instructions"
	"toolcrib/history/diff"
	"toolcrib/internal/atomicfile"
	"toolcrib/registry"
)

// docRestore describes the result of the restore command.
type docRestore struct {
	output.Head
	Subject string   `json:"subject"`
	Folder  string   `json:"folder"`
	Path    string   `json:"path"`
	Written []string `json:"written"` // files, relative to path
	Deleted []string `json:"deleted"`
	Left    []string `json:"left"` // files that were never approved
	DryRun  bool     `json:"dry_run,omitempty"`
}

func newRestore(a *command.App) *cobra.Command {
	var dir string
	var yes, remove bool
	cmd := &cobra.Command{
		Use:  "restore ID | SUBJECT",
		Args: command.ExactArgs(1, "a skill or instructions, such as pdf or skill:user/pdf"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			s, err := a.Subject(ctx, args[0])
			if err != nil {
				return err
			}
			if !s.Kind.InFiles() {
				return process.Usagef("%s is not a skill or instructions, so it has no files", s)
			}
			var named []string
			if dir != "" {
				named = []string{dir}
			}
			list, err := roots(a, named)
			if err != nil {
				return err
			}
			at := slices.IndexFunc(list, func(r root) bool { return r.layer == s.Layer || dir != "" && strings.Contains(args[0], ":") })
			if at < 0 {
				return process.Usagef("specify the folder of the layer %s with --dir; to write the files to another folder, pass the subject %s and --dir", s.Layer, s)
			}
			r := list[at]
			from, err := approvalsOf(ctx, a)
			if err != nil {
				return err
			}
			approved, err := from.Live(ctx, s)
			if err := cmp.Or(err, approved.Refused); err != nil {
				return err
			}
			folder := *approved.Definition.Folder()
			if folder.Status == registry.Deactivated {
				return fmt.Errorf("%s is deactivated; activate it before you restore it: toolcrib rollback %s VERSION", s, s)
			}
			now, _ := instructions.Read(r.dir, s.Kind, folder.Path) // ignore the error, because restore replaces unreadable files
			doc := docRestore{Head: output.NewHead("restore"), Subject: s.String(), Folder: r.dir, Path: folder.Path, Written: []string{}, Deleted: []string{}, Left: []string{}, DryRun: a.Flags.DryRun}
			others := &doc.Left // receives the files that were never approved
			if remove {
				others = &doc.Deleted
			}
			for _, c := range instructions.Files(folder, now) {
				switch {
				case unfinished(c):
				case c.Change == instructions.New:
					*others = append(*others, c.Path)
				default:
					doc.Written = append(doc.Written, c.Path)
				}
			}
			changes := diff.Definitions(instructions.Definition(s.Kind, s.ID, now), approved.Definition)
			if a.Flags.DryRun {
				return a.PrintChecked(doc, len(doc.Left) == 0, func(p *output.Page) {
					doc.write(p, changes)
					doc.summarize(a, p, "would be written", "would be deleted")
				})
			}
			switch {
			case len(doc.Written)+len(doc.Deleted) == 0, yes && a.Form.JSON:
			case yes:
				p := &output.Page{Colour: a.Colour()}
				doc.write(p, changes)
				if _, err := a.Env.Out.Write(p.Buf.Bytes()); err != nil {
					return err
				}
			default:
				if ok, err := a.Confirm("Write these changes?", func(p *output.Page) { doc.write(p, changes) }); err != nil || !ok {
					return err
				}
			}
			if err := instructions.Restore(r.dir, s.Kind, folder, doc.Written, func(sha256 string) ([]byte, bool, error) { return from.content(ctx, sha256) }); err != nil {
				return err
			}
			if err := instructions.Remove(r.dir, folder, doc.Deleted); err != nil {
				return err
			}
			if now, err = instructions.Read(r.dir, s.Kind, folder.Path); err != nil {
				return fmt.Errorf("%s was written but cannot be compared with its approved version: %w", s, err)
			}
			differs := slices.DeleteFunc(instructions.Files(folder, now), func(c instructions.FileChange) bool {
				return unfinished(c) || c.Change == instructions.New && slices.Contains(doc.Left, c.Path)
			})
			if len(differs) > 0 { // another program is writing to the folder, or it contains unreadable files
				return fmt.Errorf("%s still differs from its approved version: %s", s, instructions.ListChanges(differs))
			}
			return a.PrintChecked(doc, len(doc.Left) == 0, func(p *output.Page) { doc.summarize(a, p, "written", "deleted") })
		},
	}
	set := cmd.Flags()
	set.StringVar(&dir, "dir", "", "restore files in this `FOLDER` (default: your home or project folder)")
	set.BoolVar(&yes, "yes", false, "write without asking")
	set.BoolVar(&remove, "delete", false, "also delete files of a skill that were never approved")
	return cmd
}

// summarize prints the numbers of files with the verbs that the caller passes for written and deleted files.
func (doc docRestore) summarize(a *command.App, p *output.Page, written, deleted string) {
	p.Linef("%s: %s %s, %d %s, below %s", doc.Subject, output.Counted(len(doc.Written), "file"), written, len(doc.Deleted), deleted, doc.Folder)
	for _, name := range doc.Left {
		p.Linef("not deleted, although never approved: %s (to delete it, add --delete)", name)
	}
	a.Closing(p)
}

// write prints the changes that a restore makes.
func (doc docRestore) write(p *output.Page, changes []diff.Field) {
	p.Linef("%s, below %s", doc.Subject, doc.Folder)
	for _, field := range changes {
		p.Linef("%s %s", field.Path, field.Change)
		for _, h := range document.NewHunks(field.Hunks(3)) {
			document.WriteHunk(p, h)
		}
	}
	for _, name := range doc.Deleted {
		p.Linef("deleted: %s", name)
	}
}

// unfinished reports whether the file of c is a temporary file of another restore in progress.
func unfinished(c instructions.FileChange) bool {
	return c.Change == instructions.New && strings.HasPrefix(path.Base(c.Path), atomicfile.Temporary)
}
