package fact

import (
	"fmt"
	"slices"
	"strings"
)

// Decisions are patterns of facts, such as "out:*.example.com" or "write:*", by what a
// configuration decides about the facts that match.
type Decisions struct {
	Allow []string `toml:"allow" json:"allow,omitempty"`
	Warn  []string `toml:"warn" json:"warn,omitempty"`
	Block []string `toml:"block" json:"block,omitempty"`
}

// Decision is the verdict of a configuration on a fact.
type Decision string

// The decisions. Undecided leaves a fact to the rules.
const (
	Undecided Decision = ""
	Allow     Decision = "allow"
	Warn      Decision = "warn"
	Block     Decision = "block"
)

// Lists returns the patterns that there are by the keys of toolcrib.toml.
func (d Decisions) Lists() map[string]string {
	lists := map[string]string{}
	for key, patterns := range map[string][]string{"reach.allow": d.Allow, "reach.warn": d.Warn, "reach.block": d.Block} {
		if len(patterns) > 0 {
			lists[key] = strings.Join(patterns, " ")
		}
	}
	return lists
}

// Check returns an error for a pattern that matches nothing.
func (d Decisions) Check() error {
	for _, p := range slices.Concat(d.Allow, d.Warn, d.Block) {
		kind, value, ok := strings.Cut(p, ":")
		if known := kinds(); !ok || value == "" || kind != "*" && !slices.Contains(known, kind) {
			return fmt.Errorf(`reach: unknown pattern %q; write KIND:VALUE, such as "out:*.example.com" or "write:*", with one of the kinds %s`, p, strings.Join(known, ", "))
		}
	}
	return nil
}

func kinds() []string {
	var list []string
	for _, row := range Policies {
		list = append(list, string(row.Kind))
	}
	return slices.Compact(list)
}

// Of returns the decision about f, the strictest that matches.
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

// like reports whether a pattern, in which "*" stands for anything, matches all of text.
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
