// This file applies the decisions of a configuration to facts.

package fact

import (
	"fmt"
	"slices"
	"strings"

	"toolcrib/internal/lists"
)

// Decisions contains the patterns of the facts that a configuration allows, warns about, or blocks.
// A pattern has the form KIND:VALUE, such as "out:*.example.com" or "write:*".
type Decisions struct {
	Allow []string `toml:"allow" json:"allow,omitempty"`
	Warn  []string `toml:"warn" json:"warn,omitempty"`
	Block []string `toml:"block" json:"block,omitempty"`
}

// Decision is the decision of a configuration about a fact.
type Decision string

// The decisions. Undecided means that the configuration does not mention the fact, so the rules
// decide.
const (
	Undecided Decision = ""
	Allow     Decision = "allow"
	Warn      Decision = "warn"
	Block     Decision = "block"
)

// Lists returns the non-empty lists of patterns, indexed by their keys in toolcrib.toml. The
// patterns of a list are joined with spaces.
func (d Decisions) Lists() map[string]string {
	lists := map[string]string{}
	for key, patterns := range map[string][]string{"reach.allow": d.Allow, "reach.warn": d.Warn, "reach.block": d.Block} {
		if len(patterns) > 0 {
			lists[key] = strings.Join(patterns, " ")
		}
	}
	return lists
}

// Check returns an error if a pattern has an invalid form or an unknown kind.
func (d Decisions) Check() error {
	known := slices.Compact(lists.Map(Policies, func(r Row) string { return string(r.Kind) }))
	for _, p := range slices.Concat(d.Allow, d.Warn, d.Block) {
		kind, value, ok := strings.Cut(p, ":")
		if !ok || value == "" || kind != "*" && !slices.Contains(known, kind) {
			return fmt.Errorf(`reach: unknown pattern %q: use KIND:VALUE, such as "out:*.example.com" or "write:*"; the kinds are %s`, p, strings.Join(known, ", "))
		}
	}
	return nil
}

// Of returns the decision about f. If f matches patterns of different decisions, Of returns the
// strictest of these decisions. If no pattern matches, it returns Undecided.
func (d Decisions) Of(f Fact) Decision {
	matches := func(pattern string) bool {
		kind, value, _ := strings.Cut(pattern, ":")
		return (kind == "*" || kind == string(f.Kind)) && like(strings.ToLower(value), strings.ToLower(f.Value))
	}
	switch {
	case slices.ContainsFunc(d.Block, matches):
		return Block
	case slices.ContainsFunc(d.Warn, matches):
		return Warn
	case slices.ContainsFunc(d.Allow, matches):
		return Allow
	}
	return Undecided
}

// like reports whether pattern matches text. "*" matches any sequence of characters.
func like(pattern, text string) bool {
	parts := strings.Split(pattern, "*")
	first, last := parts[0], parts[len(parts)-1]
	if len(parts) == 1 {
		return pattern == text
	}
	if len(text) < len(first)+len(last) || !strings.HasPrefix(text, first) || !strings.HasSuffix(text, last) {
		return false
	}
	text = text[len(first) : len(text)-len(last)]
	for _, part := range parts[1 : len(parts)-1] {
		_, rest, ok := strings.Cut(text, part)
		if !ok {
			return false
		}
		text = rest
	}
	return true
}
