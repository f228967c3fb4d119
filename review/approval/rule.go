// Package approval determines whose approvals a change needs before it goes live. Policy rules list subjects, their
// owners, and the number of owners who must approve.
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

// Rule is an entry of a policy. It applies to subjects that match its patterns, for approvals from Since until Until.
type Rule struct {
	Subjects     []Pattern
	Owners       []string  // principals, such as "user:mara"
	Approvals    int       // number of owners who must approve
	Since, Until time.Time // zero for no limit
	From         string    // "system", "user", or "project"
}

// FromProject is the origin of a rule in a project's file.
const FromProject = "project"

// Check returns an error if no combination of approvals can satisfy the rule.
func (r Rule) Check() error {
	for i, owner := range r.Owners {
		if twin := slices.IndexFunc(r.Owners[:i], func(o string) bool { return SamePrincipal(o, owner) }); twin >= 0 {
			if r.Owners[twin] == owner {
				return fmt.Errorf("duplicate owner %s: list each principal once", owner)
			}
			return fmt.Errorf("owners %s and %s differ only in case: list each principal once", r.Owners[twin], owner)
		}
	}
	switch {
	case len(r.Subjects) == 0:
		return fmt.Errorf("it has no subjects; %w", errPattern)
	case len(r.Owners) == 0:
		return errors.New(`it has no owners; name who may approve, such as owners = ["user:mara", "user:ada"]`)
	case r.Approvals < 1:
		return fmt.Errorf("approvals must be at least 1 (got %d)", r.Approvals)
	case r.Approvals > len(r.Owners):
		return fmt.Errorf("it requires %d approvals but has only %d owners; name more owners or require fewer approvals", r.Approvals, len(r.Owners))
	case !r.Until.IsZero() && !r.Until.After(r.Since):
		return errors.New("it ends (until) before it begins (since)")
	}
	return nil
}

// String returns the rule on one line.
func (r Rule) String() string {
	return fmt.Sprintf("%d of %s for %s", r.Approvals, strings.Join(r.Owners, " "), strings.Join(lists.Map(r.Subjects, Pattern.String), " "))
}

// at reports whether the rule applies to approvals at a time.
func (r Rule) at(at time.Time) bool {
	return !at.Before(r.Since) && (r.Until.IsZero() || at.Before(r.Until))
}

// SamePrincipal reports whether two principals differ at most in case, and so may be the same person.
func SamePrincipal(a, b string) bool { return strings.EqualFold(a, b) }

// Rules is a policy. All rules that apply must be satisfied, so an additional rule never makes approval easier.
type Rules []Rule

// At returns the rules that apply to approvals at a time.
func (rs Rules) At(at time.Time) Rules {
	return slices.DeleteFunc(slices.Clone(rs), func(r Rule) bool { return !r.at(at) })
}

// Named reports whether any rule matches subjects by name. If so, pass all names of a subject to For.
func (rs Rules) Named() bool {
	return slices.ContainsFunc(rs, func(r Rule) bool {
		return slices.ContainsFunc(r.Subjects, func(p Pattern) bool { return p.ID != anyID })
	})
}

// For returns the approvals that a subject needs at a time. names are the subject's other names, such as aliases: the
// owners of pay_now decide about all tools that can be called by this name.
func (rs Rules) For(s registry.Subject, at time.Time, names ...string) Need {
	var n Need
	for _, r := range rs {
		if r.at(at) && slices.ContainsFunc(r.Subjects, func(p Pattern) bool { return p.Matches(s, names...) }) {
			n = append(n, r)
		}
	}
	return n
}

// Need lists the rules that apply to a subject. If it is empty, the approval of any user is sufficient.
type Need []Rule

// Owners returns the users who may approve, in the order of the rules, or nil if any user may.
func (n Need) Owners() []string {
	var owners []string
	for _, r := range n {
		owners = lists.Union(owners, r.Owners)
	}
	return owners
}

// MayApprove reports whether the approval of a principal can count.
func (n Need) MayApprove(principal string) bool {
	return len(n) == 0 || slices.Contains(n.Owners(), principal)
}

// Waivers returns the users who may waive a finding, or nil if any user may. Owners from a project's file may do so
// only if no other rule applies, because a waiver removes an obstacle and a project's file may only tighten the policy.
func (n Need) Waivers() []string {
	own := slices.DeleteFunc(slices.Clone(n), func(r Rule) bool { return r.From == FromProject })
	if len(own) > 0 {
		return own.Owners()
	}
	return n.Owners()
}

// MayWaive reports whether a principal may waive a finding.
func (n Need) MayWaive(principal string) bool {
	return len(n) == 0 || slices.Contains(n.Waivers(), principal)
}

// Pattern matches subjects: "tool:user/*", "agent:global/assistant", "tool:project/*/pay_*", or "tool:**" for a kind in
// all layers. "*" matches any characters except "/".
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

// ParsePattern parses a pattern.
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
		return p, fmt.Errorf("%q names no layer: %w", s, errPattern)
	}
	p.Layer, p.ID = rest[:i], rest[i+1:]
	name, inProject := strings.CutPrefix(p.Layer, "project/")
	switch {
	case !patternPart.MatchString(p.ID) || strings.Contains(p.ID, "**"):
		return p, fmt.Errorf("%q has the id %q, which no subject can have: %w", s, p.ID, errPattern)
	case inProject && (!patternPart.MatchString(name) || strings.Contains(name, "**")):
		return p, fmt.Errorf("%q has the project %q, which no project can have: %w", s, name, errPattern)
	case !inProject && !slices.Contains([]string{string(registry.LayerGlobal), string(registry.LayerUser), anyLayer}, p.Layer):
		return p, fmt.Errorf("%q has the layer %q, which is not global, user, project/NAME, or **: %w", s, p.Layer, errPattern)
	}
	return p, nil
}

// String returns the pattern in the format of ParsePattern.
func (p Pattern) String() string {
	if p.Layer == anyLayer && p.ID == anyID {
		return p.Kind + ":" + anyLayer
	}
	return p.Kind + ":" + p.Layer + "/" + p.ID
}

// Matches reports whether the pattern matches a subject by its id or one of its other names.
func (p Pattern) Matches(s registry.Subject, names ...string) bool {
	if p.Kind != anyKind && p.Kind != string(s.Kind) || p.Layer != anyLayer && !glob(p.Layer, string(s.Layer)) {
		return false
	}
	return glob(p.ID, s.ID) || slices.ContainsFunc(names, func(name string) bool {
		return glob(p.ID, name) || glob(p.ID, strings.NewReplacer("-", "_", ".", "_").Replace(strings.ToLower(name)))
	})
}

// glob reports whether a text matches a pattern that was validated when it was parsed.
func glob(pattern, text string) bool {
	ok, err := path.Match(pattern, text)
	return ok && err == nil
}
