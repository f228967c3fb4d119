// This file compares the reach of two versions of a definition.

package reach

import (
	"context"
	"strings"

	"toolcrib/internal/lists"
	"toolcrib/registry"
	"toolcrib/review/reach/fact"
)

// Compare compares the facts of base and draft. base is nil for a new subject. In this case, the
// result contains no sentences, because every sentence would be new. A deactivated definition has
// no facts.
func Compare(base *registry.Definition, draft registry.Definition) fact.Difference {
	var had, has []fact.Fact
	if base != nil && base.Status() != registry.Deactivated {
		had = of(*base, true)
	}
	if draft.Status() != registry.Deactivated {
		has = of(draft, base != nil)
	}
	return fact.Compare(had, has)
}

// Registry searches live definitions by text.
type Registry interface {
	// Containing searches all layers for live definitions with at least one of the given words in
	// their canonical JSON. It ignores case. The words must be in lower case.
	Containing(ctx context.Context, words []string) ([]registry.Live, error)
}

// Added contains the facts that a change adds to a subject.
type Added struct {
	Subject registry.Subject
	Facts   []fact.Fact
}

// MarkKnown clears NewToRegistry for each fact that an active version of another subject also has.
// It searches r by text and therefore misses facts that are decoded or assembled. It skips
// sentences, because a change has many sentences, and reviewers need not know whether another
// subject contains the same sentence.
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
		known := lists.Set(Of(l.Definition), func(f fact.Fact) string { return f.Key })
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

// searchable returns a part of the value of f, in lower case. Every definition with the same fact
// contains this part in its canonical JSON.
func searchable(f fact.Fact) string {
	value := strings.ToLower(strings.TrimSuffix(f.Value, "…"))
	parts := strings.FieldsFunc(value, func(r rune) bool {
		return r <= ' ' || r >= 0x7f || r == '"' || r == '\\' // JSON may escape these characters
	})
	if f.Use == fact.Command && len(parts) > 0 { // the arguments may differ
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
