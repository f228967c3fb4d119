// This file compares the test cases of two versions.

package impact

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"toolcrib/history"
	"toolcrib/history/diff"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
)

// TestChange is the change of one test case by a proposal: the proposal removes, modifies, or adds the case. After an
// approval, the subject has the test cases of the proposal, and removed cases are no longer run. Name is the name after
// the change. Before and After are texts of the case, or "" if the case does not exist on that side.
type TestChange struct {
	Name   string      `json:"name"`
	Change diff.Change `json:"change"` // removed, modified or added
	Before string      `json:"before,omitempty"`
	After  string      `json:"after,omitempty"`
}

// CompareCases compares the test cases of an approved base with the test cases of a proposal. Removed cases come first.
// If the base has no test cases, CompareCases returns no changes.
func CompareCases(base, proposed []proposals.TestCase) []TestChange {
	var dropped, rest []TestChange
	// match[i] is the index in proposed of the case that corresponds to base[i], or -1. The first criterion is applied to
	// all cases before the second one.
	match := slices.Repeat([]int{-1}, len(base))
	for _, same := range []func(a, b proposals.TestCase) bool{
		func(a, b proposals.TestCase) bool { return a.Name == b.Name },
		func(a, b proposals.TestCase) bool { return a.Input == b.Input && a.Expect == b.Expect },
	} {
		for i, before := range base {
			for j, after := range proposed {
				if match[i] < 0 && !slices.Contains(match, j) && same(before, after) {
					match[i] = j
				}
			}
		}
	}
	for i, before := range base {
		change := TestChange{Name: before.Name, Change: diff.Removed, Before: caseText(before)}
		if match[i] < 0 {
			dropped = append(dropped, change)
			continue
		}
		after := proposed[match[i]]
		change.Name, change.Change, change.After = after.Name, diff.Modified, caseText(after)
		if change.Before != change.After {
			rest = append(rest, change)
		}
	}
	for i, after := range proposed {
		if len(base) > 0 && !slices.Contains(match, i) {
			rest = append(rest, TestChange{Name: after.Name, Change: diff.Added, After: caseText(after)})
		}
	}
	return append(dropped, rest...)
}

// caseText returns the lines of a test case as text. Values are quoted, because they may contain line breaks.
func caseText(c proposals.TestCase) string {
	quote := func(s string) string { return string(jsondoc.Canonical(jsondoc.NewString(s))) }
	lines := []string{"name " + quote(c.Name), "expect " + string(c.Expect), "input " + quote(c.Input)}
	if c.Output != nil {
		lines = append(lines, "output "+quote(*c.Output))
	}
	for _, check := range c.Checks {
		lines = append(lines, strings.TrimSpace("check "+string(check.Type)+" "+string(check.Value)))
	}
	return strings.Join(lines, "\n")
}

// BesideCases returns both sides of the given changes as JSON for diff.Content.Beside. It returns nil if there are no
// changes.
func BesideCases(changes []TestChange) (before, after []byte) {
	if len(changes) == 0 {
		return nil, nil
	}
	sides := [2]*jsondoc.Node{jsondoc.NewObject(), jsondoc.NewObject()}
	for _, c := range changes {
		key := c.Name
		for n := 2; sides[0].Get(key) != nil || sides[1].Get(key) != nil; n++ {
			key = fmt.Sprintf("%s (%d)", c.Name, n) // several cases may have the same name
		}
		if c.Change != diff.Added {
			sides[0].Set(key, jsondoc.NewString(c.Before))
		}
		if c.Change != diff.Removed {
			sides[1].Set(key, jsondoc.NewString(c.After))
		}
	}
	text := func(cases *jsondoc.Node) []byte {
		return jsondoc.Canonical(jsondoc.NewObject(jsondoc.Member{Key: "testCases", Value: cases}))
	}
	return text(sides[0]), text(sides[1])
}

// caseReader reads a version, and the revision that was approved as this version.
type caseReader interface {
	Revision(ctx context.Context, id proposals.ID, number int) (proposals.Revision, error)
	Version(ctx context.Context, s registry.Subject, number int) (history.Version, error)
}

// CasesOf returns the test cases that were approved together with the given version of s. Shipped versions have no test
// cases.
func CasesOf(ctx context.Context, r caseReader, s registry.Subject, number int) ([]proposals.TestCase, error) {
	v, err := r.Version(ctx, s, number)
	if err != nil || v.Proposal == "" {
		return nil, err
	}
	rev, err := r.Revision(ctx, proposals.ID(v.Proposal), v.Revision)
	return rev.Draft.TestCases, err
}
