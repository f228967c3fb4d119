package filter

import (
	"slices"
	"strings"

	"toolcrib/proposals"
)

// Vocabulary lists what filters can name beyond the words of the language.
type Vocabulary struct {
	Authors []string // "user:mara"
	Tools   []string // ids
	Agents  []string // ids
	Sets    []string
	Layers  []string
	Rules   []string
}

// Suggest returns filters that continue text, whose last term is not finished: keys
// and flags while a word is typed, values behind a colon. There are none behind a
// space and inside quotation marks.
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
	for _, known := range v.values(key[:strings.IndexByte(key, ':')]) {
		if known != value && strings.HasPrefix(strings.ToLower(known), strings.ToLower(value)) {
			found = append(found, head+key+quoteIfNeeded(known))
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

// values returns the values of a key, sorted.
func (v Vocabulary) values(key string) []string {
	var known []string
	switch strings.ToLower(key) {
	case "state":
		for _, s := range append(proposals.States(), open, closed) {
			known = append(known, string(s))
		}
		return known
	case "type":
		for _, t := range proposals.Types() {
			known = append(known, string(t))
		}
		return known
	case "author":
		known = v.Authors
	case "waits":
		return v.values("user")
	case "user", "chief", "agent":
		for _, a := range v.Authors {
			if name, ok := strings.CutPrefix(a, key+":"); ok {
				known = append(known, name)
			}
		}
		if key == "agent" {
			known = append(known, v.Agents...)
		}
	case "tool":
		known = v.Tools
	case "set":
		known = v.Sets
	case "layer":
		known = v.Layers
	case "rule":
		known = v.Rules
	}
	known = slices.Clone(known)
	slices.Sort(known)
	return slices.Compact(known)
}

// quoteIfNeeded writes a value so that Parse reads it whole.
func quoteIfNeeded(value string) string {
	if strings.ContainsAny(value, " \t,\"") {
		return Quote(value)
	}
	return value
}
