// This file merges stale drafts with the live version and represents the conflicts between them.

package review

import (
	"fmt"
	"strings"

	"toolcrib/history/diff"
	"toolcrib/internal/lists"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
)

// RebaseConflict lists the fields that the proposal and the live version changed in different ways. It wraps ErrMerge.
type RebaseConflict struct {
	What   string // name of the proposal in messages
	Base   int    // common base version of the proposal and the live version
	Live   int    // live version
	Fields []diff.FieldConflict
	// Draft is the merged draft, which the author must complete. It is based on the live version. In a text, each
	// conflict is enclosed in conflict markers. Every other value in conflict is the value of the proposal.
	Draft proposals.Draft

	from, ours, theirs registry.Definition
}

// Merge performs a three-way merge of draft and the live version. Both are based on version base. ancestor is the
// definition of that version. If the author must resolve conflicts, the error is a *RebaseConflict. label identifies
// the proposal in messages.
func Merge(label string, draft proposals.Draft, base int, ancestor registry.Definition, live registry.Live) (proposals.Draft, error) {
	ours := draft.Definition
	merged, conflicts, err := diff.MergeDefinitions(ancestor, ours, live.Definition)
	if err != nil {
		return draft, fmt.Errorf("%s: %w", label, err)
	}
	draft.Definition = merged
	if len(conflicts) == 0 {
		return draft, nil
	}
	if draft.Definition, err = marked(merged, conflicts, base, live.Version); err != nil {
		return draft, err
	}
	return draft, &RebaseConflict{What: label, Base: base, Live: live.Version, Fields: conflicts, Draft: draft, from: ancestor, ours: ours, theirs: live.Definition}
}

// Passage is a value or a range of lines that both sides changed. Base, Ours, and Theirs are the contents in the base,
// the proposal, and the live version. Each is "" if that side does not have the value or the lines.
type Passage struct {
	Path               string
	Line               int // number of the first line in the proposal's text, or 0 for a value
	Base, Ours, Theirs string
}

// Passages lists the conflicts. Take expects its choices in the same order.
func (e *RebaseConflict) Passages() []Passage {
	var out []Passage
	for _, f := range e.Fields {
		if f.Text == nil {
			out = append(out, Passage{f.Path, 0, Scalar(f.Base), Scalar(f.Ours), Scalar(f.Theirs)})
			continue
		}
		for _, c := range f.Text.Conflicts {
			line := func(s diff.Side) string { return strings.TrimSuffix(s.Text, "\n") }
			out = append(out, Passage{f.Path, c.Ours.Lines.Start + 1, line(c.Base), line(c.Ours), line(c.Theirs)})
		}
	}
	return out
}

// Scalar returns n as text. A string is returned without quotes, and any other value as JSON. If n is nil, Scalar
// returns "".
func Scalar(n *jsondoc.Node) string {
	switch {
	case n == nil:
		return ""
	case n.Kind == jsondoc.String:
		return n.Text
	}
	return string(jsondoc.Canonical(n))
}

// Take repeats the merge. choices[i] selects a side for element i of Passages. A passage without a choice remains as in
// Draft.
func (e *RebaseConflict) Take(choices []diff.Choice) (proposals.Draft, error) {
	draft := e.Draft
	merged, conflicts, err := diff.MergeDefinitions(e.from, e.ours, e.theirs, choices...)
	if err == nil {
		draft.Definition, err = marked(merged, conflicts, e.Base, e.Live)
	}
	return draft, err
}

// Error returns a message with the version and the fields in conflict.
func (e *RebaseConflict) Error() string {
	return fmt.Sprintf("%s: %v with version %d in %s", e.What, ErrMerge, e.Live, lists.First(lists.Map(e.Fields, func(f diff.FieldConflict) string { return f.Path }), 10))
}

// Unwrap returns ErrMerge.
func (e *RebaseConflict) Unwrap() error { return ErrMerge }

// marked returns d with conflict markers in the texts that conflict.
func marked(d registry.Definition, conflicts []diff.FieldConflict, base, live int) (registry.Definition, error) {
	doc, err := jsondoc.Parse(d.Canonical(), jsondoc.DefaultLimits)
	if err != nil {
		return d, err
	}
	names := diff.Labels{Base: fmt.Sprintf("version %d", base), Ours: "this proposal", Theirs: fmt.Sprintf("version %d, live", live)}
	for _, c := range conflicts {
		if n := doc.Find(c.Path); n != nil && c.Text != nil {
			n.Text = c.Marked(names)
		}
	}
	out, problems := registry.BindDefinition(d.Kind(), doc, "definition")
	return out, problems.Err()
}
