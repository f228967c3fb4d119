package diff

import (
	"errors"
	"slices"
	"strings"

	"toolcrib/registry/jsondoc"
)

// What tests hold a Patch against: that its edits lead from one text to the
// other, and back.

// ErrOtherText is returned by Apply for a text the patch was not made from.
var ErrOtherText = errors.New("the patch belongs to another text")

// NewlineChanged reports whether one text ends in "\n" and the other does not,
// an empty text aside. Only then has a Line NoNewline on one side alone.
func (p *Patch) NewlineChanged() bool {
	return p.old.s != "" && p.new.s != "" && strings.HasSuffix(p.old.s, "\n") != strings.HasSuffix(p.new.s, "\n")
}

// Apply turns the old text into the new one by the edits. The error is
// ErrOtherText when old is not the text that was compared.
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

// Values compares two JSON values, such as the raw forms of an imported tool.
// Either may be nil. What is the same value, however it is written, is equal.
func Values(before, after *jsondoc.Node) []Field {
	var w walk
	w.value(way{jsondoc.Root, jsondoc.Root}, before, after, nil)
	return w.fields
}
