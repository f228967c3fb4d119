package rules

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/shipped"
)

// renameRules find a new tool that is an old one under another name. Likeness
// is for the rules about overlap; these are about sameness.
func renameRules() []Rule {
	twin := func(id, message string, status registry.Status) Rule {
		return Rule{
			ID: id, AsksAlike: true,
			Check: func(ctx context.Context, c *Change) ([]Finding, error) {
				t := judged(c)
				if t == nil || c.Draft.Type != proposals.New {
					return nil, nil
				}
				candidates, err := c.alike(ctx)
				if err != nil {
					return nil, err
				}
				var found []Finding
				for _, other := range candidates {
					if other.Tool().ID == t.ID || other.Definition.Status() != status || !saysTheSame(c.self(), other) {
						continue
					}
					found = append(found, Finding{Path: "subject", Passage: other.Subject.String(), Message: fmt.Sprintf(message, other.Subject, other.Version)})
					if len(found) == mostLikenesses {
						break
					}
				}
				return found, nil
			},
		}
	}
	return []Rule{
		twin("R301", "It is %s (version %d) under another name.", registry.Active),
		twin("R302", "It is the deactivated %s (version %d) under another name.", registry.Deactivated),
		{
			ID: "R303",
			Check: func(_ context.Context, c *Change) ([]Finding, error) {
				id := c.Draft.Subject.ID
				if judged(c) == nil || c.Draft.Type != proposals.New {
					return nil, nil
				}
				if _, ok := shipped.Retired(id); ok || inCatalog(id) {
					return nil, nil // the rules about names say so; or it is the name in use
				}
				if shipped.DeadTierEntry(id) {
					return []Finding{{Path: "subject", Passage: id, Message: fmt.Sprintf("Approval tiers may still be set for %s, which never was a tool.", id)}}, nil
				}
				for _, name := range shipped.RetiredNames() {
					if strings.Contains(name, "_") && sameWords(id, name) {
						return []Finding{{Path: "subject", Passage: id, Message: fmt.Sprintf("%s has the words of %s, which is a retired name.", id, name)}}, nil
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
func saysTheSame(a, b *Peer) bool {
	t, o := a.Tool(), b.Tool()
	if t.Kind != o.Kind {
		return false
	}
	var names []string
	for _, name := range []string{t.ID, t.Name, o.ID, o.Name} {
		if folded := foldWords(name); strings.TrimSpace(folded) != "" {
			names = append(names, folded)
		}
	}
	slices.SortFunc(names, func(a, b string) int { return len(b) - len(a) })
	texts, others := contentOf(t), contentOf(o)
	for i := range texts {
		if texts[i] != others[i] && nameless(a.words[i](), names) != nameless(b.words[i](), names) {
			return false
		}
	}
	return true
}

// contentTexts is how many texts say what a tool is.
const contentTexts = 4

// contentOf returns what a tool says and takes.
func contentOf(t *registry.Tool) [contentTexts]string {
	if t.Kind == registry.PromptTool {
		return [contentTexts]string{t.UsageNotes, t.Goals, t.Guardrails, t.Prompt}
	}
	return [contentTexts]string{t.Description, string(t.InputSchema)}
}

// nameless returns folded words with a sign in the place of names.
func nameless(text string, names []string) string {
	for _, name := range names {
		text = strings.ReplaceAll(text, name, " # ")
	}
	return text
}

// foldWords returns the words of a text in lower case, a space around each.
func foldWords(text string) string {
	return " " + strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	}), " ") + " "
}
