package diff

import (
	"errors"
	"slices"
	"strings"

	"toolcrib/registry/jsondoc"
)

// Functions to check that the edits of a patch transform each text into the other.

// ErrOtherText is returned by Apply for a text other than the compared one.
var ErrOtherText = errors.New("the patch belongs to another text")

// NewlineChanged reports whether only one of the texts ends in a newline, apart
// from empty texts.
func (p *Patch) NewlineChanged() bool {
	return p.old.s != "" && p.new.s != "" && strings.HasSuffix(p.old.s, "\n") != strings.HasSuffix(p.new.s, "\n")
}

// Apply applies the edits to the old text. It returns ErrOtherText if old is not
// the text that was compared.
func (p *Patch) Apply(old string) (string, error) {
	if old != p.old.s {
		return "", ErrOtherText
	}
	out := make([]byte, 0, len(p.new.s))
	kept := 0
	for _, e := range p.edits {
		out = append(out, p.old.slice(Range{kept, e.Old.Start})...)
		out = append(out, p.new.slice(e.New)...)
		kept = e.Old.End
	}
	out = append(out, p.old.slice(Range{kept, p.old.len()})...)
	return string(out), nil
}

// Reverse returns the patch from the new text to the old one.
func (p *Patch) Reverse() *Patch {
	r := &Patch{old: p.new, new: p.old, edits: slices.Clone(p.edits)}
	for i, e := range r.edits {
		r.edits[i] = Edit{Old: e.New, New: e.Old}
	}
	return r
}

// Values compares two JSON values, either of which may be nil, regardless of their
// format.
func Values(before, after *jsondoc.Node) []Field {
	var w walk
	w.value(paths{jsondoc.Root, jsondoc.Root}, before, after, nil)
	return w.fields
}
