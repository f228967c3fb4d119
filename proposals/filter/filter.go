// Package filter parses the filter language, which finds proposals. For example:
//
//	state:user_review rule:S104 -author:agent:scout "night shift"
//
// A filter is a list of terms, separated by spaces. A proposal must match all terms. Package
// facts defines the terms. A minus negates a term, and commas separate alternative values, as
// in -state:draft,rejected.
//
// Flags, such as stale, are terms without a colon. Any other word is searched as text. If it
// looks like a number, the prefix of an id, or a rule, it also matches the proposals with
// that number, id, or rule. Quoted text, such as "stale", is always searched as text. Inside
// quotation marks, a backslash escapes a quotation mark or a backslash.
package filter

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"toolcrib/proposals"
	"toolcrib/proposals/facts"
)

// Limits of a filter. Each term is evaluated for every proposal that matches the previous
// terms.
const (
	MaxTerms  = 32
	MaxValues = 16 // maximum number of alternatives in a term
)

// ErrSyntax indicates a malformed filter.
var ErrSyntax = errors.New("not a filter")

// Error describes the first mistake in a filter.
type Error struct {
	Column  int // column of the mistake in characters, counted from 1
	Message string
}

func (e *Error) Error() string { return fmt.Sprintf("filter, column %d: %s", e.Column, e.Message) }

// Unwrap returns ErrSyntax.
func (e *Error) Unwrap() error { return ErrSyntax }

// Filter is a list of terms. A proposal must match all terms. The zero value matches every proposal.
type Filter struct{ Terms []Term }

// Term is a list of alternatives. A proposal matches if at least one atom in Any matches. If Not is set, a proposal
// matches if no atom in Any matches.
type Term struct {
	Not bool
	Any []facts.Atom
}

// Holds returns a Term with a single atom.
func Holds(is facts.Property, value string) Term {
	return Term{Any: []facts.Atom{{Is: is, Value: value}}}
}

// Quote returns a filter that searches for exactly the given text.
func Quote(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}

// Join returns a filter that matches a proposal if all given filters match it.
func Join(filters ...string) string {
	var all []string
	for _, f := range filters {
		if f = strings.TrimSpace(f); f != "" {
			all = append(all, f)
		}
	}
	return strings.Join(all, " ")
}

// IsNumber reports whether a filter consists only of the number of a proposal, with "#".
func IsNumber(text string) bool {
	f, err := Parse(text)
	return err == nil && len(f.Terms) == 1 && !f.Terms[0].Not && len(f.Terms[0].Any) == 1 && f.Terms[0].Any[0].Is == facts.Number
}

// keys maps the keys of terms to the terms.
var keys = func() map[string]facts.Term {
	found := map[string]facts.Term{}
	for _, f := range facts.All() {
		for _, t := range f.Terms {
			found[t.Key] = t
		}
	}
	return found
}()

// Keys returns the keys of all terms, sorted.
func Keys() []string { return slices.Sorted(maps.Keys(keys)) }

// flags maps the words of flags to their properties.
var flags = func() map[string]facts.Property {
	found := map[string]facts.Property{}
	for _, f := range facts.All() {
		if f.Flag.Word != "" {
			found[f.Flag.Word] = f.Flag.Is
		}
	}
	return found
}()

// Flags returns the words of all flags, sorted.
func Flags() []string { return slices.Sorted(maps.Keys(flags)) }

// idPrefix matches the prefix of an id. The prefix must be long enough to differ from most words.
var idPrefix = regexp.MustCompile(`^[0-9a-f]{6,8}(-[0-9a-f]{0,4}){0,3}(-[0-9a-f]{0,12})?$`)

// plain parses a word without a key. It is a number with "#", a flag, or a text. A text that looks like a number, the
// prefix of an id, or a rule gets a second alternative, which matches that number, id, or rule.
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

// Vocabulary contains values for suggestions, by key. It supplements the fixed values of the terms.
type Vocabulary map[string][]string

// Add adds to v, for each key, the values that find p.
func (v Vocabulary) Add(p proposals.Proposal) {
	for key, term := range keys {
		if term.Of != nil {
			v[key] = append(v[key], term.Of(p)...)
		}
	}
}

// Suggest returns completions of the last term in text. If the term has no colon, it suggests
// keys and flags. After a colon, it suggests values. It returns nil after a space and inside
// quotation marks. Each result contains the whole filter.
func Suggest(text string, v Vocabulary) []string {
	start := strings.LastIndexAny(text, " \t") + 1
	if strings.Count(text, `"`)%2 == 1 {
		return nil
	}
	head, word := text[:start], text[start:]
	if strings.HasPrefix(word, "-") {
		head, word = head+"-", word[1:]
	}
	if word == "" {
		return nil
	}
	key, value, hasKey := strings.Cut(word, ":")
	var found []string
	if !hasKey {
		for _, w := range append(keysWithColon(), Flags()...) {
			if len(w) > len(word) && strings.HasPrefix(w, strings.ToLower(word)) {
				found = append(found, head+w)
			}
		}
		return found
	}
	if comma := strings.LastIndexByte(value, ',') + 1; comma > 0 {
		key, value = key+":"+value[:comma], value[comma:]
	} else {
		key += ":"
	}
	name := strings.ToLower(key[:strings.IndexByte(key, ':')])
	values := slices.Clip(keys[name].Known) // fixed values in their order, then further values in sorted order
	for _, other := range slices.Compact(slices.Sorted(slices.Values(v[name]))) {
		if other != "" && !slices.Contains(keys[name].Known, other) {
			values = append(values, other)
		}
	}
	for _, known := range values {
		if known != value && strings.HasPrefix(strings.ToLower(known), strings.ToLower(value)) {
			if strings.ContainsAny(known, " \t,\"") {
				known = Quote(known)
			}
			found = append(found, head+key+known)
		}
	}
	return found
}

func keysWithColon() []string {
	names := Keys()
	for i := range names {
		names[i] += ":"
	}
	return names
}
