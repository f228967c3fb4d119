package document

import (
	"toolcrib/cli/output"
	"toolcrib/history/diff"
)

// Hunk is a passage of a diff.
type Hunk struct {
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

// NewHunks returns the document of the hunks of a text.
func NewHunks(hunks []diff.Hunk) []Hunk {
	return output.Mapped(hunks, func(h diff.Hunk) Hunk {
		return Hunk{OldStart: h.OldStart, OldLines: h.OldLines, NewStart: h.NewStart, NewLines: h.NewLines, Lines: output.Mapped(h.Lines, newDocDiffLine)}
	})
}

func newDocDiffLine(l diff.Line) docDiffLine {
	return docDiffLine{
		Kind: l.Kind.String(), Old: l.Old, New: l.New, Text: l.Text, NoNewline: l.NoNewline,
		Spans: output.Mapped(l.Spans, func(s diff.Span) [2]int { return [2]int{s.Start, s.End} }),
	}
}

// endsDiffer reports whether only one side of a hunk lacks the line feed at the
// end, which is a change that nothing else shows.
func endsDiffer(h Hunk) bool {
	open := map[string]bool{}
	for _, l := range h.Lines {
		open[l.Kind] = open[l.Kind] || l.NoNewline
	}
	return open["delete"] != open["insert"]
}

// WriteHunk prints a hunk with the signs of a unified diff.
func WriteHunk(p *output.Page, h Hunk) {
	ends := endsDiffer(h)
	p.Raw(p.Paint(output.InkFaint, "@@ -"+lineRange(h.OldStart, h.OldLines)+" +"+lineRange(h.NewStart, h.NewLines)+" @@"))
	for _, l := range h.Lines {
		switch l.Kind {
		case "delete":
			p.Raw(p.Paint(output.InkBad, "-") + marked(p, output.InkBad, l))
		case "insert":
			p.Raw(p.Paint(output.InkGood, "+") + marked(p, output.InkGood, l))
		default:
			p.Raw(" " + output.Safe(l.Text))
		}
		if l.NoNewline && ends {
			p.Raw(`\ no line feed at the end`)
		}
	}
}

// marked colours a changed line and turns the changed words of it over. Each
// part passes the gate by itself, so that the marks stay where they belong.
func marked(p *output.Page, i output.Ink, l docDiffLine) string {
	if len(l.Spans) == 0 {
		return p.Paint(i, output.Safe(l.Text))
	}
	out, at := "", 0
	for _, s := range l.Spans {
		out += p.Paint(i, output.Safe(l.Text[at:s[0]])) + p.Paint(i+";7", output.Safe(l.Text[s[0]:s[1]]))
		at = s[1]
	}
	return out + p.Paint(i, output.Safe(l.Text[at:]))
}

func lineRange(start, lines int) string {
	if lines == 1 {
		return output.Itoa(start)
	}
	return output.Itoa(start) + "," + output.Itoa(lines)
}
