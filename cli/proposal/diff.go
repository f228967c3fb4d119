package proposal

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/mattn/go-runewidth"
	"github.com/spf13/cobra"

	"toolcrib/cli/command"
	"toolcrib/cli/document"
	"toolcrib/cli/output"
	"toolcrib/history/diff"
	"toolcrib/proposals/facts"
	"toolcrib/review"
	"toolcrib/review/reach"
	"toolcrib/review/reach/fact"
)

type docDiff struct {
	output.Head
	From   string     `json:"from"`
	To     string     `json:"to"`
	Fields []docField `json:"fields"`
	Files  []docFile  `json:"files,omitempty"` // of a skill that differ
	// Reach compares what the two sides reach; new_to_registry is only looked up for proposals.
	Reach fact.Difference `json:"reach"`
}

// docFile is one file of a skill that differs.
type docFile struct {
	Path    string   `json:"path"`
	From    string   `json:"from,omitempty"` // the name it had
	Change  string   `json:"change"`         // new, gone, renamed or changed
	Added   int      `json:"added"`          // lines
	Removed int      `json:"removed"`
	Notes   []string `json:"notes,omitempty"` // of its mode, its link, or its bytes
}

// docDiffList has the differences of every member of a change set.
type docDiffList struct {
	output.Head
	ChangeSet    string          `json:"change_set"`
	ReviewDigest string          `json:"review_digest"`
	Diffs        []docMemberDiff `json:"diffs"`
}

type docMemberDiff struct {
	Proposal facts.Reference `json:"proposal"`
	From     string          `json:"from"`
	To       string          `json:"to"`
	Fields   []docField      `json:"fields"`
	Files    []docFile       `json:"files,omitempty"`
	Reach    fact.Difference `json:"reach"`
}

// docField is one field that differs. Hunks compare texts line by line, and
// other values as indented JSON.
type docField struct {
	Path   string          `json:"path"`
	Change string          `json:"change"` // added, removed or modified
	Hunks  []document.Hunk `json:"hunks"`
	// Part is "proposal" for rationale, examples and test cases, which are not part
	// of the definition.
	Part string `json:"part,omitempty"`
}

// besidePart is the part of a field beside the definition.
const besidePart = "proposal"

func newDiff(a *command.App) *cobra.Command {
	var layout diffLayout
	cmd := &cobra.Command{
		Use:  "diff ID | set:NAME | SUBJECT@A..B | LEFT RIGHT",
		Args: command.Between(1, 2, "one or two things to compare"),
		RunE: func(cmd *cobra.Command, args []string) error { return runDiff(cmd.Context(), a, args, layout) },
	}
	cmd.Flags().IntVar(&layout.around, "context", 3, "show `N` lines around each change; -1 for all")
	cmd.Flags().BoolVar(&layout.columns, "side-by-side", false, "show both sides next to each other, $COLUMNS wide")
	return cmd
}

// diffLayout is how differences are printed.
type diffLayout struct {
	around  int // lines of context, -1 for all
	columns bool
}

// whole reports whether differences are printed completely: side by side, long lines are
// cut.
func (l diffLayout) whole(a *command.App) bool { return !l.columns || a.Form.JSON }

func runDiff(ctx context.Context, a *command.App, args []string, layout diffLayout) error {
	b, err := a.OpenSession(ctx)
	if err != nil {
		return err
	}
	if set, ok := review.ChangeSetRef(args[0]); ok && len(args) == 1 {
		return diffSet(ctx, b, a, set, layout)
	}
	if len(args) == 1 && !strings.Contains(args[0], "@") {
		d, err := show(ctx, b, a, args[0])
		if err != nil {
			return err
		}
		left, right := proposed(d)
		if err := printDiff(a, left, right, d.Reach, layout); err != nil {
			return err
		}
		if layout.whole(a) {
			shown(ctx, b, a, d)
		}
		return nil
	}
	var left, right content
	if len(args) == 1 {
		left, right, err = sides(ctx, b, a, args[0])
	} else if left, err = contentOf(ctx, b, a, args[0]); err == nil {
		right, err = contentOf(ctx, b, a, args[1])
	}
	if err != nil {
		return err
	}
	for _, side := range []*content{&left, &right} {
		if side.Source, err = b.Desk.Reading.Source(ctx, side.Definition); err != nil {
			return err
		}
	}
	return printDiff(a, left, right, reach.Compare(&left.Definition, right.Definition), layout)
}

func printDiff(a *command.App, left, right content, reach fact.Difference, layout diffLayout) error {
	doc, fields := newDocDiff(left, right, reach, layout.around)
	return a.Print(doc, func(p *output.Page) { writeDiff(a, p, doc, fields, layout) })
}

func newDocDiff(left, right content, reach fact.Difference, around int) (docDiff, []diff.Field) {
	fields := diff.Contents(left.Content, right.Content)
	doc := docDiff{Head: output.NewHead("diff"), From: left.label, To: right.label, Fields: make([]docField, len(fields)), Reach: document.NewReach(reach)}
	for i, f := range fields {
		doc.Fields[i] = docField{Path: f.Path, Change: string(f.Change), Hunks: document.NewHunks(f.Hunks(around))}
		if f.Beside {
			doc.Fields[i].Part = besidePart
		}
	}
	doc.Files = output.Mapped(diff.Files(left.Definition, right.Definition), func(f diff.File) docFile {
		return docFile{Path: f.Path, From: f.From, Change: f.Word(), Added: f.Added, Removed: f.Removed, Notes: f.Notes}
	})
	return doc, fields
}

// writeFileList prints which of several files of a skill differ.
func writeFileList(p *output.Page, files []docFile) {
	if len(files) < 2 {
		return
	}
	p.Blank()
	p.Linef("%s", diff.CountFiles(output.Mapped(files, func(f docFile) string { return f.Change })))
	for _, f := range files {
		line := "  " + pad(f.Change, 7) + "  " + (diff.File{Path: f.Path, From: f.From}).Name()
		if f.Added+f.Removed > 0 {
			line += fmt.Sprintf("  +%d -%d", f.Added, f.Removed)
		}
		if len(f.Notes) > 0 {
			line += "  " + strings.Join(f.Notes, ", ")
		}
		p.Linef("%s", line)
	}
}

// writeDiff prints the differences line by line, or with the two sides of every hunk
// next to each other.
func writeDiff(a *command.App, p *output.Page, doc docDiff, fields []diff.Field, layout diffLayout) {
	half := (columns(a) - 3) / 2
	if layout.columns {
		p.Raw(pad(output.Cut(doc.From, half), half) + " | " + output.Cut(doc.To, half))
	} else {
		p.Linef("--- %s", doc.From)
		p.Linef("+++ %s", doc.To)
	}
	if doc.From == versionName(0) {
		document.WriteSummary(p, "Reach", doc.Reach.Added)
	} else {
		document.WriteDifference(p, "Reach", doc.Reach)
	}
	if len(fields) == 0 {
		p.Linef("No difference.")
	}
	writeFileList(p, doc.Files)
	for i, f := range doc.Fields {
		p.Blank()
		if f.Part != "" && (i == 0 || doc.Fields[i-1].Part == "") {
			p.Linef("%s", diff.BesideHeading)
			p.Blank()
		}
		p.Raw(p.Paint(output.InkStrong, output.Safe(f.Path)) + " " + f.Change)
		if layout.columns {
			sideBySide(p, fields[i].Hunks(layout.around), half)
			continue
		}
		for _, h := range f.Hunks {
			document.WriteHunk(p, h)
		}
	}
}

// diffSet compares each member of a change set with its base.
func diffSet(ctx context.Context, b command.Session, a *command.App, name string, layout diffLayout) error {
	set, err := b.Desk.Reading.ShowSet(ctx, b.Actor, name)
	if err != nil {
		return err
	}
	doc := docDiffList{Head: output.NewHead("diff.list"), ChangeSet: name, ReviewDigest: set.Digest}
	fields := make([][]diff.Field, len(set.Members))
	for i, d := range set.Members {
		left, right := proposed(d)
		var one docDiff
		one, fields[i] = newDocDiff(left, right, d.Reach, layout.around)
		doc.Diffs = append(doc.Diffs, docMemberDiff{Proposal: facts.ReferenceTo(d.Proposal), From: one.From, To: one.To, Fields: one.Fields, Files: one.Files, Reach: one.Reach})
	}
	err = a.Print(doc, func(p *output.Page) {
		for i, one := range doc.Diffs {
			if i > 0 {
				p.Blank()
			}
			p.Linef("%s  %s", set.Members[i].Proposal.Handle(), one.Proposal.Subject)
			writeDiff(a, p, docDiff{From: one.From, To: one.To, Fields: one.Fields, Files: one.Files, Reach: one.Reach}, fields[i], layout)
		}
		if set.Digest != "" {
			p.Blank()
			p.Linef("review digest of the set %s", set.Digest)
		}
	})
	if err != nil {
		return err
	}
	if layout.whole(a) {
		shown(ctx, b, a, set.Members...)
	}
	return nil
}

// usualColumns is the width of a side-by-side diff where the width of the terminal
// is unknown.
const usualColumns = 160

// columns is the width of the terminal in cells.
func columns(a *command.App) int {
	if n, err := strconv.Atoi(a.Env.Getenv("COLUMNS")); err == nil && n >= 40 {
		return n
	}
	return usualColumns
}

// sideBySide prints the two sides of hunks next to each other, in half cells each.
func sideBySide(p *output.Page, hunks []diff.Hunk, half int) {
	for _, h := range hunks {
		for _, row := range h.Rows() {
			p.Raw(strings.TrimRight(cell(p, h, row.Left, half, false)+" | "+cell(p, h, row.Right, half, true), " "))
		}
	}
}

// cell is one side of a row: number, sign and text, cut and filled to width
// cells.
func cell(p *output.Page, h diff.Hunk, i, width int, right bool) string {
	if i < 0 {
		return strings.Repeat(" ", width)
	}
	line := h.Lines[i]
	number, sign, ink := line.Old, " ", output.InkNone
	switch line.Kind {
	case diff.Delete:
		sign, ink = "-", output.InkBad
	case diff.Insert:
		number, sign, ink = line.New, "+", output.InkGood
	case diff.Context:
		if right {
			number = line.New
		}
	}
	head := pad(strconv.Itoa(number), 5) + sign + " "
	return head + p.Paint(ink, pad(output.Cut(line.Text, width-len(head)), width-len(head)))
}

// pad fills s with blanks to width cells.
func pad(s string, width int) string {
	return s + strings.Repeat(" ", max(width-runewidth.StringWidth(s), 0))
}
