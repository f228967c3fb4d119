package setpage

import (
	"fmt"
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
		for _, h := range patch.Unified(around) {
			for _, l := range h.Lines {
				b.add(Row{Kind: Text, Tool: i, Sign: signs[l.Kind], Text: l.Text, Part: name, Fold: file || added+removed > fewLines})
			}
		}
	}
	for _, as := range slices.Sorted(maps.Keys(known)) {
		b.add(Row{Kind: File, Tool: i, Name: "as in " + as, Detail: counted(len(known[as]), "file"), Text: some(known[as])})
	}
	if len(data) > 0 {
		b.add(Row{Kind: File, Tool: i, Name: "by hash", Detail: counted(len(data), "data file"), Text: some(data)})
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
