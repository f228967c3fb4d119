package trust

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/shipped"
	"toolcrib/review/rules"
)

// renameRules find a new tool that is an old one under another name. Likeness
// is for the rules about overlap; these are about sameness.
func renameRules() []rules.Rule {
	twin := func(id, message string, status registry.Status) rules.Rule {
		return rules.Rule{
			ID: id, AsksAlike: true,
			Check: func(ctx context.Context, c *rules.Change) ([]rules.Finding, error) {
				t := c.Judged()
				if t == nil || c.Draft.Type != proposals.New {
					return nil, nil
				}
				candidates, err := c.Alike(ctx)
				if err != nil {
					return nil, err
				}
				var found []rules.Finding
				for _, other := range candidates {
					if other.Tool().ID == t.ID || other.Definition.Status() != status || !saysTheSame(c.Self(), other) {
						continue
					}
					found = append(found, rules.Finding{Path: "subject", Passage: other.Subject.String(), Message: fmt.Sprintf(message, other.Subject, other.Version)})
					if len(found) == rules.MostLikenesses {
						break
					}
				}
				return found, nil
			},
		}
	}
	return []rules.Rule{
		twin("R301", "It is %s (version %d) under another name.", registry.Active),
		twin("R302", "It is the deactivated %s (version %d) under another name.", registry.Deactivated),
		{
			ID: "R303",
			Check: func(_ context.Context, c *rules.Change) ([]rules.Finding, error) {
				id := c.Draft.Subject.ID
				if c.Judged() == nil || c.Draft.Type != proposals.New {
					return nil, nil
				}
				if _, ok := shipped.Retired(id); ok || inCatalog(id) {
					return nil, nil // the rules about names say so; or it is the name in use
				}
				if shipped.DeadTierEntry(id) {
					return []rules.Finding{{Path: "subject", Passage: id, Message: fmt.Sprintf("Approval tiers may still be set for %s, which never was a tool.", id)}}, nil
				}
				for _, name := range shipped.RetiredNames() {
					if strings.Contains(name, "_") && sameWords(id, name) {
						return []rules.Finding{{Path: "subject", Passage: id, Message: fmt.Sprintf("%s has the words of %s, which is a retired name.", id, name)}}, nil
					}
				}
				return nil, nil
			},
		},
	}
}

func inCatalog(id string) bool {
	return slices.ContainsFunc(shipped.Assistant(), func(d registry.Definition) bool { return d.Tool.ID == id })
}

// sameWords reports whether two ids have the same words, be they in another
// order or number.
func sameWords(a, b string) bool {
	return slices.Equal(baseWords(a), baseWords(b))
}

// baseWords returns the words of an id in the singular, sorted.
func baseWords(id string) []string {
	words := strings.Split(id, "_")
	for i, w := range words {
		switch stem, ok := strings.CutSuffix(w, "ies"); {
		case ok:
			words[i] = stem + "y"
		default:
			words[i] = strings.TrimSuffix(w, "s")
		}
	}
	slices.Sort(words)
	return words
}

// saysTheSame reports whether two tools take the same and say the same words.
// Letter case, punctuation, white space and what the tools are called do not
// count.
func saysTheSame(a, b *rules.Peer) bool {
	t, o := a.Tool(), b.Tool()
	if t.Kind != o.Kind {
		return false
	}
	var names []string
	for _, name := range []string{t.ID, t.Name, o.ID, o.Name} {
		if folded := rules.FoldWords(name); strings.TrimSpace(folded) != "" {
			names = append(names, folded)
		}
	}
	slices.SortFunc(names, func(a, b string) int { return len(b) - len(a) })
	texts, others := rules.ContentOf(t), rules.ContentOf(o)
	for i := range texts {
		if texts[i] != others[i] && nameless(a.Words[i](), names) != nameless(b.Words[i](), names) {
			return false
		}
	}
	return true
}

// nameless returns folded words with a sign in the place of names.
func nameless(text string, names []string) string {
	for _, name := range names {
		text = strings.ReplaceAll(text, name, " # ")
	}
	return text
}
