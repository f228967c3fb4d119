package approval

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"toolcrib/registry"
)

// Pattern names subjects: "tool:user/*", "agent:global/assistant",
// "tool:project/*/pay_*", or "tool:**" for a kind in every layer. "*" matches any
// characters but "/".
type Pattern struct {
	Kind  string // "tool", "agent", "list", or "*"
	Layer string // "global", "user", "project/" and a name with "*", or "**" for any layer
	ID    string // with "*"
}

const (
	anyKind  = "*"
	anyLayer = "**"
	anyID    = "*"
)

var (
	patternPart = regexp.MustCompile(`^[A-Za-z0-9_.*-]+$`)
	errPattern  = fmt.Errorf(`write KIND:LAYER/ID such as "tool:project/*/*", "agent:global/assistant", or "tool:**" for every layer`)
)

// ParsePattern reads a pattern.
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
		return p, fmt.Errorf("%q has the layer %q, which is none of global, user, project/NAME, and **: %w", s, p.Layer, errPattern)
	}
	return p, nil
}

// String returns the pattern as ParsePattern reads it.
func (p Pattern) String() string {
	if p.Layer == anyLayer && p.ID == anyID {
		return p.Kind + ":" + anyLayer
	}
	return p.Kind + ":" + p.Layer + "/" + p.ID
}

// Matches reports whether the pattern names a subject, by its id or by another name
// that it answers to.
func (p Pattern) Matches(s registry.Subject, names ...string) bool {
	if p.Kind != anyKind && p.Kind != string(s.Kind) || p.Layer != anyLayer && !glob(p.Layer, string(s.Layer)) {
		return false
	}
	return glob(p.ID, s.ID) || slices.ContainsFunc(names, func(name string) bool {
		return glob(p.ID, name) || glob(p.ID, strings.NewReplacer("-", "_", ".", "_").Replace(strings.ToLower(name)))
	})
}

// glob matches a text with a pattern that was checked when it was parsed.
func glob(pattern, text string) bool {
	ok, err := path.Match(pattern, text)
	return ok && err == nil
}
