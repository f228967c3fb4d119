package setpage

import (
	"fmt"
	"hash/maphash"
	"maps"
	"slices"
	"strconv"
	"strings"

	"toolcrib/history/diff"
	"toolcrib/proposals"
	"toolcrib/registry/jsondoc"
	"toolcrib/review"
	"toolcrib/review/intake"
)

// around is the number of unchanged lines shown before and after a change.
const around = 2

// fewLines is the maximum number of changed lines of a field that is not folded.
const fewLines = 40

// member adds a member that does not come from a server: its heading, its findings, and its changes by field or file.
// Files that need not be read share a row.
func (b *builder) member(i int, d review.Dossier) {
	b.heading(i, d, d.Proposal.Title)
	b.list(i, nil, b.placed(i, nil))
	if !intake.Generated(d.Revision.Draft, d.Base) {
		b.list(i, besides(d.Revision.Draft), nil)
	}
	if d.Proposal.Type != proposals.Deactivate {
		b.files(i, d)
	}
}

// files adds the changes of a member.
func (b *builder) files(i int, d review.Dossier) {
	parts, known, data := map[string]review.Part{}, map[string][]string{}, []string(nil)
	for _, p := range d.Parts {
		parts[p.Path] = p
		switch {
		case p.As != "":
			known[p.As] = append(known[p.As], p.Name)
		case p.Data:
			data = append(data, p.Name)
		}
	}
	signs := map[diff.Kind]string{diff.Insert: "+", diff.Delete: "-"}
	before, after := d.Change()
	for _, f := range diff.Contents(before, after) {
		part, file := parts[f.Path]
		known := func(p review.Part) bool { return !p.New() && within(f.Path, jsondoc.Join("files", p.Name)) }
		if slices.ContainsFunc(d.Parts, known) {
			continue
		}
		if !file && d.Parts != nil && d.Base == nil {
			continue // its id and path, which are part of the heading
		}
		name := f.Path
		if file {
			name = part.Name
		}
		patch := f.Patch()
		before, after := f.Lines()
		if !strings.Contains(strings.TrimSuffix(before, "\n"), "\n") && !strings.Contains(strings.TrimSuffix(after, "\n"), "\n") {
			for _, h := range patch.Unified(0) { // at most one line on each side, each with the name
				for _, l := range h.Lines {
					b.add(Row{Kind: Text, Tool: i, Sign: signs[l.Kind], Name: name, Text: l.Text})
				}
			}
			continue
		}
		removed, added := patch.Changed()
		detail := "+" + strconv.Itoa(added)
		if removed > 0 {
			detail += " −" + strconv.Itoa(removed)
		}
		b.add(Row{Kind: File, Tool: i, Name: name, Detail: detail, Part: name})
		fold := file || added+removed > fewLines
		for _, h := range patch.Unified(around) {
			for n := 0; n < len(h.Lines); n++ {
				row := Row{Kind: Text, Tool: i, Sign: signs[h.Lines[n].Kind], Text: h.Lines[n].Text, Part: name, Fold: fold}
				if file {
					if at, same := b.repeats(h.Lines[n:]); same > 0 {
						row.Name, row.Detail, row.Text = "as in "+b.nameOf(at.member)+" "+at.part, counted(same, "line"), h.Lines[n].Text
						row.From, n = at.member+1, n+same-1
					}
				}
				b.add(row)
			}
			b.remember(h.Lines, i, name)
		}
	}
	for _, as := range slices.Sorted(maps.Keys(known)) {
		b.add(Row{Kind: File, Tool: i, Name: "as in " + as, Detail: counted(len(known[as]), "file"), Text: some(known[as])})
	}
	if len(data) > 0 {
		b.add(Row{Kind: File, Tool: i, Name: "by hash", Detail: counted(len(data), "data file"), Text: some(data)})
	}
}

// leastPassage is the minimum number of lines of a passage that is not shown again.
const leastPassage = 8

// lineAt is a line of a part of a member.
type lineAt struct {
	member int
	part   string
	lines  []diff.Line // from there to the end of its hunk
}

// passage returns the hash of the passage at the beginning of added lines, or false if they are too few.
func (b *builder) passage(lines []diff.Line) (hash uint64, ok bool) {
	if len(lines) < leastPassage {
		return 0, false
	}
	var h maphash.Hash
	h.SetSeed(b.seed)
	for _, l := range lines[:leastPassage] {
		if l.Kind != diff.Insert {
			return 0, false
		}
		_, _ = h.WriteString(l.Text) // never fails
		_ = h.WriteByte('\n')
	}
	return h.Sum64(), true
}

// repeats returns the place of the passage at the beginning of lines in an earlier file, and the number of equal lines.
func (b *builder) repeats(lines []diff.Line) (at lineAt, same int) {
	hash, ok := b.passage(lines)
	if !ok {
		return at, 0
	}
	at = b.lines[hash]
	for same < min(len(lines), len(at.lines)) && lines[same].Kind == diff.Insert && at.lines[same].Text == lines[same].Text {
		same++
	}
	if same < leastPassage {
		return at, 0
	}
	return at, same
}

// remember stores the passages of a hunk for later files.
func (b *builder) remember(lines []diff.Line, member int, part string) {
	for n := range lines {
		if hash, ok := b.passage(lines[n:]); ok && b.lines[hash].lines == nil {
			b.lines[hash] = lineAt{member, part, lines[n:]}
		}
	}
}

// mostNames limits the number of names in a row.
const mostNames = 6

// some lists the first few names and the number of others.
func some(names []string) string {
	if more := len(names) - mostNames; more > 0 {
		return strings.Join(names[:mostNames], ", ") + fmt.Sprintf(" and %d more", more)
	}
	return strings.Join(names, ", ")
}
