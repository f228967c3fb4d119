// This file defines the problems of drafts, and the errors for texts that cannot be decoded.

package proposals

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"toolcrib/internal/lists"
	"toolcrib/registry/jsondoc"
)

// The rules of the template. Each rule checks one part of a proposal. Package review
// uses the same ids for its findings.
const (
	RuleDefinition      = "T101" // the definition is complete and matches the subject
	RuleBaseVersion     = "T102" // the base version is set
	RuleRationale       = "T103" // there is a rationale
	RuleExamples        = "T104" // there are 2 or 3 different examples
	RuleTestCases       = "T105" // there are 2 or 3 complete test cases
	RulePassAndFail     = "T106" // one test case should pass, one should fail
	RuleConflictMarkers = "T107" // no text has an unresolved merge conflict
	RuleSubject         = "T108" // the proposal has a type, a subject, and no unknown keys
	RuleChangeSet       = "T109" // the name of the change set is valid
	RuleRestoreVersion  = "T110" // the version to restore is set for the type restore, and for no other type
)

// Problem is a missing or malformed part of a draft.
type Problem struct {
	Rule string // id of the violated rule
	jsondoc.Problem
}

// Problems lists the reasons why a draft cannot be submitted.
type Problems []Problem

// String returns the problems, separated by "; ".
func (ps Problems) String() string {
	return jsondoc.Problems(lists.Map(ps, func(p Problem) jsondoc.Problem { return p.Problem })).Error()
}

// Locate sets the missing positions of the problems. doc is the JSON tree of the
// proposal. If doc has no value at the path of a problem, the position of the nearest
// parent is used.
func (ps Problems) Locate(doc *jsondoc.Node) Problems {
	for i := range ps {
		ps[i].Problem = jsondoc.Problems{ps[i].Problem}.Locate(doc)[0]
	}
	return ps
}

// ruleOf returns the rule that checks the value at path.
func ruleOf(path string) string {
	return cmp.Or(ruleOfKey[headOf(path)], RuleSubject)
}

// ruleOfKey maps keys of a proposal to the rules that check their values. Other keys
// belong to RuleSubject.
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

// Problems returns the reasons why p cannot be submitted: unreadable parts, and missing
// or invalid fields. Each reason has a position in the text.
func (p Parsed) Problems() Problems {
	all := Problems(lists.Map(p.Malformed, func(m jsondoc.Problem) Problem { return Problem{Rule: ruleOf(m.Path), Problem: m} }))
	for _, found := range p.Draft.Problems() {
		consequence := func(m jsondoc.Problem) bool { // reports whether found is a consequence of the unreadable part m
			return jsondoc.Within(found.Path, m.Path) || found.Rule == RulePassAndFail && jsondoc.Within(m.Path, found.Path)
		}
		if !slices.ContainsFunc(p.Malformed, consequence) {
			all = append(all, found)
		}
	}
	if len(all) == 0 {
		return nil
	}
	return all.Locate(p.Doc)
}

// DecodeError lists the reasons why the proposals in a text cannot be decoded.
type DecodeError struct {
	File     string // name of the file; "" if unknown
	Problems []DocumentProblem
	More     int // number of problems that are not listed
}

// DocumentProblem is a problem of a proposal in a text that may contain several.
type DocumentProblem struct {
	// Document is the number of the proposal in the text, counted from 1. It is 0 if
	// the text contains only one proposal, or if the problem concerns the whole text.
	Document int
	Problem
}

// String returns "document 2: path (line 3, column 7): message".
func (p DocumentProblem) String() string {
	if p.Document == 0 {
		return p.Problem.String()
	}
	return fmt.Sprintf("document %d: %s", p.Document, p.Problem)
}

// Error returns the name of the file and all problems, separated by "; ".
func (e *DecodeError) Error() string {
	lines := lists.Map(e.Problems, DocumentProblem.String)
	if e.More > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", e.More))
	}
	text := strings.Join(lines, "; ")
	switch {
	case e.File == "":
		return text
	case strings.ContainsFunc(e.File, func(r rune) bool { return !unicode.IsPrint(r) }):
		return jsondoc.Quote(e.File) + ": " + text
	}
	return e.File + ": " + text
}

// maxDecodeProblems is the maximum number of problems that a DecodeError lists.
const maxDecodeProblems = 500

// malformed returns a DecodeError for the unreadable parts of the given proposals, or
// nil if all parts are readable.
func malformed(parsed []Parsed) error {
	var e DecodeError
	for i, p := range parsed {
		document := i + 1
		if len(parsed) == 1 {
			document = 0
		}
		for _, problem := range p.Malformed {
			if len(e.Problems) == maxDecodeProblems {
				e.More++
				continue
			}
			e.Problems = append(e.Problems, DocumentProblem{Document: document, Problem: Problem{Rule: ruleOf(problem.Path), Problem: problem}})
		}
	}
	if len(e.Problems) == 0 {
		return nil
	}
	return &e
}

// brokenText returns a DecodeError for a text that could not be split into proposals
// because of err.
func brokenText(err error) error {
	if ps, ok := errors.AsType[jsondoc.Problems](err); ok {
		return malformed([]Parsed{{Malformed: ps}})
	}
	return err
}

// textError returns a DecodeError with a message that concerns the whole text.
func textError(format string, args ...any) error {
	return brokenText(jsondoc.Problems{{Path: jsondoc.Root, Message: fmt.Sprintf(format, args...)}})
}
