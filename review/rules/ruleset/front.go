// This file checks the texts in front matter separately.

package ruleset

import (
	"context"
	"slices"
	"strings"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/mdfile"
	"toolcrib/registry/spans"
	"toolcrib/review/rules"
)

// frontFamilies contains the letters of the families of rules that check front matter twice: as part
// of the file, and text by text.
const frontFamilies = "SP"

// front checks each text in the front matter of the files of c separately. Clients add these texts
// to the context of a model without the surrounding front matter. Quotation marks around a text
// therefore belong to the syntax of front matter and do not mark a quotation. The letters select
// the families of rules; see CheckFamilies. The result omits findings that an element of reported
// already covers.
func (s Set) front(ctx context.Context, c *rules.Change, letters string, reported []rules.Finding) ([]rules.Finding, error) {
	families := strings.Map(func(r rune) rune {
		if letters == "" || strings.ContainsRune(letters, r) {
			return r
		}
		return -1
	}, frontFamilies)
	if c.Draft.Definition.Folder() == nil || families == "" {
		return nil, nil
	}
	var more []rules.Finding
	for _, t := range c.Texts() {
		matter, _, ok := mdfile.SplitFront(t.Value)
		if !ok || t.Kind != rules.Prose {
			continue
		}
		file := spans.New([]byte(t.Value))
		var values []*jsondoc.Node
		mdfile.LooseFront(matter).Walk(func(n *jsondoc.Node, _ func() string) bool {
			if n.Kind == jsondoc.String {
				values = append(values, n)
			}
			return true
		})
		for _, n := range values {
			alone := rules.Change{World: c.World, Coming: c.Coming, Isolated: c.Isolated, Draft: proposals.Draft{
				Type: proposals.New, Subject: registry.Subject{Kind: registry.KindTool, Layer: c.Draft.Subject.Layer, ID: "front"},
				Definition: registry.Definition{Tool: &registry.Tool{ID: "front", Kind: registry.PromptTool, Prompt: n.Text}},
			}}
			of, err := s.CheckFamilies(ctx, &alone, families)
			if err != nil {
				return nil, err
			}
			for _, f := range of {
				f = inFile(f, t, n, file)
				if !slices.ContainsFunc(reported, func(other rules.Finding) bool { // other is on the same lines and at least as severe
					return other.Rule == f.Rule && other.Path == f.Path && other.Severity.Rank() >= f.Severity.Rank() &&
						other.Line <= f.Line && max(other.EndLine, other.Line) >= f.EndLine
				}) {
					more = append(more, f)
				}
			}
		}
	}
	return more, nil
}

// inFile converts the position of f from a position in the text of the value n to a position in the
// file t, and returns the converted finding.
func inFile(f rules.Finding, t rules.Text, n *jsondoc.Node, file *spans.File) rules.Finding {
	start := max(0, strings.Index(n.Text, f.Passage))
	end := len(n.Text)
	if f.Passage != "" {
		end = min(end, start+len(f.Passage))
	}
	f.Path, f.Line, f.Column, f.EndLine, f.EndColumn = t.Path, n.Pos.Line, n.Pos.Column, 0, 0
	if span, ok := file.Value(n.Pos, n.Text, start, end); ok {
		f.Line, f.Column, f.EndLine, f.EndColumn = span.From.Line, span.From.Column, span.To.Line, span.To.Column
	} else if i := strings.Index(t.Value, f.Passage); i >= 0 && f.Passage != "" {
		cursor := spans.NewCursor(t.Value)
		from, to := cursor.To(i), cursor.To(i+len(f.Passage))
		f.Line, f.Column, f.EndLine, f.EndColumn = from.Line, from.Column, to.Line, to.Column
	}
	return f
}
