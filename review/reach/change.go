package reach

import (
	"context"
	"strings"

	"toolcrib/registry"
	"toolcrib/review/reach/fact"
)

// Compare returns what a change adds to the reach of a subject, removes from it, and keeps;
// before is nil for a new subject, of which all sentences are new and none is listed. A definition that is out of use reaches nothing.
func Compare(before *registry.Definition, after registry.Definition) fact.Difference {
	var had, has []fact.Fact
	if before != nil && before.Status() != registry.Deactivated {
		had = of(*before, true)
	}
	if after.Status() != registry.Deactivated {
		has = of(after, before != nil)
	}
	return fact.Compare(had, has)
}

// Registry finds live definitions by their text.
type Registry interface {
	// Containing returns the live definitions, in any layer, whose canonical JSON has one of
	// words in it, whatever their case; words are in lower case.
	Containing(ctx context.Context, words []string) ([]registry.Live, error)
}

// Added are the facts that a change adds to a subject.
type Added struct {
	Subject registry.Subject
	Facts   []fact.Fact
}

// MarkKnown clears NewToRegistry of the facts that active versions of other subjects have too.
// A fact whose value no text of those versions has, because it is decoded or put together
// there, stays new, and so do sentences: a change has many, and where they are known nothing
// depends on it.
func MarkKnown(ctx context.Context, r Registry, added ...Added) error {
	var words []string
	asked := map[string]bool{}
	for _, a := range added {
		for _, f := range a.Facts {
			if w := searchable(f); f.Kind != fact.Text && w != "" && !asked[w] {
				asked[w], words = true, append(words, w)
			}
		}
	}
	if len(words) == 0 {
		return nil
	}
	lives, err := r.Containing(ctx, words)
	if err != nil {
		return err
	}
	for _, l := range lives {
		if l.Refused != nil || l.Definition.Status() == registry.Deactivated {
			continue
		}
		known := map[string]bool{}
		for _, f := range Of(l.Definition) {
			known[f.Key] = true
		}
		for _, a := range added {
			for i := range a.Facts {
				if a.Subject != l.Subject && a.Facts[i].Kind != fact.Text && known[a.Facts[i].Key] {
					a.Facts[i].NewToRegistry = false
				}
			}
		}
	}
	return nil
}

// searchable returns a part of a fact that a text with the same fact has too, in lower case.
func searchable(f fact.Fact) string {
	value := strings.ToLower(strings.TrimSuffix(f.Value, "…"))
	parts := strings.FieldsFunc(value, func(r rune) bool {
		return r <= ' ' || r >= 0x7f || r == '"' || r == '\\' // written otherwise in JSON
	})
	if f.Use == fact.Command && len(parts) > 0 { // its arguments may be others
		return parts[0]
	}
	longest := ""
	for _, part := range parts {
		if len(part) > len(longest) {
			longest = part
		}
	}
	return longest
}
