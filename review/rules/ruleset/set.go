// Package ruleset combines the rules of all families and applies a configuration to them.
package ruleset

import (
	"cmp"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"toolcrib/internal/failpoint"
	"toolcrib/internal/lists"
	"toolcrib/prompt"
	"toolcrib/registry"
	"toolcrib/registry/shipped"
	"toolcrib/review/reach/fact"
	"toolcrib/review/rules"
	"toolcrib/review/rules/agents"
	"toolcrib/review/rules/budget"
	"toolcrib/review/rules/files"
	"toolcrib/review/rules/form"
	"toolcrib/review/rules/names"
	"toolcrib/review/rules/overlaps"
	"toolcrib/review/rules/reached"
	"toolcrib/review/rules/rulebook"
	"toolcrib/review/rules/schema"
	"toolcrib/review/rules/template"
	"toolcrib/review/rules/trust"
	"toolcrib/review/rules/wording"
)

// families are the first letters of rule ids, in the order in which rules are listed.
const families = "TNLSPODRABF"

// group contains the rules of one or more families. The data of a group is parsed on first use,
// because an approval needs only two families.
type group struct {
	families string
	rules    func() []rules.Rule
}

var groups = []group{
	groupOf("T", template.Rules, "template.toml"), groupOf("NL", names.Rules, "names.toml", "lock.toml"),
	groupOf("SP", func() []rules.Rule { return slices.Concat(wording.Rules(), form.Rules(), reached.Rules()) }, "characters.toml", "reached.toml"),
	groupOf("O", overlaps.Rules, "overlaps.toml"), groupOf("D", schema.Rules, "schemas.toml"), groupOf("R", trust.Rules, "registry.toml"),
	groupOf("A", agents.Rules, "agents.toml"), groupOf("B", budget.Rules, "budget.toml"), groupOf("F", files.Rules, "files.toml"),
}

// groupOf returns a group of the given families. The group calls list for its rules and adds the
// descriptions in the given form files to them.
func groupOf(families string, list func() []rules.Rule, forms ...string) group {
	return group{families, sync.OnceValue(func() []rules.Rule {
		made := list()
		for _, file := range forms {
			made = described(made, file)
		}
		return made
	})}
}

// All returns every rule, ordered by family and id.
func All() []rules.Rule {
	list := slices.Concat(lists.Map(groups, func(g group) []rules.Rule { return g.rules() })...)
	slices.SortFunc(list, func(a, b rules.Rule) int {
		return cmp.Or(cmp.Compare(strings.Index(families, a.Family()), strings.Index(families, b.Family())), strings.Compare(a.ID, b.ID))
	})
	return list
}

// Set is a configured set of rules.
type Set struct {
	overrides map[string]rules.Severity
	lowered   []string
	reach     fact.Decisions
}

// enforced is a rule with its configured severity.
type enforced struct {
	rules.Rule
	fixed bool // the configuration sets the severity, so the evidence does not affect it
}

// NewSet returns a Set with all rules. The severities in overrides, indexed by rule id, replace the
// default severities. NewSet returns an error for an unknown rule, for an unknown severity, and for
// a change to a locked rule.
func NewSet(overrides map[string]rules.Severity) (Set, error) {
	s := Set{overrides: overrides}
	if len(overrides) == 0 {
		return s, nil
	}
	known := map[string]bool{}
	for _, r := range All() {
		known[r.ID] = true
		severity, ok := overrides[r.ID]
		if !ok {
			continue
		}
		if r.Locked && severity != r.Severity {
			return Set{}, fmt.Errorf("rule %s (%s) is always %s; the configuration cannot change its severity", r.ID, r.Name, r.Severity)
		}
		if severity.Rank() < r.Severity.Rank() {
			s.lowered = append(s.lowered, fmt.Sprintf("%s (%s) is %s instead of %s", r.ID, r.Name, severity, r.Severity))
		}
		if !slices.Contains([]rules.Severity{rules.Info, rules.Warn, rules.Block, rules.Off}, severity) {
			return Set{}, fmt.Errorf("rule %s: unknown severity %q: use off, info, warn, or block", r.ID, severity)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(overrides)) {
		if !known[id] {
			return Set{}, fmt.Errorf("unknown rule %q: run \"toolcrib rules\" for a list of rules", id)
		}
	}
	return s, nil
}

// WithReach returns a copy of s that applies the configured decisions about hosts, files, and
// commands that a change adds.
func (s Set) WithReach(d fact.Decisions) Set {
	s.reach = d
	return s
}

// each yields the active rules of the families with the given letters. If letters is "", it yields
// the active rules of all families.
func (s Set) each(letters string) iter.Seq[enforced] {
	return func(yield func(enforced) bool) {
		for _, g := range groups {
			if letters != "" && !strings.ContainsAny(letters, g.families) {
				continue
			}
			for _, r := range g.rules() {
				severity, fixed := s.overrides[r.ID]
				if fixed {
					r.Severity = severity
				}
				if r.Severity != rules.Off && (letters == "" || strings.Contains(letters, r.Family())) && !yield(enforced{r, fixed}) {
					return
				}
			}
		}
	}
}

// any reports whether test returns true for at least one active rule of the families with the given
// letters; see each.
func (s Set) any(letters string, test func(enforced) bool) bool {
	for r := range s.each(letters) {
		if test(r) {
			return true
		}
	}
	return false
}

// Lowered returns descriptions of the rules that are less severe in this configuration than by
// default. Reviewers see these descriptions.
func (s Set) Lowered() []string { return slices.Clone(s.lowered) }

// Check runs all active rules on c and returns their findings. The most severe findings come first.
// Findings of the same severity are sorted by path, position, and rule.
func (s Set) Check(ctx context.Context, c *rules.Change) ([]rules.Finding, error) {
	return s.CheckFamilies(ctx, c, "")
}

// CheckFamilies is like Check, but runs only the rules of the families with the given letters. If
// letters is "", it runs all rules.
func (s Set) CheckFamilies(ctx context.Context, c *rules.Change, letters string) ([]rules.Finding, error) {
	findings := []rules.Finding{}
	c.Reach = s.reach
	// Reviewers cannot correct an imported schema, so findings about it may be waived. The limits
	// on schemas cannot be waived, because they protect every program that reads the schema.
	t := c.Draft.Definition.Tool
	upstream := t != nil && t.Source != nil
	faulty := false // a fault in shared code stops many rules; report it only once
	for r := range s.each(letters) {
		found, fault, err := checked(ctx, r.Rule, c)
		if fault && faulty {
			continue
		}
		faulty = faulty || fault
		if err != nil {
			return nil, fmt.Errorf("rule %s: %w", r.ID, err)
		}
		for _, f := range found {
			f.Rule, f.Severity, f.Waivable = r.ID, cmp.Or(f.Severity, r.Severity), r.Waivable || upstream && r.Family() == "D" && r.ID != schema.LimitsRule
			if fault {
				f.Waivable = true // if not waivable, a fault would make it impossible to approve a benign text
				findings = append(findings, f)
				continue
			}
			if r.fixed && f.Severity != rules.Info { // an Info finding remains an Info finding
				f.Severity = r.Severity
			}
			if !r.Form || f.Severity != rules.Block {
				in, err := c.ApprovedIn(ctx, f)
				if err != nil {
					return nil, fmt.Errorf("rule %s: %w", r.ID, err)
				}
				if in == nil && f.Carried {
					in = c.Before
				}
				if f.Carried = in != nil; f.Carried {
					f.From = fmt.Sprintf("%s@%d", in.Subject, in.Version)
				}
			}
			if added := cmp.Or(f.Added, r.Added); !f.Carried && c.Before != nil && !r.fixed && added.Rank() > f.Severity.Rank() {
				f.Severity = added
			}
			f.Suggestion, f.Importer = cmp.Or(f.Suggestion, r.Suggestion), forImporter(r.Rule, c)
			findings = append(findings, f)
		}
	}
	front, err := s.front(ctx, c, letters, findings)
	if err != nil {
		return nil, err
	}
	findings = append(findings, front...)
	slices.SortStableFunc(findings, func(a, b rules.Finding) int {
		return cmp.Or(
			-cmp.Compare(a.Severity.Rank(), b.Severity.Rank()),
			cmp.Compare(a.Path, b.Path),
			cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Column, b.Column),
			cmp.Compare(a.Rule, b.Rule),
		)
	})
	if c.Isolated {
		return findings, nil // findings in a file cannot be waived
	}
	return c.Bind(findings), nil
}

// checked runs the rule r. If r panics, checked reports a fault and returns a blocking finding. The
// process then continues, but no unchecked text can be approved.
func checked(ctx context.Context, r rules.Rule, c *rules.Change) (found []rules.Finding, fault bool, err error) {
	defer func() {
		if p := recover(); p != nil {
			found, fault, err = []rules.Finding{{
				Path: "$", Severity: rules.Block, Message: fmt.Sprintf("toolcrib could not check this text because of a fault in rule %s (%v). Report the fault.", r.ID, p),
			}}, true, nil
		}
	}()
	failpoint.Here("rule " + r.ID)
	found, err = r.Check(ctx, c)
	return found, false, err
}

// QueriesSimilar reports whether an active rule queries the World for similar definitions.
func (s Set) QueriesSimilar() bool {
	return s.any("", func(r enforced) bool { return r.QueriesSimilar })
}

// Has reports whether at least one rule of the given family is active.
func (s Set) Has(family string) bool {
	return s.any(family, func(enforced) bool { return true })
}

// forImporter returns the advice of r for people who import the definition of c and cannot change
// it. It returns "" if the definition is not imported.
func forImporter(r rules.Rule, c *rules.Change) string {
	t := c.Draft.Definition.Tool
	switch {
	case t == nil || !rules.Imported(t):
		return ""
	case r.Importer == "" && r.Family() == "D":
		return "Waive the finding if the tool works for you, and report the problem to its maker."
	}
	return r.Importer
}

// described adds the descriptions in the given form file to the rules in list, and returns list.
func described(list []rules.Rule, file string) []rules.Rule {
	for _, f := range rulebook.Forms(file) {
		i := slices.IndexFunc(list, func(r rules.Rule) bool { return r.ID == f.ID })
		if i < 0 {
			continue // a test ensures that each form has a check
		}
		r := &list[i]
		r.Added = rules.Severity(f.Added)
		r.Name, r.Severity, r.Locked, r.Waivable = f.Name, rules.Severity(f.Severity), f.Locked, f.Waivable
		r.Bad, r.Good, r.Importer = f.Bad.Show, f.Good.Show, f.Importer
		r.Doc, r.Suggestion = figures().Replace(f.Doc), figures().Replace(f.Suggestion)
	}
	return list
}

// figures replaces the placeholders in descriptions by numbers and lists that are defined in code.
var figures = sync.OnceValue(func() *strings.Replacer {
	return strings.NewReplacer(
		"{verbs}", strings.Join(shipped.Verbs(), ", "), "{categories}", strings.Join(registry.Categories(), ", "),
		"{descriptionLimit}", strconv.Itoa(prompt.DescriptionLimit), "{promptLimit}", strconv.Itoa(prompt.PromptLimit),
		"{promptGrowth}", strconv.Itoa(budget.PromptGrowth), "{manyCharacters}", strconv.Itoa(budget.ManyCharacters), "{manyBytes}", strconv.Itoa(budget.ManyBytes),
	)
})

// sums contains a hash of each folder that affects the findings: code, rules, tables, and core
// tools. TestSumsOfRules in the root of the module checks that the hashes are current.
//
//go:embed code.sums
var sums []byte

// Version identifies the code and data that determine the findings; it does not cover the
// configuration. It is a hash of sums, and part of every assessment and every review digest.
var Version = sync.OnceValue(func() string {
	sum := sha256.Sum256(sums)
	return hex.EncodeToString(sum[:])[:16]
})
