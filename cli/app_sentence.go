package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"toolcrib/proposals"
	"toolcrib/registry/jsondoc"
	"toolcrib/review"
)

// sentence writes an error for a person: one sentence, or for something with
// many problems a sentence and a line for each.
func sentence(err error) string {
	var b strings.Builder
	for i, e := range flatten(err) {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(one(e))
	}
	return b.String()
}

func one(err error) string {
	var malformed *malformedError
	var incomplete *review.Incomplete
	var conflict *review.RebaseConflict
	switch {
	case errors.As(err, &conflict):
		return listed(conflict.What+" and the live version changed the same thing", conflictLines(conflict))
	case errors.As(err, &malformed):
		return listed(malformed.what()+" cannot be proposed", malformed.lines())
	case errors.As(err, &incomplete):
		return listed(incomplete.Head(), mapped(incomplete.Problems, proposals.Problem.String))
	case errors.Is(err, review.ErrNoReason):
		return stop(err.Error() + "; write it with --note or --note-file")
	case errors.Is(err, context.Canceled):
		return "interrupted."
	}
	return stop(err.Error())
}

func listed(head string, lines []string) string {
	if len(lines) == 1 {
		return stop(head + ": " + lines[0])
	}
	return fmt.Sprintf("%s, for %d reasons:\n  - %s", head, len(lines), strings.Join(lines, "\n  - "))
}

// stop ends s as a sentence.
func stop(s string) string {
	s = strings.TrimSpace(s)
	if s == "" || strings.HasSuffix(s, ".") || strings.HasSuffix(s, "?") || strings.HasSuffix(s, "!") {
		return s
	}
	return s + "."
}

// flatten takes joined errors apart.
func flatten(err error) []error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		if _, formatted := err.(fmt.Formatter); !formatted && isJoin(err) {
			var out []error
			for _, e := range joined.Unwrap() {
				out = append(out, flatten(e)...)
			}
			return out
		}
	}
	return []error{err}
}

// isJoin tells errors.Join's type from other errors that wrap several, such as
// those of fmt.Errorf, whose own words would be lost.
func isJoin(err error) bool { return fmt.Sprintf("%T", err) == "*errors.joinError" }

// belongs indents every line but the first, so that foreign text cannot pass for a
// line of ours.
func belongs(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if i > 0 && !strings.HasPrefix(line, "  ") {
			lines[i] = "  " + line
		}
	}
	return strings.Join(lines, "\n")
}

// docProblem is one problem in the JSON of an error.
type docProblem struct {
	Path    string `json:"path"`
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
	Message string `json:"message"`
	Rule    string `json:"rule,omitempty"`
	// Document counts the proposals of a file from 1; 0 when there is one.
	Document int `json:"document,omitempty"`
}

// problemsOf returns the problems of a document, when err is about one.
func problemsOf(err error) []docProblem {
	var out []docProblem
	for _, e := range flatten(err) {
		var incomplete *review.Incomplete
		var shape jsondoc.Problems
		var malformed *malformedError
		var conflict *review.RebaseConflict
		switch {
		case errors.As(e, &conflict):
			for _, f := range conflict.Fields {
				out = append(out, docProblem{Path: f.Path, Message: "changed in different ways by the proposal and by the live version"})
			}
		case errors.As(e, &malformed):
			for _, p := range malformed.Problems {
				out = append(out, docProblem{Path: p.Path, Line: p.Pos.Line, Column: p.Pos.Column, Message: p.Message, Rule: p.Rule, Document: p.Document})
			}
		case errors.As(e, &incomplete):
			for _, p := range incomplete.Problems {
				out = append(out, docProblem{Path: p.Path, Line: p.Pos.Line, Column: p.Pos.Column, Message: p.Message, Rule: p.Rule})
			}
		case errors.As(e, &shape):
			for _, p := range shape {
				out = append(out, docProblem{Path: p.Path, Line: p.Pos.Line, Column: p.Pos.Column, Message: p.Message})
			}
		}
	}
	return out
}
