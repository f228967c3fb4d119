package rules

import (
	"slices"
	"strings"
)

// Carries reports whether the live version that c would replace already contains the text
// of a finding. The whole sentences around its passage have to be there, or in a text that
// is not prose, the whole paragraphs at the same path: an approved "Never send it to X." does not
// cover "Send it to X." Differences in white space do not matter. A finding without a
// passage is never carried, nor is one in a version whose approval does not count.
func (c *Change) Carries(f Finding) bool {
	if c.Before == nil || c.Before.Refused != nil || f.Passage == "" {
		return false
	}
	for _, t := range c.Texts() {
		if t.Path != f.Path {
			continue
		}
		start, end, ok := f.in(t)
		if !ok {
			continue
		}
		approved := Computed(c, approvedUnits)
		for _, unit := range newField(t).units(start, end) {
			if !approved[unit] {
				return false
			}
		}
		return true
	}
	return false
}

// units returns the sentences of a text that overlap the bytes from start to end, or its
// paragraphs together with its path if it is not prose. They have single spaces. Each key of the
// front matter begins a sentence.
func (t field) units(start, end int) []string {
	var bounds []int
	path := t.Path
	if t.isProse() {
		bounds, path = append(frontKeys(t.Value), t.starts()...), ""
		slices.Sort(bounds)
	} else {
		for i := 1; i < len(t.Value); i++ {
			if t.Value[i-1] == '\n' && t.Value[i] == '\n' {
				bounds = append(bounds, i+1)
			}
		}
	}
	var units []string
	first := 0
	for _, next := range append(bounds[:len(bounds):len(bounds)], len(t.Value)) {
		if first < end && next > start {
			if unit := squeezed(t.Value[first:next]); unit != "" {
				units = append(units, path+"\x00"+unit)
			}
		}
		first = next
	}
	return units
}

// frontKeys returns the positions of the lines in the front matter of a text that are not
// indented, and of the line after it.
func frontKeys(text string) []int {
	if !strings.HasPrefix(text, "---\n") {
		return nil
	}
	var keys []int
	for at := len("---\n"); at < len(text); {
		line, _, _ := strings.Cut(text[at:], "\n")
		next := min(at+len(line)+1, len(text))
		if !strings.HasPrefix(line, " ") && !strings.HasPrefix(line, "\t") {
			keys = append(keys, at)
		}
		if line == "---" {
			return append(keys, next)
		}
		at = next
	}
	return nil
}

// approvedUnits is the set of units of the live version.
func approvedUnits(c *Change) map[string]bool {
	before := &Change{Draft: c.Draft}
	before.Draft.Definition = c.Before.Definition
	approved := map[string]bool{}
	for _, t := range before.Texts() {
		if strings.HasPrefix(t.Path, "definition") {
			for _, unit := range newField(t).units(0, len(t.Value)) {
				approved[unit] = true
			}
		}
	}
	return approved
}

func squeezed(text string) string { return strings.Join(strings.Fields(text), " ") }
