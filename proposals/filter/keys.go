// This file has the words of the filter language and their help.

package filter

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"toolcrib/proposals/facts"
)

// keys maps the words before a colon to their terms.
var keys = func() map[string]facts.Term {
	found := map[string]facts.Term{}
	for _, f := range facts.All() {
		for _, t := range f.Terms {
			found[t.Key] = t
		}
	}
	return found
}()

// Keys returns the words before a colon, sorted.
func Keys() []string { return slices.Sorted(maps.Keys(keys)) }

// flags maps words with a special meaning to their property.
var flags = func() map[string]facts.Property {
	found := map[string]facts.Property{}
	for _, f := range facts.All() {
		if f.Flag.Word != "" {
			found[f.Flag.Word] = f.Flag.Is
		}
	}
	return found
}()

// Flags returns the words with a special meaning, sorted.
func Flags() []string { return slices.Sorted(maps.Keys(flags)) }

// Help explains the terms, one per line.
func Help() string {
	lines := [][2]string{
		{`scene "night shift"`, "text in subject, title, author or change set, in any case"},
		{"#17 01a2029f", "a number, the beginning of an id"},
	}
	for _, f := range facts.All() {
		for _, t := range f.Terms {
			lines = append(lines, [2]string{t.Key + ":" + t.Sample, t.Means})
		}
		if f.Flag.Word != "" {
			lines = append(lines, [2]string{f.Flag.Word, f.Flag.Means})
		}
	}
	var b strings.Builder
	for _, l := range lines {
		fmt.Fprintf(&b, "  %-21s%s\n", l[0], l[1])
	}
	return b.String()
}

// idPrefix matches prefixes of ids that are too long to be a word.
var idPrefix = regexp.MustCompile(`^[0-9a-f]{6,8}(-[0-9a-f]{0,4}){0,3}(-[0-9a-f]{0,12})?$`)

// plain parses a word without a key: a number, a flag, or a text, which may also be
// a number, the prefix of an id, or a rule.
func (p *parser) plain(t *Term, start int, word string) error {
	if is, ok := flags[word]; ok {
		t.Any = []facts.Atom{{Is: is}}
		return nil
	}
	if digits, marked := strings.CutPrefix(word, "#"); marked {
		n, err := strconv.Atoi(digits)
		if err != nil || n < 1 || digits[0] < '1' {
			return p.errorAt(start, `expected a number after "#", such as #17; quote %q to search for the text`, word)
		}
		t.Any = []facts.Atom{{Is: facts.Number, Value: digits}}
		return nil
	}
	t.Any = []facts.Atom{{Is: facts.Text, Value: word}}
	if n, err := strconv.Atoi(word); err == nil && n > 0 && word[0] >= '1' && word[0] <= '9' {
		t.Any = append(t.Any, facts.Atom{Is: facts.Number, Value: word})
	}
	if id := strings.ToLower(word); idPrefix.MatchString(id) && strings.ContainsAny(id, "0123456789") {
		t.Any = append(t.Any, facts.Atom{Is: facts.ID, Value: id})
	}
	if id := strings.ToUpper(word); facts.IsRule(id) {
		t.Any = append(t.Any, facts.Atom{Is: facts.Rule, Value: id})
	}
	return nil
}
