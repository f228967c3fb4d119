package proposals

import (
	"errors"
	"fmt"
	"strings"
	"unicode"

	"toolcrib/registry/jsondoc"
)

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
