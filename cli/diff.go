package cli

import (
	"context"

	"github.com/spf13/cobra"

	"toolcrib/history/diff"
)

type docDiff struct {
	Schema int        `json:"schema"`
	Kind   string     `json:"kind"`
	From   string     `json:"from"`
	To     string     `json:"to"`
	Fields []docField `json:"fields"`
}

// docField is one field that differs. Hunks compare texts line by line, and
// other values as indented JSON.
type docField struct {
	Path   string    `json:"path"`
	Change string    `json:"change"` // added, removed or modified
	Hunks  []docHunk `json:"hunks"`
}

type docHunk struct {
	OldStart int           `json:"old_start"`
	OldLines int           `json:"old_lines"`
	NewStart int           `json:"new_start"`
	NewLines int           `json:"new_lines"`
	Lines    []docDiffLine `json:"lines"`
}

// docDiffLine is a line of a hunk. Spans are the changed parts of its text, in
// bytes, from and to.
type docDiffLine struct {
	Kind      string   `json:"kind"` // context, delete or insert
	Old       int      `json:"old,omitempty"`
	New       int      `json:"new,omitempty"`
	Text      string   `json:"text"`
	NoNewline bool     `json:"no_newline,omitempty"`
	Spans     [][2]int `json:"spans,omitempty"`
}

func newDiff(a *app) *cobra.Command {
	var around int
	var columns bool
	cmd := &cobra.Command{
		Use:   "diff ID | SUBJECT@A..B | LEFT RIGHT",
		Short: "Compare what was, is and would be",
		Long: `Compare two definitions field by field, line by line and word by word. For what
was imported, paths that begin with source: are those of the JSON it came in.

One argument: the id of a proposal, whose current revision is held against the
version it was made from; or SUBJECT@A..B for two versions; or ID@A..B for two
revisions. Two arguments, each one of: SUBJECT (the live version), SUBJECT@N,
ID (the current revision), ID@N, ID@base, ID@live, or a file. Nothing is
changed.`,
		Example: `  toolcrib diff 0199f3
  toolcrib diff tool:user/scene_pacer@1..2
  toolcrib diff scene_pacer@1..live
  toolcrib diff scene_pacer pacer.md`,
		Args: between(1, 2, "one or two things to compare"),
		RunE: func(cmd *cobra.Command, args []string) error { return runDiff(cmd.Context(), a, args, around, columns) },
	}
	cmd.Flags().IntVar(&around, "context", 3, "show `N` lines around each change; -1 for all")
	cmd.Flags().BoolVar(&columns, "side-by-side", false, "show both sides next to each other, $COLUMNS wide")
	return cmd
}

func runDiff(ctx context.Context, a *app, args []string, around int, columns bool) error {
	b, err := a.bind(ctx)
	if err != nil {
		return err
	}
	var left, right content
	if len(args) == 1 {
		left, right, err = b.sides(ctx, a, args[0])
	} else if left, err = b.content(ctx, a, args[0]); err == nil {
		right, err = b.content(ctx, a, args[1])
	}
	if err != nil {
		return err
	}
	for _, side := range []*content{&left, &right} {
		if side.Source, err = b.desk.Source(ctx, side.Definition); err != nil {
			return err
		}
	}
	fields := diff.Contents(left.Content, right.Content)
	doc := docDiff{Schema: schema, Kind: "diff", From: left.label, To: right.label, Fields: make([]docField, len(fields))}
	for i, f := range fields {
		doc.Fields[i] = docField{Path: f.Path, Change: string(f.Change), Hunks: newDocHunks(f.Hunks(around))}
	}
	return a.print(doc, func(p *page) {
		if columns {
			writeColumns(p, doc, fields, around, a.columns())
			return
		}
		writeDiff(p, doc)
	})
}

func newDocHunks(hunks []diff.Hunk) []docHunk {
	docs := make([]docHunk, len(hunks))
	for i, h := range hunks {
		docs[i] = docHunk{OldStart: h.OldStart, OldLines: h.OldLines, NewStart: h.NewStart, NewLines: h.NewLines, Lines: make([]docDiffLine, len(h.Lines))}
		for j, l := range h.Lines {
			line := docDiffLine{Kind: l.Kind.String(), Old: l.Old, New: l.New, Text: l.Text, NoNewline: l.NoNewline}
			for _, s := range l.Spans {
				line.Spans = append(line.Spans, [2]int{s.Start, s.End})
			}
			docs[i].Lines[j] = line
		}
	}
	return docs
}

func writeDiff(p *page, doc docDiff) {
	p.linef("--- %s", doc.From)
	p.linef("+++ %s", doc.To)
	if len(doc.Fields) == 0 {
		p.linef("No difference.")
	}
	for _, f := range doc.Fields {
		p.blank()
		p.raw(p.paint(inkStrong, safe(f.Path)) + " " + f.Change)
		for _, h := range f.Hunks {
			writeHunk(p, h)
		}
	}
}

// endsDiffer reports whether only one side of a hunk lacks the line feed at the
// end, which is a change that nothing else shows.
func endsDiffer(h docHunk) bool {
	open := map[string]bool{}
	for _, l := range h.Lines {
		open[l.Kind] = open[l.Kind] || l.NoNewline
	}
	return open["delete"] != open["insert"]
}

func writeHunk(p *page, h docHunk) {
	ends := endsDiffer(h)
	p.raw(p.paint(inkFaint, "@@ -"+lineRange(h.OldStart, h.OldLines)+" +"+lineRange(h.NewStart, h.NewLines)+" @@"))
	for _, l := range h.Lines {
		switch l.Kind {
		case "delete":
			p.raw(p.paint(inkBad, "-") + p.marked(inkBad, l))
		case "insert":
			p.raw(p.paint(inkGood, "+") + p.marked(inkGood, l))
		default:
			p.raw(" " + safe(l.Text))
		}
		if l.NoNewline && ends {
			p.raw(`\ no line feed at the end`)
		}
	}
}

// marked colours a changed line and turns the changed words of it over. Each
// part passes the gate by itself, so that the marks stay where they belong.
func (p *page) marked(i ink, l docDiffLine) string {
	if len(l.Spans) == 0 {
		return p.paint(i, safe(l.Text))
	}
	out, at := "", 0
	for _, s := range l.Spans {
		out += p.paint(i, safe(l.Text[at:s[0]])) + p.paint(i+";7", safe(l.Text[s[0]:s[1]]))
		at = s[1]
	}
	return out + p.paint(i, safe(l.Text[at:]))
}

func lineRange(start, lines int) string {
	if lines == 1 {
		return itoa(start)
	}
	return itoa(start) + "," + itoa(lines)
}
