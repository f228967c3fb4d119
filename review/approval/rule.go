// Package approval determines who must approve a change before it goes live. Each rule of a policy specifies subjects,
// the owners of these subjects, and the number of owners who must approve.
package approval

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"toolcrib/internal/lists"
	"toolcrib/registry"
)

// Rule is a rule of a policy. It applies to subjects that match any of its patterns, and to approvals at or after Since
// and before Until.
type Rule struct {
	Subjects     []Pattern
	Owners       []string  // principals, such as "user:mara"
	Approvals    int       // number of owners who must approve
	Since, Until time.Time // zero if there is no limit
	From         string    // "system", "user", or "project"
}

// FromProject is the value of Rule.From for a rule in the toolcrib.toml of a project.
const FromProject = "project"

// Check returns an error if the rule is invalid or if no approvals can satisfy it.
func (r Rule) Check() error {
	for i, owner := range r.Owners {
		if twin := slices.IndexFunc(r.Owners[:i], func(o string) bool { return SamePrincipal(o, owner) }); twin >= 0 {
			if r.Owners[twin] == owner {
				return fmt.Errorf("duplicate owner %s: list each owner once", owner)
			}
			return fmt.Errorf("owners %s and %s differ only in case: list each owner once", r.Owners[twin], owner)
		}
	}
	switch {
	case len(r.Subjects) == 0:
		return fmt.Errorf("the entry has no subjects; %w", errPattern)
	case len(r.Owners) == 0:
		return errors.New(`the entry has no owners; list the users who can approve, such as owners = ["user:mara", "user:ada"]`)
	case r.Approvals < 1:
		return fmt.Errorf("approvals must be at least 1 (got %d)", r.Approvals)
	case r.Approvals > len(r.Owners):
		return fmt.Errorf("the entry requires %d approvals, which is more than its number of owners (%d); add owners or require fewer approvals", r.Approvals, len(r.Owners))
	case !r.Until.IsZero() && !r.Until.After(r.Since):
		return errors.New("until must be later than since")
	}
	return nil
}

// String returns the rule on one line.
func (r Rule) String() string {
	return fmt.Sprintf("%d of %s for %s", r.Approvals, strings.Join(r.Owners, " "), strings.Join(lists.Map(r.Subjects, Pattern.String), " "))
}

// at reports whether the rule applies to an approval at time t.
func (r Rule) at(t time.Time) bool {
	return !t.Before(r.Since) && (r.Until.IsZero() || t.Before(r.Until))
}

// SamePrincipal reports whether a and b are equal except for case. Such principals may denote the same person.
func SamePrincipal(a, b string) bool { return strings.EqualFold(a, b) }

// Rules is the list of the rules of a policy. A change must satisfy all rules that apply to it, so an additional rule
// never makes approval easier.
type Rules []Rule

// At returns the rules that apply to an approval at time t.
func (rs Rules) At(t time.Time) Rules {
	return slices.DeleteFunc(slices.Clone(rs), func(r Rule) bool { return !r.at(t) })
}

// Named reports whether any rule matches subjects by name. In that case, the caller must pass all names of a subject to
// For.
func (rs Rules) Named() bool {
	return slices.ContainsFunc(rs, func(r Rule) bool {
		return slices.ContainsFunc(r.Subjects, func(p Pattern) bool { return p.ID != anyID })
	})
}

// For returns the rules that a change of s must satisfy at time t. The given names are other names of s, such as
// aliases. For example, the owners of pay_now decide about all tools that can be called by this name.
func (rs Rules) For(s registry.Subject, t time.Time, names ...string) Need {
	return lists.Filter(rs, func(r Rule) bool {
		return r.at(t) && slices.ContainsFunc(r.Subjects, func(p Pattern) bool { return p.Matches(s, names...) })
	})
}

// Need lists the rules that a change of a subject must satisfy. If it is empty, the approval of any user is sufficient.
type Need []Rule

// Owners returns the users who may approve, in the order of the rules. It returns nil if any user may approve.
func (n Need) Owners() []string {
	var owners []string
	for _, r := range n {
		owners = lists.Union(owners, r.Owners)
	}
	return owners
}

// MayApprove reports whether an approval by principal can contribute to n.
func (n Need) MayApprove(principal string) bool {
	return len(n) == 0 || slices.Contains(n.Owners(), principal)
}

// Waivers returns the users who may waive a finding, or nil if any user may. The owners in a rule of a project can
// waive findings only if no other rule applies: a waiver removes an obstacle, but the rules of a project must only
// tighten the policy.
func (n Need) Waivers() []string {
	own := slices.DeleteFunc(slices.Clone(n), func(r Rule) bool { return r.From == FromProject })
	if len(own) > 0 {
		return own.Owners()
	}
	return n.Owners()
}

// MayWaive reports whether principal may waive a finding.
func (n Need) MayWaive(principal string) bool {
	return len(n) == 0 || slices.Contains(n.Waivers(), principal)
}

// Pattern matches subjects, such as "tool:user/*", "agent:global/assistant", or "tool:project/*/pay_*". "tool:**"
// matches all tools in all layers. "*" matches any characters except "/".
type Pattern struct {
	Kind  string // "tool", "agent", "list", or "*"
	Layer string // "global", "user", "project/" and a name, which may contain "*", or "**" for all layers
	ID    string // may contain "*"
}

const (
	anyKind  = "*"
	anyLayer = "**"
	anyID    = "*"
)

var (
	patternPart = regexp.MustCompile(`^[A-Za-z0-9_.*-]+$`)
	errPattern  = fmt.Errorf(`use KIND:LAYER/ID, such as "tool:project/*/*", "agent:global/assistant", or "tool:**" for every layer`)
)

// ParsePattern parses a pattern such as "tool:user/*".
func ParsePattern(s string) (Pattern, error) {
	kind, rest, ok := strings.Cut(s, ":")
	p := Pattern{Kind: kind, Layer: anyLayer, ID: anyID}
	if !ok || kind != anyKind && !slices.Contains(registry.SubjectKinds(), registry.Kind(kind)) {
		return p, fmt.Errorf("%q does not begin with tool:, agent:, list:, or *: %w", s, errPattern)
	}
	if rest == anyLayer {
		return p, nil
	}
	i := strings.LastIndexByte(rest, '/')
	if i < 0 {
		return p, fmt.Errorf("%q has no layer: %w", s, errPattern)
	}
	p.Layer, p.ID = rest[:i], rest[i+1:]
	name, inProject := strings.CutPrefix(p.Layer, "project/")
	switch {
	case !patternPart.MatchString(p.ID) || strings.Contains(p.ID, "**"):
		return p, fmt.Errorf("%q contains %q, which is not a valid id: %w", s, p.ID, errPattern)
	case inProject && (!patternPart.MatchString(name) || strings.Contains(name, "**")):
		return p, fmt.Errorf("%q contains %q, which is not a valid name of a project: %w", s, name, errPattern)
	case !inProject && !slices.Contains([]string{string(registry.LayerGlobal), string(registry.LayerUser), anyLayer}, p.Layer):
		return p, fmt.Errorf("%q contains the layer %q, which is not global, user, project/NAME, or **: %w", s, p.Layer, errPattern)
	}
	return p, nil
}

// String returns the pattern in the syntax that ParsePattern accepts.
func (p Pattern) String() string {
	if p.Layer == anyLayer && p.ID == anyID {
		return p.Kind + ":" + anyLayer
	}
	return p.Kind + ":" + p.Layer + "/" + p.ID
}

// Matches reports whether the pattern matches s by its id or by any of names.
func (p Pattern) Matches(s registry.Subject, names ...string) bool {
	if p.Kind != anyKind && p.Kind != string(s.Kind) || p.Layer != anyLayer && !glob(p.Layer, string(s.Layer)) {
		return false
	}
	return glob(p.ID, s.ID) || slices.ContainsFunc(names, func(name string) bool {
		return glob(p.ID, name) || glob(p.ID, strings.NewReplacer("-", "_", ".", "_").Replace(strings.ToLower(name)))
	})
}

// glob reports whether text matches pattern. The syntax of pattern was checked by ParsePattern.
func glob(pattern, text string) bool {
	ok, err := path.Match(pattern, text)
	return ok && err == nil
}
