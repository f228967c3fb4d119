// This file groups the findings of a change set. The page explains each group only once.

package setpage

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"toolcrib/internal/lists"
	"toolcrib/registry/jsondoc"
	"toolcrib/review"
	"toolcrib/review/rules"
)

// manyTools limits repetition. A finding that at least manyTools tools have is shown only once, at the top of the page.
// Any other finding is shown with each tool.
const manyTools = 3

// found is a finding with the number of times it occurs in a tool.
type found struct {
	review.Standing
	times int
}

// messageKey returns the key for grouping findings of several tools. Findings with the same key are about the same
// words and have the same rule. An example is a stock sentence that many tools contain.
func messageKey(s review.Standing) string {
	text := s.Rule + "\x00" + string(s.Severity) + "\x00" + cmp.Or(s.Passage, s.Message)
	if s.Waiver != nil {
		text += " " + s.Waiver.By + " " + s.Waiver.Reason
	}
	return text
}

// ruleKey returns the key that groups all hints of a rule, regardless of their messages.
func ruleKey(s review.Standing) string { return "any " + s.Rule }

// findRepeated finds the findings that are shown once for all tools. These are findings with the same message in many
// tools, and hints of one rule about many tools, if each hint is about the tool as a whole. findRepeated returns a map
// from the keys of the findings to the indexes of the members. Blocking findings are always shown in place.
func (b *builder) findRepeated() map[string][]int {
	members, messages := map[string][]int{}, map[string]string{}
	for i, d := range b.set.Members {
		for _, s := range d.Standing {
			if s.Severity == rules.Block {
				continue
			}
			keys := []string{b.findingKey(i, s)}
			if b.general(i, s) {
				key := ruleKey(s)
				keys = append(keys, key)
				if m, there := messages[key]; there && m != s.Message {
					messages[key] = ""
				} else if !there {
					messages[key] = s.Message
				}
			}
			for _, key := range keys {
				if m := members[key]; len(m) == 0 || m[len(m)-1] != i {
					members[key] = append(m, i)
				}
			}
		}
	}
	for key, in := range members {
		if len(in) < manyTools || messages[key] != "" { // if all findings of a rule have the same message, messageKey groups them too
			delete(members, key)
		}
	}
	return members
}

// general reports whether s is a hint about a whole member or about all of its parameters.
func (b *builder) general(member int, s review.Standing) bool {
	return s.Severity == rules.Info && s.Waiver == nil && (s.Path == parametersPath || placeOf(s, b.texts[member]) < 0)
}

// findingKey returns the messageKey of s in a member. For a hint about the whole member, it ignores the passage,
// because the passage is the name of the tool.
func (b *builder) findingKey(member int, s review.Standing) string {
	if b.general(member, s) {
		s.Passage = ""
	}
	return messageKey(s)
}

// repeatedAs returns the key of s in b.repeated. It returns "" if s is shown in place.
func (b *builder) repeatedAs(member int, s review.Standing) string {
	switch {
	case s.Severity == rules.Block:
	case b.general(member, s) && len(b.repeated[ruleKey(s)]) > 0:
		return ruleKey(s)
	case len(b.repeated[b.findingKey(member, s)]) > 0:
		return b.findingKey(member, s)
	}
	return ""
}

// group contains findings that share a row in the summary: the open findings of one rule with the same severity, or
// the findings with the same message in many tools.
type group struct {
	first   review.Standing
	key     string // key in b.repeated, or "" if the findings are also shown in place
	members []int  // indexes of the members with such a finding, ascending
	times   int
}

// summary adds a row for each group of findings, most severe first. A row contains the message, the tools, the remedy,
// and the number of findings. Single hints and waived findings have no row, because they require no decision and are
// shown in place.
func (b *builder) summary() {
	var groups []group
	at := map[string]int{}
	for i, d := range b.set.Members {
		for _, s := range d.Standing {
			key := b.repeatedAs(i, s)
			if key == "" && (s.Severity == rules.Info || s.Waiver != nil) {
				continue
			}
			id := cmp.Or(key, ruleKey(s)+string(s.Severity))
			n, there := at[id]
			if !there {
				n = len(groups)
				at[id] = n
				groups = append(groups, group{first: s, key: key})
			}
			g := &groups[n]
			if g.times++; len(g.members) == 0 || g.members[len(g.members)-1] != i {
				g.members = append(g.members, i)
			}
		}
	}
	weight := []rules.Severity{rules.Block, rules.Warn, rules.Info}
	slices.SortStableFunc(groups, func(a, b group) int {
		return cmp.Or(slices.Index(weight, a.first.Severity)-slices.Index(weight, b.first.Severity), strings.Compare(a.first.Rule, b.first.Rule))
	})
	for _, g := range groups {
		s, of := g.first, g.first.Message
		if g.key == "" {
			of, _, _ = strings.Cut(of, `: "`) // removes the passage that the message quotes
			if open := strings.LastIndexByte(of, '('); open > 0 && !strings.Contains(of[open:], ")") {
				of = of[:open]
			}
			of = strings.TrimSpace(of)
			b.remedied[remedyOf(s)] = true
		}
		in, name := len(g.members), b.nameOf(g.members[0])
		switch {
		case g.key == ruleKey(s) && in > 1:
			of += fmt.Sprintf(" (%s, and similarly in %d more tools)", name, in-1)
		case len(b.set.Members) == 1:
		case in == len(b.set.Members):
			of += fmt.Sprintf(" (all %d tools)", in)
		case in == 1:
			of += " (" + name + ")"
		default:
			of += " (" + rules.InTools(lists.Map(g.members, b.nameOf)) + ")"
		}
		row := b.finding(s, of, true)
		row.Tool, row.Same = -1, messageKey(s)
		if g.times > 1 {
			row.Detail = fmt.Sprintf("×%d", g.times)
		}
		b.add(row)
	}
}

func (b *builder) nameOf(member int) string { return Name(b.set.Members[member]) }

// Name returns the name that the tool of a member has on its server, or the id of the member.
func Name(d review.Dossier) string {
	if t := d.Revision.Draft.Definition.Tool; t != nil {
		return cmp.Or(t.OriginName(), d.Proposal.Subject.ID)
	}
	return d.Proposal.Subject.ID
}

// remedyOf returns the remedy for s. It returns "" for a hint and for a waived finding.
func remedyOf(s review.Standing) string {
	if s.Severity == rules.Info || s.Waiver != nil {
		return ""
	}
	return cmp.Or(s.Importer, s.Suggestion)
}

// finding returns a row for s with the given text. If remedy is true, the row also contains the remedy.
func (b *builder) finding(s review.Standing, text string, remedy bool) Row {
	if r := remedyOf(s); remedy && r != "" {
		text += " → " + r
	}
	if s.Waiver != nil {
		text += " Waived by " + s.Waiver.By + ": " + s.Waiver.Reason
	}
	return Row{Kind: Finding, Name: s.Rule, Text: oneLine(text), Severity: s.Severity, Waived: s.Waiver != nil}
}

// placed returns the findings that are shown with a member. The keys of the result are the indexes of the entries that
// contain the findings. The key -1 is for findings about the tool as a whole. A finding that occurs several times is
// shown once with a count. Blocking findings are shown at all of their locations.
func (b *builder) placed(member int, entries []entry) map[int][]found {
	at := map[int][]found{}
	first := map[string]int{} // maps the key of a finding to the place of its first occurrence
	for _, s := range b.set.Members[member].Standing {
		if b.repeatedAs(member, s) != "" {
			continue
		}
		key, place := messageKey(s), placeOf(s, entries)
		if s.Severity == rules.Block {
			key += " " + s.Path
		}
		if p, there := first[key]; there {
			i := slices.IndexFunc(at[p], func(f found) bool { return messageKey(f.Standing) == messageKey(s) })
			at[p][i].times++
			continue
		}
		first[key] = place
		at[place] = append(at[place], found{s, 1})
	}
	return at
}

// placeOf returns the index of the entry that contains s, or -1 if s is about the tool as a whole.
func placeOf(s review.Standing, entries []entry) int {
	best := -1
	for i, e := range entries {
		if e.path != "" && jsondoc.Within(s.Path, e.path) && (best < 0 || len(e.path) >= len(entries[best].path)) {
			best = i
		}
	}
	return best
}
