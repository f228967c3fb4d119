package rules

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"toolcrib/registry"
)

// Version changes whenever a check finds something else than before. It is
// part of every assessment and every review digest.
const Version = "1"

// All returns every rule, family by family and in each by id.
func All() []Rule { return slices.Clone(all()) }

// all makes the rules once.
var all = sync.OnceValue(func() []Rule {
	var list []Rule
	for _, family := range [][]Rule{template(), names(), lock(), security(), protocol(), overlaps(), data(), registryRules(), agent(), budget()} {
		for i := range family {
			family[i] = described(family[i])
		}
		slices.SortFunc(family, func(a, b Rule) int { return strings.Compare(a.ID, b.ID) })
		list = append(list, family...)
	}
	return list
})

// Set is the rules that are in force: every rule with the severity that the
// configuration gives it.
type Set struct {
	rules   []Rule
	version string
	lowered []string
}

// NewSet applies overrides, severities by rule id, to All. It returns an error
// for an unknown rule or severity, and for a change to a locked rule.
func NewSet(overrides map[string]Severity) (Set, error) {
	var s Set
	known := map[string]bool{}
	seal := []string{Version}
	shipped := all()
	s.rules = make([]Rule, 0, len(shipped))
	for _, r := range shipped {
		known[r.ID] = true
		severity, ok := overrides[r.ID]
		if ok {
			if r.Locked && severity != r.Severity {
				return Set{}, fmt.Errorf("rule %s (%s) is always %s: what it protects does not depend on configuration", r.ID, r.Name, r.Severity)
			}
			if severity.Rank() < r.Severity.Rank() {
				s.lowered = append(s.lowered, fmt.Sprintf("%s (%s) is %s instead of %s", r.ID, r.Name, severity, r.Severity))
			}
			r.Severity, r.fixed = severity, true
		}
		switch r.Severity {
		case Info, Warn, Block:
			s.rules = append(s.rules, r)
		case Off:
		default:
			return Set{}, fmt.Errorf("rule %s: %q is no severity; write off, info, warn or block", r.ID, r.Severity)
		}
		seal = append(seal, r.ID, string(r.Severity))
	}
	for _, id := range slices.Sorted(maps.Keys(overrides)) {
		if !known[id] {
			return Set{}, fmt.Errorf("there is no rule %q; toolcrib rules lists them", id)
		}
	}
	s.version = Version + "-" + registry.HashBytes([]byte(strings.Join(seal, "\n")))[:12]
	return s, nil
}

// override is the severity of a finding under a severity that the configuration
// gives its rule: the rule's evidence no longer matters, except that a hint stays
// one.
func override(found, configured Severity) Severity {
	if found == Info {
		return Info
	}
	return configured
}

// Version names the rules and their severities: Version and a hash of the
// table.
func (s Set) Version() string { return s.version }

// Lowered says which rules the configuration made weaker than they ship, so
// that a reviewer is told.
func (s Set) Lowered() []string { return slices.Clone(s.lowered) }

// Check runs the rules over c and returns what they find, the worst first,
// then by path, place and rule.
func (s Set) Check(ctx context.Context, c *Change) ([]Finding, error) {
	return s.CheckFamilies(ctx, c, "")
}

// CheckFamilies is Check with only the rules whose family is among the letters
// of families; "" stands for all.
func (s Set) CheckFamilies(ctx context.Context, c *Change, families string) ([]Finding, error) {
	findings := []Finding{}
	for _, r := range s.rules {
		if families != "" && !strings.Contains(families, r.Family()) {
			continue
		}
		found, err := r.Check(ctx, c)
		if err != nil {
			return nil, fmt.Errorf("rule %s: %w", r.ID, err)
		}
		for _, f := range found {
			f.Rule, f.Severity, f.Waivable = r.ID, cmp.Or(f.Severity, r.Severity), r.Waivable || r.upstream(c)
			if r.fixed {
				f.Severity = override(f.Severity, r.Severity)
			}
			f.Suggestion = cmp.Or(f.Suggestion, r.Suggestion)
			findings = append(findings, f)
		}
	}
	slices.SortStableFunc(findings, func(a, b Finding) int {
		return cmp.Or(
			-cmp.Compare(a.Severity.Rank(), b.Severity.Rank()),
			cmp.Compare(a.Path, b.Path),
			cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Column, b.Column),
			cmp.Compare(a.Rule, b.Rule),
		)
	})
	return findings, nil
}

// AsksAlike reports whether a rule in force asks the world what is alike.
func (s Set) AsksAlike() bool {
	return slices.ContainsFunc(s.rules, func(r Rule) bool { return r.AsksAlike })
}

// Has reports whether any rule of the family is in force.
func (s Set) Has(family string) bool {
	return slices.ContainsFunc(s.rules, func(r Rule) bool { return r.Family() == family })
}

// upstream reports whether a finding of the rule is about a schema that the user
// cannot correct, because it was imported: then the user may waive what is wrong
// with it as data. The limits on schemas hold for everybody; they keep whoever
// reads the schema alive.
func (r Rule) upstream(c *Change) bool {
	t := c.Draft.Definition.Tool
	return r.Family() == "D" && r.ID != limitsRule && t != nil && t.Source != nil
}
