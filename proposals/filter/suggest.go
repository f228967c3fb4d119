package filter

import (
	"slices"
	"strings"

	"toolcrib/proposals"
)

// Vocabulary has the known values by key, in addition to fixed ones.
type Vocabulary map[string][]string

// Add adds the values by which p can be found.
func (v Vocabulary) Add(p proposals.Proposal) {
	for key, term := range keys {
		if term.Of != nil {
			v[key] = append(v[key], term.Of(p)...)
		}
	}
}

// Suggest returns filters that continue text with a completed last term: keys and
// flags while a word is typed, and values after a colon. After a space and inside
// quotation marks there are none.
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

// values returns the values of a key: fixed ones in order, then others sorted.
func (v Vocabulary) values(key string) []string {
	key = strings.ToLower(key)
	known, others := keys[key].Known, slices.Sorted(slices.Values(v[key]))
	for _, value := range slices.Compact(others) {
		if value != "" && !slices.Contains(known, value) {
			known = append(slices.Clip(known), value)
		}
	}
	return known
}
