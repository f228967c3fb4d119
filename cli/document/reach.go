// This file defines the documents for differences in reach and for hunks of diffs. It also prints these documents,
// definitions, and suggested exclusions.

package document

import (
	"fmt"
	"slices"
	"strings"

	"toolcrib/cli/output"
	"toolcrib/history/diff"
	"toolcrib/internal/lists"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/wire"
	"toolcrib/review"
	"toolcrib/review/reach/fact"

	"golang.org/x/text/unicode/norm"
)

// NewReach returns a copy of d for a JSON document, in which empty lists are [] and not null. The
// copy omits unchanged sentences (facts of the kind fact.Text).
func NewReach(d fact.Difference) fact.Difference {
	kept := slices.DeleteFunc(slices.Clone(d.Unchanged), func(f fact.Fact) bool { return f.Kind == fact.Text })
	return fact.Difference{Added: append([]fact.Fact{}, d.Added...), Removed: append([]fact.Fact{}, d.Removed...), Unchanged: append([]fact.Fact{}, kept...)}
}

// WriteReach prints how proposals change the reach of definitions. For proposals without a base version, it prints
// one summary of all their facts by kind. For each other proposal, it prints the facts that the proposal adds and
// removes.
func WriteReach(p *output.Page, ds ...review.Dossier) {
	WriteSummary(p, "Reach", review.NewReach(ds))
	for _, d := range ds {
		title := "Reach"
		if len(ds) > 1 {
			title += " of " + d.Proposal.Handle() + " " + d.Proposal.Subject.String()
		}
		if d.Base != nil {
			WriteDifference(p, title, d.Reach)
		}
	}
}

// WriteDifference prints the title, followed by the facts that a change adds or removes. It prints nothing if there are
// no such facts.
func WriteDifference(p *output.Page, title string, d fact.Difference) {
	if len(d.Added)+len(d.Removed) == 0 {
		return
	}
	p.Gap()
	p.Linef("%s (unchanged: %d)", title, len(NewReach(d).Unchanged))
	for _, line := range fact.Lines(d) {
		p.Linef("  %s", line)
	}
}

// WriteSummary prints the title, followed by a line for each kind of fact. It prints nothing if all facts are of the
// kind fact.Text.
func WriteSummary(p *output.Page, title string, facts []fact.Fact) {
	lines := fact.Summary(facts)
	if len(lines) == 0 {
		return
	}
	p.Gap()
	p.Linef("%s", title)
	for _, line := range lines {
		p.Linef("  %s", line)
	}
}

// Hunk is a hunk of a diff for JSON documents.
type Hunk struct {
	diff.Hunk
	// Normalization is true if the old and the new lines look the same, because they differ only in their Unicode
	// normalization.
	Normalization bool `json:"normalization,omitempty"`
}

// NewHunks converts hunks of a diff to documents.
func NewHunks(hunks []diff.Hunk) []Hunk {
	return lists.Map(hunks, func(h diff.Hunk) Hunk {
		var sides [2]string // deleted lines and inserted lines
		for _, l := range h.Lines {
			switch l.Kind {
			case diff.Delete:
				sides[0] += l.Text + "\n"
			case diff.Insert:
				sides[1] += l.Text + "\n"
			case diff.Context:
			}
		}
		same := sides[0] != sides[1] && norm.NFC.String(sides[0]) == norm.NFC.String(sides[1])
		return Hunk{h, same}
	})
}

// WriteHunk prints a hunk in the format of a unified diff.
func WriteHunk(p *output.Page, h Hunk) {
	open := map[diff.Kind]bool{} // kinds of lines without a line feed at the end; a note shows this difference
	for _, l := range h.Lines {
		open[l.Kind] = open[l.Kind] || l.NoNewline
	}
	ends := open[diff.Delete] != open[diff.Insert]
	p.Raw(p.Paint(output.InkFaint, "@@ -"+lineRange(h.OldStart, h.OldLines)+" +"+lineRange(h.NewStart, h.NewLines)+" @@"))
	for _, l := range h.Lines {
		switch l.Kind {
		case diff.Delete:
			p.Raw(p.Paint(output.InkBad, "-") + marked(p, output.InkBad, l))
		case diff.Insert:
			p.Raw(p.Paint(output.InkGood, "+") + marked(p, output.InkGood, l))
		case diff.Context:
			p.Raw(" " + output.Safe(l.Text))
		}
		if l.NoNewline && ends {
			p.Raw(`\ no line feed at the end`)
		}
	}
	if h.Normalization {
		p.Raw(`\ the lines look the same; only their Unicode normalization differs`)
	}
}

// marked formats the changed line l in the color i, with inverted colors for the changed words. It sanitizes each part
// of the line separately, because sanitizing changes the positions of the words in the line.
func marked(p *output.Page, i output.Ink, l diff.Line) string {
	if len(l.Spans) == 0 {
		return p.Paint(i, output.Safe(l.Text))
	}
	out, at := "", 0
	for _, s := range l.Spans {
		out += p.Paint(i, output.Safe(l.Text[at:s.Start])) + p.Paint(i+";7", output.Safe(l.Text[s.Start:s.End]))
		at = s.End
	}
	return out + p.Paint(i, output.Safe(l.Text[at:]))
}

func lineRange(start, lines int) string {
	if lines == 1 {
		return output.Itoa(start)
	}
	return output.Itoa(start) + "," + output.Itoa(lines)
}

// WriteDefinition prints all keys of a definition. It prints multi-line strings as indented text, and other values as
// JSON.
func WriteDefinition(p *output.Page, d registry.Definition) {
	doc, err := jsondoc.Parse(d.Canonical(), jsondoc.DefaultLimits)
	if err != nil {
		panic(fmt.Sprintf("cli: canonical JSON does not parse: %v", err))
	}
	for _, key := range d.Keys() {
		v := doc.Get(key)
		switch {
		case v == nil:
		case key == "files" && d.Folder() != nil:
			for _, name := range d.Folder().Paths() {
				file := d.Folder().Files[name]
				line := name
				if notes := diff.AboutWhole(file); len(notes) > 0 {
					line += ": " + strings.Join(notes, ", ")
				}
				p.Linef("  %s", line)
				if file.Text != "" {
					p.Text("    ", file.Text)
				}
			}
		case key == "source" && d.Tool != nil && len(d.Tool.Source.Excluded) > 0:
			p.Linef("  %s: %s", key, output.Scalar(v))
			for _, e := range d.Tool.Source.Excluded {
				p.Linef("    excluded from the pin: %s", e)
			}
		case output.IsText(v):
			p.Linef("  %s", key)
			p.Text("    ", v.Text)
		default:
			p.Linef("  %s: %s", key, output.Scalar(v))
		}
	}
}

// WriteSuggestions prints the parts of a tool that seem to differ in every tool list of its server. For each part, it
// also prints the command that excludes the part from the comparison. ref is the reference to the tool in these
// commands.
func WriteSuggestions(p *output.Page, suggested []wire.Suggestion, ref string) {
	for _, s := range suggested {
		flags := "--path " + output.ShellWord(s.Path)
		if s.Pattern != "" {
			flags += " --pattern " + output.ShellWord(s.Pattern)
		}
		p.Linef("Characters %d–%d of %s differ between two tool lists of the server. If the server changes them in every list, exclude them: toolcrib exclude %s %s", s.From+1, s.To, s.Path, ref, flags)
	}
}
