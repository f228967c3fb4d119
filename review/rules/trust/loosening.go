// This file finds changes that loosen annotations, and new tools that replace existing ones
// under another name.

package trust

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/shipped"
	"toolcrib/review/rules"
)

// replaced returns the definition that the draft replaces. This is the live version of the subject.
// If the subject has no live version, it is the definition with the same id in an earlier layer,
// which the draft would hide. The result is nil if neither definition exists, or if the draft
// deactivates a subject without a live version.
func replaced(ctx context.Context, c *rules.Change) (*registry.Live, error) {
	if c.Before != nil || c.Draft.Type == proposals.Deactivate {
		return c.Before, nil
	}
	s := c.Draft.Subject
	find := c.World.Agents
	switch s.Kind {
	case registry.KindAgent:
	case registry.KindList:
		find = c.World.Lists
	case registry.KindSkill, registry.KindInstructions:
		return nil, nil
	case registry.KindTool:
		find = func(ctx context.Context) ([]registry.Live, error) { return c.World.ByName(ctx, s.ID) }
	}
	lives, err := find(ctx)
	if err != nil {
		return nil, err
	}
	var hidden *registry.Live
	for i, l := range lives {
		if l.Subject.ID != s.ID || l.Subject.Layer == s.Layer || !slices.Contains(s.Layer.View(), l.Subject.Layer) {
			continue
		}
		if hidden == nil || l.Subject.Layer.Rank() > hidden.Subject.Layer.Rank() {
			hidden = &lives[i]
		}
	}
	return hidden, nil
}

// comparedWith returns a note for a message about the difference between base and the draft. The
// note states that the draft hides base. It is "" if base is the live version of the same subject.
func comparedWith(base *registry.Live, c *rules.Change) string {
	if base.Subject == c.Draft.Subject {
		return ""
	}
	return fmt.Sprintf(" (from %s, which this definition hides)", base.Subject)
}

// loosened returns a rule that compares a tool with the tool that it replaces. The function check
// returns findings with messages that have no full stop at the end.
func loosened(id string, check func(before, after *registry.Tool) []rules.Finding) rules.Rule {
	return rules.Rule{ID: id, Check: func(ctx context.Context, c *rules.Change) ([]rules.Finding, error) {
		after := c.Judged()
		if after == nil {
			return nil, nil
		}
		before, err := replaced(ctx, c)
		if err != nil || before == nil || before.Definition.Tool == nil {
			return nil, err
		}
		found := check(before.Definition.Tool, after)
		for i := range found {
			found[i].Message += comparedWith(before, c) + "."
		}
		return found, nil
	}}
}

func looseningRules() []rules.Rule {
	return []rules.Rule{
		loosened("R201", func(before, after *registry.Tool) []rules.Finding {
			return hintMoved("readOnly", hints(before).ReadOnly, hints(after).ReadOnly, is(hints(before).ReadOnly) && !is(hints(after).ReadOnly))
		}),
		loosened("R202", func(before, after *registry.Tool) []rules.Finding {
			return hintMoved("destructive", hints(before).Destructive, hints(after).Destructive, !is(hints(before).Destructive) && is(hints(after).Destructive))
		}),
		loosened("R203", func(before, after *registry.Tool) []rules.Finding {
			return hintMoved("destructive", hints(before).Destructive, hints(after).Destructive, is(hints(before).Destructive) && !is(hints(after).Destructive))
		}),
		loosened("R204", func(before, after *registry.Tool) []rules.Finding {
			was, will := hints(before).RequiresConfirmation, hints(after).RequiresConfirmation
			return hintMoved("requiresConfirmation", was, will, is(was) && !is(will))
		}),
		loosened("R205", func(before, after *registry.Tool) []rules.Finding {
			was, will := hints(before).OpenWorld, hints(after).OpenWorld
			return hintMoved("openWorld", was, will, isNot(was) && !isNot(will))
		}),
	}
}

func hintMoved(key string, from, to *bool, loosened bool) []rules.Finding {
	if !loosened {
		return nil
	}
	return []rules.Finding{valueChange("definition.annotations."+key, key, hintText(from), hintText(to))}
}

// valueChange returns a finding that states the old and the new value. The values may be untrusted
// text.
func valueChange(path, what, from, to string) rules.Finding {
	return rules.Finding{Path: path, Passage: to, Message: fmt.Sprintf("%s changes from %s to %s", what, jsondoc.Printable(from), jsondoc.Printable(to))}
}

// renameRules returns the rules that find a new tool with the same content as an existing tool
// under another name. The O family finds tools that are only similar.
func renameRules() []rules.Rule {
	twin := func(id, message string, status registry.Status) rules.Rule {
		return rules.Rule{ID: id, QueriesSimilar: true, Check: func(ctx context.Context, c *rules.Change) ([]rules.Finding, error) {
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
				if other.Tool().ID == t.ID || other.Definition.Status() != status || !sameTexts(c.Self(), other) {
					continue
				}
				if status == registry.Active && t.SameBytes(*other.Tool()) {
					continue // an identical tool of another server, which O102 reports
				}
				found = append(found, rules.Finding{Path: "subject", Passage: other.Subject.String(), Message: fmt.Sprintf(message, other.Subject, other.Version)})
				if len(found) == rules.MostLikenesses {
					break
				}
			}
			return found, nil
		}}
	}
	return []rules.Rule{
		twin("R301", "This tool is %s (version %d) under another name.", registry.Active),
		twin("R302", "This tool is the deactivated %s (version %d) under another name.", registry.Deactivated),
		rules.Of("R303", func(c *rules.Change) []rules.Finding {
			id := c.Draft.Subject.ID
			if c.Judged() == nil || c.Draft.Type != proposals.New {
				return nil
			}
			if _, ok := shipped.Retired(id); ok || slices.ContainsFunc(shipped.Assistant(), func(d registry.Definition) bool { return d.Tool.ID == id }) {
				return nil // id is a retired name, which the rules about names report, or a current name
			}
			if shipped.DeadTierEntry(id) {
				return []rules.Finding{{Path: "subject", Passage: id, Message: fmt.Sprintf("Approval tiers may still be set for %s, which was never a tool.", id)}}
			}
			for _, name := range shipped.RetiredNames() {
				if strings.Contains(name, "_") && slices.Equal(baseWords(id), baseWords(name)) {
					return []rules.Finding{{Path: "subject", Passage: id, Message: fmt.Sprintf("%s has the same words as the retired name %s.", id, name)}}
				}
			}
			return nil
		}),
	}
}

// baseWords returns the words of id in the singular, sorted.
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

// sameTexts reports whether two tools have the same input and the same texts. It ignores case,
// punctuation, white space, and the names of the tools.
func sameTexts(a, b *rules.Peer) bool {
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
		if texts[i] != others[i] && withoutNames(a.Words[i](), names) != withoutNames(b.Words[i](), names) {
			return false
		}
	}
	return true
}

// withoutNames returns a copy of text in which "#" replaces the given names. The text and the names
// must be results of rules.FoldWords.
func withoutNames(text string, names []string) string {
	for _, name := range names {
		text = strings.ReplaceAll(text, name, " # ")
	}
	return text
}
