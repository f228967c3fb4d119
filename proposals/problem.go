package proposals

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"unicode"

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

// DecodeError is everything that keeps a text from being read as proposals.
type DecodeError struct {
	File     string // "" when the text has no name
	Problems []DocumentProblem
	More     int // problems beyond the ones listed
}

// DocumentProblem is a problem of one proposal of a text.
type DocumentProblem struct {
	// Document counts the proposals of the text from 1. It is 0 when there is only
	// one, and for problems of the whole text.
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

// Error returns every problem, separated by "; ", after the name of the file.
func (e *DecodeError) Error() string {
	lines := make([]string, 0, len(e.Problems)+1)
	for _, p := range e.Problems {
		lines = append(lines, p.String())
	}
	if e.More > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", e.More))
	}
	text := strings.Join(lines, "; ")
	if e.File == "" {
		return text
	}
	return printable(e.File) + ": " + text
}

// printable returns a file's name as it may stand in a message.
func printable(name string) string {
	for _, r := range name {
		if !unicode.IsPrint(r) {
			return jsondoc.Quote(name)
		}
	}
	return name
}

// maxDecodeProblems limits how many problems of one text are listed.
const maxDecodeProblems = 500

// malformed returns what could not be read of each of the given proposals as
// one error, nil when all is well.
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

// brokenText returns the error for a text that could not be taken apart into
// proposals.
func brokenText(err error) error {
	var ps jsondoc.Problems
	if !errors.As(err, &ps) {
		return err
	}
	return malformed([]Parsed{{Malformed: ps}})
}

// textError returns the error for a text that is refused as a whole.
func textError(format string, args ...any) error {
	return brokenText(jsondoc.Problems{{Path: jsondoc.Root, Message: fmt.Sprintf(format, args...)}})
}
