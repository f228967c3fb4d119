package proposal

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/mattn/go-runewidth"
	"github.com/spf13/cobra"

	"toolcrib/cli/command"
	"toolcrib/cli/document"
	"toolcrib/cli/output"
	"toolcrib/cli/process"
	"toolcrib/history/diff"
	"toolcrib/internal/lists"
	"toolcrib/proposals"
	"toolcrib/proposals/facts"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/review/reach"
	"toolcrib/review/reach/fact"
)

// docSides lists the differences between two definitions.
type docSides struct {
	From   string     `json:"from"`
	To     string     `json:"to"`
	Fields []docField `json:"fields"`
	Files  []docFile  `json:"files,omitempty"` // files of a skill that differ
	// Reach is the difference in reach. Its field new_to_registry is only set for proposals.
	Reach fact.Difference `json:"reach"`
}

type docDiff struct {
	output.Head
	docSides
}

// docFile is a file of a skill that differs between the two sides.
type docFile struct {
	Path    string   `json:"path"`
	From    string   `json:"from,omitempty"` // former path
	Change  string   `json:"change"`         // new, gone, renamed or changed
	Added   int      `json:"added"`          // number of added lines
	Removed int      `json:"removed"`
	Notes   []string `json:"notes,omitempty"` // remarks about the mode, the link target, or the bytes
}

// docDiffList contains the differences of every member of a change set.
type docDiffList struct {
	output.Head
	ChangeSet    string          `json:"change_set"`
	ReviewDigest string          `json:"review_digest"`
	Diffs        []docMemberDiff `json:"diffs"`
}

type docMemberDiff struct {
	Proposal facts.Reference `json:"proposal"`
	docSides
}

// docField is a field that differs. Hunks contains the differing lines. Values other than texts are compared as
// indented JSON.
type docField struct {
	Path   string          `json:"path"`
	Change string          `json:"change"` // added, removed or modified
	Hunks  []document.Hunk `json:"hunks"`
	// Part is "proposal" for the rationale, the examples, and the test cases, which are not
	// part of the definition.
	Part string `json:"part,omitempty"`
}

func newDiff(a *command.App) *cobra.Command {
	var layout diffLayout
	cmd := &cobra.Command{
		Use:  "diff ID | set:NAME | SUBJECT@A..B | LEFT RIGHT",
		Args: command.ArgsBetween(1, 2, "one or two versions to compare"),
		RunE: a.InSession(func(ctx context.Context, b command.Session, args []string) error {
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
			if len(args) == 1 {
				thing, span, hasSpan := strings.Cut(args[0], "@")
				from, to, hasTo := strings.Cut(span, "..")
				if !hasSpan || !hasTo || from == "" || to == "" {
					return process.Usagef("%q is not a comparison: use %s@A..B, with versions, revisions, or live", args[0], thing)
				}
				args = []string{thing + "@" + from, thing + "@" + to}
			}
			var sides [2]content
			for i, ref := range args {
				var err error
				if sides[i], err = contentOf(ctx, b, a, ref); err == nil {
					sides[i].Source, err = b.Desk.Reading.Source(ctx, sides[i].Definition)
				}
				if err != nil {
					return err
				}
			}
			return printDiff(a, sides[0], sides[1], reach.Compare(&sides[0].Definition, sides[1].Definition), layout)
		}),
	}
	cmd.Flags().IntVar(&layout.around, "context", 3, "show `N` lines around each change; -1 for all")
	cmd.Flags().BoolVar(&layout.columns, "side-by-side", false, "show both sides next to each other, $COLUMNS wide")
	return cmd
}

// diffLayout specifies how differences are printed.
type diffLayout struct {
	around  int // lines of context, or -1 for all lines
	columns bool
}

// whole reports whether the layout shows differences in full. A layout with both sides next to each other cuts long
// lines.
func (l diffLayout) whole(a *command.App) bool { return !l.columns || a.Form.JSON }

func printDiff(a *command.App, left, right content, reach fact.Difference, layout diffLayout) error {
	doc := docDiff{output.NewHead("diff"), newDocSides(left, right, reach, layout.around)}
	return a.Print(doc, func(p *output.Page) { writeDiff(a, p, doc.docSides, layout) })
}

func newDocSides(left, right content, reach fact.Difference, around int) docSides {
	fields := diff.Contents(left.Content, right.Content)
	doc := docSides{From: left.label, To: right.label, Fields: make([]docField, len(fields)), Reach: document.NewReach(reach)}
	for i, f := range fields {
		doc.Fields[i] = docField{Path: f.Path, Change: string(f.Change), Hunks: document.NewHunks(f.Hunks(around))}
		if f.Beside {
			doc.Fields[i].Part = "proposal"
		}
	}
	doc.Files = lists.Map(diff.Files(left.Definition, right.Definition), func(f diff.File) docFile {
		return docFile{Path: f.Path, From: f.From, Change: f.Word(), Added: f.Added, Removed: f.Removed, Notes: f.Notes}
	})
	return doc
}

// writeDiff prints the differences as unified lines or side by side.
func writeDiff(a *command.App, p *output.Page, doc docSides, layout diffLayout) {
	width := 160 // used if the width of the terminal is unknown
	if n, err := strconv.Atoi(a.Env.Getenv("COLUMNS")); err == nil && n >= 40 {
		width = n
	}
	half := (width - 3) / 2
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
	if len(doc.Fields) == 0 {
		p.Linef("No difference.")
	}
	if len(doc.Files) > 1 {
		p.Blank()
		p.Linef("%s", diff.CountFiles(lists.Map(doc.Files, func(f docFile) string { return f.Change })))
		for _, f := range doc.Files {
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
	for i, f := range doc.Fields {
		p.Blank()
		if f.Part != "" && (i == 0 || doc.Fields[i-1].Part == "") {
			p.Linef("%s", diff.BesideHeading)
			p.Blank()
		}
		p.Raw(p.Paint(output.InkStrong, output.Safe(f.Path)) + " " + f.Change)
		for _, h := range f.Hunks {
			if !layout.columns {
				document.WriteHunk(p, h)
				continue
			}
			for _, row := range h.Rows() {
				p.Raw(strings.TrimRight(cell(p, h.Hunk, row.Left, half, false)+" | "+cell(p, h.Hunk, row.Right, half, true), " "))
			}
		}
	}
}

// diffSet compares each member of a change set with its base version.
func diffSet(ctx context.Context, b command.Session, a *command.App, name string, layout diffLayout) error {
	set, err := b.Desk.Reading.ShowSet(ctx, b.Actor, name)
	if err != nil {
		return err
	}
	doc := docDiffList{Head: output.NewHead("diff.list"), ChangeSet: name, ReviewDigest: set.Digest}
	for _, d := range set.Members {
		left, right := proposed(d)
		doc.Diffs = append(doc.Diffs, docMemberDiff{facts.ReferenceTo(d.Proposal), newDocSides(left, right, d.Reach, layout.around)})
	}
	err = a.Print(doc, func(p *output.Page) {
		for i, one := range doc.Diffs {
			p.Gap()
			p.Linef("%s  %s", set.Members[i].Proposal.Handle(), one.Proposal.Subject)
			writeDiff(a, p, one.docSides, layout)
		}
		if set.Digest != "" {
			p.Blank()
			writeDigest(p, "review digest of the set", set.Digest)
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

// cell returns the left or right half of a row: the number, the sign, and the text of the line with index i in h. The
// result is cut or padded to width terminal cells. If i is negative, it consists of spaces.
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

// pad appends spaces to s up to a width of width terminal cells.
func pad(s string, width int) string {
	return s + strings.Repeat(" ", max(width-runewidth.StringWidth(s), 0))
}

// content is a definition to compare, with a label for display.
type content struct {
	label string
	diff.Content
}

// proposed returns the base version and the current revision of a proposal.
func proposed(d review.Dossier) (left, right content) {
	left, right = content{label: "nothing"}, content{label: fmt.Sprintf("revision %d of %s", d.Revision.Number, d.Proposal.Handle())}
	if d.Base != nil {
		left.label = versionName(d.Proposal.BaseVersion)
	}
	left.Content, right.Content = d.Change()
	return left, right
}

// contentOf returns the content that ref denotes: the definition in a file, a version of a subject, or a revision of a
// proposal. Without a number, ref denotes the live version or the current revision.
func contentOf(ctx context.Context, b command.Session, a *command.App, ref string) (content, error) {
	isFile := slices.Contains([]string{".json", ".md", ".markdown", ".ndjson"}, strings.ToLower(filepath.Ext(ref)))
	if isFile || strings.HasPrefix(ref, ".") || strings.HasPrefix(ref, "/") {
		drafts, err := a.ReadDrafts(ctx, []string{ref}, false)
		if err != nil {
			return content{}, err
		}
		if len(drafts) != 1 || drafts[0].Definition.IsZero() {
			return content{}, fmt.Errorf("diff needs a file with one definition, but %s has several, or %w", ref, command.ErrNoContent)
		}
		return content{label: ref, Content: drafted(drafts[0])}, nil
	}
	thing, which, _ := strings.Cut(ref, "@")
	if thing != "" && strings.Contains("#0123456789", thing[:1]) { // ids of tools never begin with these characters
		ids, err := b.Desk.Reading.Resolve(ctx, thing)
		switch {
		case err == nil && len(ids) == 1:
			return revisionContent(ctx, b, ids[0], which)
		case err != nil && !errors.Is(err, proposals.ErrNotFound):
			return content{}, err
		}
	}
	subject, err := a.Subject(ctx, thing)
	if err != nil {
		return content{}, err
	}
	return versionContent(ctx, a, subject, which)
}

// drafted returns the definition of a draft, with its rationale, examples, and test cases.
func drafted(d proposals.Draft) diff.Content {
	return diff.Content{Definition: d.Definition, Beside: d.Beside()}
}

func revisionContent(ctx context.Context, b command.Session, id proposals.ID, which string) (content, error) {
	d, err := b.Desk.Reading.Show(ctx, b.Actor, id)
	if err != nil {
		return content{}, err
	}
	number := d.Revision.Number
	switch which {
	case "":
	case "live":
		if d.Live == nil || d.Live.Refused != nil {
			return content{label: "nothing"}, nil
		}
		return content{label: "live " + versionName(d.Live.Version), Content: diff.Content{Definition: d.Live.Definition}}, nil
	case "base":
		if d.Base == nil {
			return content{label: "nothing"}, nil
		}
		return content{label: versionName(d.Proposal.BaseVersion), Content: diff.Content{Definition: *d.Base}}, nil
	default:
		if number, err = strconv.Atoi(strings.TrimPrefix(which, "r")); err != nil {
			return content{}, process.Usagef("%q is not a revision: use the number of a revision, base, or live", which)
		}
	}
	for _, r := range d.Revisions {
		if r.Number == number {
			return content{label: fmt.Sprintf("revision %d of %s", number, d.Proposal.Handle()), Content: drafted(r.Draft)}, nil
		}
	}
	return content{}, command.NotFoundf("revision %d of %s", number, d.Proposal.Handle())
}

func versionContent(ctx context.Context, a *command.App, subject registry.Subject, which string) (content, error) {
	before, label := 0, ""
	if which != "" && which != "live" {
		number, err := command.ParseVersion(which)
		if err != nil {
			return content{}, err
		}
		before, label = number+1, fmt.Sprintf("version %d of %s", number, subject)
	}
	versions, err := a.DB.Versions(ctx, subject, before, 1)
	if err != nil {
		return content{}, err
	}
	if len(versions) == 0 || before > 0 && versions[0].Number != before-1 {
		return content{}, command.NotFoundf("%s", label)
	}
	v := versions[0]
	if label == "" {
		label = fmt.Sprintf("live version %d of %s", v.Number, subject)
	}
	d, err := registry.DecodeDefinition(subject.Kind, v.Definition)
	if err != nil {
		return content{}, fmt.Errorf("%s: %w", label, err)
	}
	return content{label: label, Content: diff.Content{Definition: d}}, nil
}
