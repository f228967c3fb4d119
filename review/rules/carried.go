package rules

import (
	"strings"
	"sync"
)

// fewestCarried is the length of the shortest passage, in bytes, that is known wherever it is
// in the live version; a shorter one has to be in a line that is the same.
const fewestCarried = 24

// Carries reports whether the passage of a finding is in the live version that c would
// replace, where somebody approved it. Differences in white space do not matter. A finding
// without a passage is never carried, nor is one in a version whose approval does not count.
func (c *Change) Carries(f Finding) bool {
	if c.Before == nil || c.Before.Refused != nil || f.Passage == "" {
		return false
	}
	before := Computed(c, approvedTexts)
	passage := squeezed(f.Passage)
	if len(passage) >= fewestCarried {
		return strings.Contains(before.all(), passage)
	}
	line := passage
	for _, t := range c.Texts() {
		if t.Path == f.Path {
			if start, end, ok := f.in(t); ok {
				line = squeezed(t.Value[strings.LastIndexByte(t.Value[:start], '\n')+1 : end+lineRest(t.Value[end:])])
			}
			break
		}
	}
	for _, text := range before.byPath[f.Path] {
		if text == passage || strings.Contains(text, " "+line+" ") || strings.HasPrefix(text, line+" ") || strings.HasSuffix(text, " "+line) {
			return true
		}
	}
	return false
}

// lineRest returns the length of the rest of a line.
func lineRest(text string) int {
	if n := strings.IndexByte(text, '\n'); n >= 0 {
		return n
	}
	return len(text)
}

// approved are the texts of a live version, with single spaces.
type approved struct {
	byPath map[string][]string
	all    func() string
}

func approvedTexts(c *Change) approved {
	before := &Change{Draft: c.Draft}
	before.Draft.Definition = c.Before.Definition
	a := approved{byPath: map[string][]string{}}
	var list []string
	for _, t := range before.Texts() {
		if strings.HasPrefix(t.Path, "definition") {
			text := squeezed(t.Value)
			a.byPath[t.Path] = append(a.byPath[t.Path], text)
			list = append(list, text)
		}
	}
	a.all = sync.OnceValue(func() string { return strings.Join(list, "\x00") })
	return a
}

func squeezed(text string) string { return strings.Join(strings.Fields(text), " ") }
