// Package quotes quotes the lines of a proposal to which findings and comments refer.
package quotes

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"toolcrib/internal/lists"
	"toolcrib/proposals"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/wire"
	"toolcrib/review"
	"toolcrib/review/rules"
	"toolcrib/tui/draw"
	"toolcrib/tui/labels"
	"toolcrib/tui/pager"
	"toolcrib/tui/prose"
	"toolcrib/tui/theme"
	"toolcrib/tui/wording"
)

// Quotes quotes lines of proposals. It caches parsed revisions. The zero value is ready to use.
type Quotes struct {
	docs map[revision]*jsondoc.Node // parsed revisions; nil if a revision cannot be parsed
}

type revision struct {
	number int
	hash   string // content hash
}

// field returns the value at path in a revision. It returns nil if the path does not exist or the revision
// cannot be parsed.
func (q *Quotes) field(r proposals.Revision, path string) *jsondoc.Node {
	key := revision{r.Number, r.ContentHash}
	doc, known := q.docs[key]
	if !known {
		doc, _ = jsondoc.Parse(r.Draft.Canonical(), jsondoc.DefaultLimits) // nil if the draft cannot be parsed
		if q.docs == nil {
			q.docs = map[revision]*jsondoc.Node{}
		}
		q.docs[key] = doc
	}
	if doc == nil {
		return nil
	}
	return doc.Find(path)
}

// lineOf returns line n of text. The first line is line 1.
func lineOf(text string, n int) (string, bool) {
	lines := strings.Split(text, "\n")
	if n > len(lines) {
		return "", false
	}
	return lines[n-1], true
}

// maxPassage is the maximum length of a quoted passage, in bytes. Longer passages are cut; the diff shows them
// in full.
const maxPassage = 2000

// Findings lists the findings of a dossier. Each row of findings is a stop. If several rows have the same
// passage, it is quoted once, below the last row. For each quoted line, Findings stores in required how many
// bytes the user must see.
func (q *Quotes) Findings(page *prose.Page, th theme.Theme, d review.Dossier, list []Row, required map[pager.TextID]int) {
	var remedies []string
	for i, r := range list {
		s := r[0]
		for _, f := range r {
			remedies = lists.Union(remedies, f.Remedies())
		}
		sign, style := labels.Severity(th, s.Severity)
		if s.Waiver != nil {
			sign, style = "□ waived", th.Faint
		}
		var where draw.Safe
		if i == 0 || !samePassage(list[i-1][0], s) {
			if where = draw.Escape(wording.FieldName(s.Path)); s.Line > 0 {
				where += draw.Escapef(" %d:%d", s.Line, s.Column)
			}
		}
		page.Stop()
		page.Line(draw.Of(style, " "+draw.Pad(sign, 9)).Add(th.Strong, draw.Escape(r.Rules())+"  ").Add(th.Faint, where))
		page.Text("          ", r.actions())
		if s.Waiver != nil {
			page.Faint("          ", "waived by "+s.Waiver.By+": "+s.Waiver.Reason)
		}
		if i+1 < len(list) && samePassage(s, list[i+1][0]) {
			continue
		}
		id := FindingID(s)
		for n, of := range q.passage(d, s) {
			page.TrackedMarks("        ┃ ", of.text, th.Faint, []draw.Mark{{Start: of.start, End: of.end, Style: th.Mark}}, id+pager.TextID(n))
			required[id+pager.TextID(n)] = of.end
		}
		for _, remedy := range remedies {
			page.Faint("          ", "→ "+remedy)
		}
		if remedies = nil; i+1 < len(list) {
			page.Blank()
		}
	}
}

// quotation is a line that contains a passage. The passage extends from offset start to offset end.
type quotation struct {
	text       string
	start, end int
}

// contextChars is the maximum number of characters that are quoted on each side of a passage.
const contextChars = 32

// PassageLines returns the lines of the quotation of a finding's passage.
func PassageLines(s review.Standing) []string {
	switch {
	case s.Passage == "":
		return nil
	case len(s.Passage) > maxPassage:
		return strings.Split(strings.ToValidUTF8(s.Passage[:maxPassage], "")+" …", "\n")
	}
	return strings.Split(s.Passage, "\n")
}

// passage quotes the passage of a finding. If the passage is part of a single line, the quotation includes text
// before and after it.
func (q *Quotes) passage(d review.Dossier, s review.Standing) []quotation {
	lines := PassageLines(s)
	out := lists.Map(lines, func(l string) quotation { return quotation{l, 0, len(l)} })
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
	before, after := runes[max(0, at-contextChars):at], []rune(rest[len(s.Passage):])
	quote := quotation{text: string(before)}
	if at > contextChars {
		quote.text = "…" + quote.text
	}
	quote.start, quote.end = len(quote.text), len(quote.text)+len(s.Passage)
	quote.text += s.Passage + string(after[:min(len(after), contextChars)])
	if len(after) > contextChars {
		quote.text += "…"
	}
	return []quotation{quote}
}

// line returns line n of the field at path in the current revision. The first line is line 1.
func (q *Quotes) line(d review.Dossier, path string, n int) (string, bool) {
	field := q.field(d.Revision, path)
	if below, ok := strings.CutPrefix(path, wire.SourcePath); ok {
		field = nil
		if t := d.Revision.Draft.Definition.Tool; t != nil {
			field = wire.Unread(*t, d.Source).Find(below)
		}
	}
	if field == nil || field.Kind != jsondoc.String {
		return "", false
	}
	return lineOf(field.Text, n)
}

// FindingID returns the ID of the first line of a finding's passage in the record of a pager.
func FindingID(s review.Standing) pager.TextID {
	h := fnv.New64a()
	fmt.Fprintf(h, "%s %d:%d %s", s.Path, s.Line, s.Column, s.PassageHash())
	return pager.TextID(h.Sum64()&^0xffff | 1)
}

// Line returns the line at anchor, or "" if anchor is a whole field. It returns false if the field or the line
// does not exist.
func (q *Quotes) Line(d review.Dossier, anchor review.Anchor) (string, bool) {
	for _, r := range d.Revisions {
		if r.Number != anchor.Revision {
			continue
		}
		switch field := q.field(r, anchor.Field); {
		case field == nil:
			return "", false
		case anchor.Line == 0:
			return "", true
		case field.Kind != jsondoc.String:
			return string(jsondoc.Canonical(field)), true
		default:
			return lineOf(field.Text, anchor.Line)
		}
	}
	return "", false
}

// Row contains the findings of a row: a single finding, or several findings without a waiver that have the same
// severity and passage.
type Row []review.Standing

// Rows groups findings into rows. Rows with the same passage are adjacent, at the position of the first finding
// with this passage.
func Rows(all []review.Standing) []Row {
	type passage struct {
		path, text   string
		line, column int
	}
	var groups [][]Row
	known := map[passage]int{}
	for _, s := range all {
		at := passage{s.Path, s.Passage, s.Line, s.Column}
		n, ok := known[at]
		if !ok || s.Passage == "" {
			n = len(groups)
			known[at], groups = n, append(groups, nil)
		}
		last := len(groups[n]) - 1
		if last < 0 || s.Waiver != nil || groups[n][last][0].Waiver != nil || groups[n][last][0].Severity != s.Severity {
			groups[n] = append(groups[n], Row{s})
		} else {
			groups[n][last] = append(groups[n][last], s)
		}
	}
	return slices.Concat(groups...)
}

func samePassage(a, b review.Standing) bool {
	return a.Passage != "" && a.Passage == b.Passage && a.Path == b.Path && a.Line == b.Line && a.Column == b.Column
}

// Rules returns the rule IDs of the findings in r, separated by spaces.
func (r Row) Rules() string {
	ids := lists.Map(r, func(s review.Standing) string { return s.Rule })
	return strings.Join(ids, " ")
}

// actions describes the actions in the passage without quoting it.
func (r Row) actions() string {
	if len(r) == 1 {
		return r[0].Deed()
	}
	var deeds []string
	for _, s := range r {
		if deed := strings.TrimSuffix(s.Deed(), "."); !slices.Contains(deeds, deed) {
			deeds = append(deeds, deed)
		}
	}
	return strings.Join(deeds, " · ")
}

// Message describes the findings of row n. It quotes the passage, unless the previous row has the same passage.
func Message(list []Row, n int) string {
	switch r := list[n]; {
	case n > 0 && samePassage(list[n-1][0], r[0]):
		return r.actions()
	case len(r) == 1:
		return r[0].Message
	case !r[0].HasQuote():
		return r.actions()
	default:
		return r.actions() + ": " + rules.Quotation(r[0].Passage)
	}
}
