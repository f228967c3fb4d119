package proposals

import (
	"cmp"
	"strings"

	"toolcrib/registry/jsondoc"
)

// The rules of the template. Each looks at one part of a proposal; their ids
// are those of the findings that review makes of them.
const (
	RuleDefinition      = "T101" // the definition is complete and is the subject's
	RuleBaseVersion     = "T102" // the base version is given
	RuleRationale       = "T103" // the rationale is given
	RuleExamples        = "T104" // there are 2 or 3 examples, no two alike
	RuleTestCases       = "T105" // there are 2 or 3 whole test cases
	RulePassAndFail     = "T106" // one test case should pass, one should fail
	RuleConflictMarkers = "T107" // no merge conflict is left in a text
	RuleSubject         = "T108" // the proposal has a type, a subject, and no unknown keys
	RuleChangeSet       = "T109" // the name of the change set has the right form
	RuleRestoreVersion  = "T110" // a restore, and only a restore, says to what
)

// Problem is one thing that a submission still lacks or that is malformed.
type Problem struct {
	Rule string // id of the rule that it breaks
	jsondoc.Problem
}

// Problems is everything that keeps a draft from being submitted.
type Problems []Problem

// String returns the problems, separated by "; ".
func (ps Problems) String() string {
	found := make(jsondoc.Problems, len(ps))
	for i, p := range ps {
		found[i] = p.Problem
	}
	return found.Error()
}

// Locate fills in the places that are not known yet from the tree of the
// proposal. A path that it lacks takes the place of the nearest value around.
func (ps Problems) Locate(doc *jsondoc.Node) Problems {
	for i := range ps {
		ps[i].Problem = jsondoc.Problems{ps[i].Problem}.Locate(doc)[0]
	}
	return ps
}

// ruleOf returns the rule that looks at the value at path.
func ruleOf(path string) string {
	return cmp.Or(ruleOfKey[headOf(path)], RuleSubject)
}

// ruleOfKey has the rules of the keys of a proposal other than RuleSubject.
var ruleOfKey = map[string]string{
	"definition": RuleDefinition, "baseVersion": RuleBaseVersion, "restoreVersion": RuleRestoreVersion, "rationale": RuleRationale,
	"examples": RuleExamples, "testCases": RuleTestCases, "changeSet": RuleChangeSet,
}

// headOf returns the first key of a path.
func headOf(path string) string {
	if i := strings.IndexAny(path, ".["); i >= 0 {
		return path[:i]
	}
	return path
}

// Problems returns everything that keeps p from being submitted: unreadable parts,
// and missing or wrong fields, with their places in the text.
func (p Parsed) Problems() Problems {
	all := make(Problems, 0, len(p.Malformed))
	for _, m := range p.Malformed {
		all = append(all, Problem{Rule: ruleOf(m.Path), Problem: m})
	}
	for _, found := range p.Draft.Problems() {
		if !p.unread(found) {
			all = append(all, found)
		}
	}
	if len(all) == 0 {
		return nil
	}
	return all.Locate(p.Doc)
}

// unread reports whether found is only there because something in the text
// could not be read, which is a problem of its own.
func (p Parsed) unread(found Problem) bool {
	for _, m := range p.Malformed {
		if within(found.Path, m.Path) || found.Rule == RulePassAndFail && within(m.Path, found.Path) {
			return true
		}
	}
	return false
}

// within reports whether path is outer or leads into it.
func within(path, outer string) bool {
	if outer == jsondoc.Root {
		return true
	}
	rest, ok := strings.CutPrefix(path, outer)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}
