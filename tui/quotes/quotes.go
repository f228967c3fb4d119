// Package quotes quotes lines of a proposal: those of findings and of comments.
package quotes

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"toolcrib/proposals"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/wire"
	"toolcrib/review"
	"toolcrib/tui/draw"
	"toolcrib/tui/labels"
	"toolcrib/tui/pager"
	"toolcrib/tui/prose"
	"toolcrib/tui/theme"
	"toolcrib/tui/wording"
)

// Quotes quotes lines of one proposal.
type Quotes struct {
	source   *jsondoc.Node // the revision, once a line of it was quoted
	sourceOf string        // its content hash
	lines    map[review.Anchor]quoted
}

// maxPassage is how much of a passage is quoted, in bytes; all of it stands in
// the diff.
const maxPassage = 2000

// Findings writes findings of a dossier, each row a stop, and each passage once, below its
// rows. seen gets how many bytes of each quoted line have to be on the screen.
func (q *Quotes) Findings(page *prose.Page, th theme.Theme, d review.Dossier, list []Row, seen map[pager.Text]int) {
	var remedies []string
	for i, r := range list {
		s := r[0]
		for _, f := range r {
			for _, remedy := range f.Remedies() {
				if !slices.Contains(remedies, remedy) {
					remedies = append(remedies, remedy)
				}
			}
		}
		sign, style := labels.Severity(th, s.Severity)
		if s.Waiver != nil {
			sign, style = "□ waived", th.Faint
		}
		var where draw.Safe
		if i == 0 || !samePassage(list[i-1][0], s) {
			if where = draw.Show(wording.Place(s.Path)); s.Line > 0 {
				where += draw.Showf(" %d:%d", s.Line, s.Column)
			}
		}
		page.Stop()
		page.Line(draw.Of(style, " "+draw.Pad(sign, 9)).Add(th.Strong, draw.Show(r.Rules())+"  ").Add(th.Faint, where))
		page.Text("          ", r.deeds())
		if s.Waiver != nil {
			page.Faint("          ", "waived by "+s.Waiver.By+": "+s.Waiver.Reason)
		}
		if i+1 < len(list) && samePassage(s, list[i+1][0]) {
			continue
		}
		id := FindingID(s)
		for n, of := range q.passage(d, s) {
			page.TrackedMarks("        ┃ ", of.text, th.Faint, []draw.Mark{{Start: of.start, End: of.end, Style: th.Mark}}, id+pager.Text(n))
			seen[id+pager.Text(n)] = of.end
		}
		for _, remedy := range remedies {
			page.Faint("          ", "→ "+remedy)
		}
		if remedies = nil; i+1 < len(list) {
			page.Blank()
		}
	}
}

// quotation is a line in which a passage stands from start to before end.
type quotation struct {
	text       string
	start, end int
}

// around is how much of its line is quoted on either side of a passage, in
// characters.
const around = 32

// PassageLines are the lines of a passage, as much as is quoted.
func PassageLines(s review.Standing) []string {
	switch {
	case s.Passage == "":
		return nil
	case len(s.Passage) > maxPassage:
		return strings.Split(strings.ToValidUTF8(s.Passage[:maxPassage], "")+" …", "\n")
	}
	return strings.Split(s.Passage, "\n")
}

// passage quotes the passage of a finding: one line with its context, several
// without.
func (q *Quotes) passage(d review.Dossier, s review.Standing) []quotation {
	lines := PassageLines(s)
	out := make([]quotation, len(lines))
	for i, l := range lines {
		out[i] = quotation{l, 0, len(l)}
	}
	if len(lines) != 1 || s.Line == 0 || s.Passage != lines[0] {
		return out
	}
	line, ok := q.line(d, s.Path, s.Line)
	if !ok {
		return out
	}
	runes := []rune(line)
	at := min(max(0, s.Column-1), len(runes))
	rest := string(runes[at:])
	if !strings.HasPrefix(rest, s.Passage) {
		return out
	}
	before, after := runes[max(0, at-around):at], []rune(rest[len(s.Passage):])
	quote := quotation{text: string(before)}
	if at > around {
		quote.text = "…" + quote.text
	}
	quote.start, quote.end = len(quote.text), len(quote.text)+len(s.Passage)
	quote.text += s.Passage + string(after[:min(len(after), around)])
	if len(after) > around {
		quote.text += "…"
	}
	return []quotation{quote}
}

// line returns a line of a field of the revision, counted from 1.
func (q *Quotes) line(d review.Dossier, path string, n int) (string, bool) {
	draft := d.Revision.Draft
	if hash := d.Revision.ContentHash; q.source == nil || q.sourceOf != hash {
		doc, err := jsondoc.Parse(draft.Canonical(), jsondoc.DefaultLimits)
		if err != nil {
			return "", false
		}
		q.source, q.sourceOf = doc, hash
	}
	field := q.source.Find(path)
	if below, ok := strings.CutPrefix(path, wire.SourcePath); ok {
		field = nil
		if t := draft.Definition.Tool; t != nil {
			field = wire.Unread(*t, d.Source).Find(below)
		}
	}
	if field == nil || field.Kind != jsondoc.String {
		return "", false
	}
	lines := strings.Split(field.Text, "\n")
	if n > len(lines) {
		return "", false
	}
	return lines[n-1], true
}

// FindingID names the passage of a finding for the pager.
func FindingID(s review.Standing) pager.Text {
	h := fnv.New64a()
	fmt.Fprintf(h, "%s %d:%d %s", s.Path, s.Line, s.Column, s.PassageHash())
	return pager.Text(h.Sum64()&^0xffff | 1)
}

// Line returns the line that an anchor is on, "" for a field as a whole; false
// when there is none.
func (q *Quotes) Line(d review.Dossier, at review.Anchor) (string, bool) {
	if known, ok := q.lines[at]; ok {
		return known.text, known.ok
	}
	var found quoted
	for _, r := range d.Revisions {
		if r.Number == at.Revision {
			found = quoteOf(r.Draft, at)
		}
	}
	if q.lines == nil {
		q.lines = map[review.Anchor]quoted{}
	}
	q.lines[at] = found
	return found.text, found.ok
}

// quoted is a line that was looked up.
type quoted struct {
	text string
	ok   bool
}

func quoteOf(d proposals.Draft, at review.Anchor) quoted {
	doc, err := jsondoc.Parse(d.Canonical(), jsondoc.DefaultLimits)
	if err != nil {
		return quoted{}
	}
	field := doc.Find(at.Field)
	switch {
	case field == nil:
		return quoted{}
	case at.Line == 0:
		return quoted{ok: true}
	case field.Kind != jsondoc.String:
		return quoted{string(jsondoc.Canonical(field)), true}
	}
	lines := strings.Split(field.Text, "\n")
	if at.Line > len(lines) {
		return quoted{}
	}
	return quoted{lines[at.Line-1], true}
}
