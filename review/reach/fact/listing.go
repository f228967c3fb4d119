// This file arranges facts for display.

package fact

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"toolcrib/internal/lists"
)

// Listing is an arrangement of facts for display. Some facts are listed individually, and all other
// facts are only counted.
type Listing struct {
	Listed []Fact // facts with the policy Warns come first; each group is sorted by kind
	Counts []Count
}

// Count is a group of facts that is displayed as a number and can be expanded.
type Count struct {
	Facts     []Fact
	One, Many string // singular and plural of the noun
}

func (c Count) String() string {
	if len(c.Facts) == 1 {
		return "1 " + c.One
	}
	return fmt.Sprintf("%d %s", len(c.Facts), c.Many)
}

// MostSentences is the maximum number of sentences that Arrange lists. If there are more sentences,
// Arrange only counts the sentences.
const MostSentences = 10

// Arrange arranges the facts that a change adds or removes. It counts the links to hosts that other
// subjects also link to, the ordinary commands, and, if there are more than MostSentences, the
// sentences. It lists all other facts.
func Arrange(facts []Fact) Listing {
	var l Listing
	counts := []Count{{One: "known link", Many: "known links"}, {One: "ordinary command", Many: "ordinary commands"}, {One: "sentence", Many: "sentences"}}
	sentences := len(lists.Filter(facts, func(f Fact) bool { return f.Kind == Text }))
	for _, f := range facts {
		switch {
		case f.Kind == Link && !f.NewToRegistry:
			counts[0].Facts = append(counts[0].Facts, f)
		case f.Use == Command:
			counts[1].Facts = append(counts[1].Facts, f)
		case f.Kind == Text && sentences > MostSentences:
			counts[2].Facts = append(counts[2].Facts, f)
		default:
			l.Listed = append(l.Listed, f)
		}
	}
	l.Counts = slices.DeleteFunc(counts, func(c Count) bool { return len(c.Facts) == 0 })
	slices.SortStableFunc(l.Listed, func(a, b Fact) int {
		return cmp.Or(cmp.Compare(weight(a), weight(b)), cmp.Compare(order(a.Kind), order(b.Kind)))
	})
	return l
}

func weight(f Fact) int {
	if f.Policy() == Warns {
		return 0
	}
	return 1
}

// order returns the index of the first row for k in Policies.
func order(k Kind) int { return slices.IndexFunc(Policies, func(r Row) bool { return r.Kind == k }) }

// Group contains all facts of the same kind.
type Group struct {
	Kind  Kind
	Facts []Fact
}

// ByKind groups facts by kind, in the order of Policies. It omits sentences, because all sentences
// of a first import are new.
func ByKind(facts []Fact) []Group {
	var groups []Group
	for _, f := range facts {
		if f.Kind == Text {
			continue
		}
		i := slices.IndexFunc(groups, func(g Group) bool { return g.Kind == f.Kind })
		if i < 0 {
			i, groups = len(groups), append(groups, Group{Kind: f.Kind})
		}
		groups[i].Facts = append(groups[i].Facts, f)
	}
	slices.SortFunc(groups, func(a, b Group) int { return cmp.Compare(order(a.Kind), order(b.Kind)) })
	return groups
}

// Words returns the kind and the value of f on a single line. If the use of f is not one of the
// common uses, the use follows in parentheses.
func (f Fact) Words() string {
	switch f.Use {
	case "", Literal, Order, Store, Environment, Command, f.Value:
		return string(f.Kind) + " " + f.Value
	}
	return fmt.Sprintf("%s %s (%s)", f.Kind, f.Value, f.Use)
}

// Summary describes the facts of a first import, one line for each kind.
func Summary(facts []Fact) []string {
	return lists.Map(ByKind(facts), func(g Group) string { return fmt.Sprintf("%-6s  %s", g.Kind, g.Values()) })
}

// Values returns the values of the facts in g as text, separated by commas and without duplicates.
// Facts with the policy Warns come first. Packages are grouped by package manager. Sentences about
// informing or asking people are only counted, because a first import contains many such sentences.
func (g Group) Values() string {
	told := Count{One: "instruction to inform or ask people", Many: "instructions to inform or ask people"}
	var rest []Fact
	for _, f := range g.Facts {
		if f.Use == Told {
			told.Facts = append(told.Facts, f)
		} else {
			rest = append(rest, f)
		}
	}
	l := Arrange(rest)
	if len(told.Facts) > 0 {
		l.Counts = append(l.Counts, told)
	}
	var values []string
	packages := map[string]int{} // maps each package manager to the index of its packages in values
	seen := map[string]bool{}
	for _, f := range l.Listed {
		if seen[f.Value] {
			continue
		}
		seen[f.Value] = true
		manager, name, ok := strings.Cut(f.Value, " ")
		at, known := packages[manager]
		switch {
		case f.Use != Package || !ok:
			values = append(values, f.Value)
		case known:
			values[at] += " " + name
		default:
			packages[manager] = len(values)
			values = append(values, f.Value)
		}
	}
	for _, c := range l.Counts {
		values = append(values, c.String())
	}
	return strings.Join(values, ", ")
}

// Lines returns one line for each fact that Arrange lists, and one line for each group of facts
// that Arrange counts. Added facts are marked with "+" and removed facts with "-". An added fact is
// labeled as known if other subjects in the registry also have it.
func Lines(d Difference) []string {
	var lines []string
	for _, side := range []struct {
		sign  string
		facts []Fact
	}{{"+", d.Added}, {"-", d.Removed}} {
		l := Arrange(side.facts)
		for _, f := range l.Listed {
			line := fmt.Sprintf("%s %s  %s:%d", side.sign, f.Words(), f.Path, f.Line)
			if f.NewHere && !f.NewToRegistry {
				line += "  known in the registry"
			}
			lines = append(lines, line)
		}
		for _, c := range l.Counts {
			lines = append(lines, side.sign+" "+c.String())
		}
	}
	return lines
}
