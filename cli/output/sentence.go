// This file formats errors as sentences and numbers as parts of sentences. It also extracts the problems that an error
// lists.

package output

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"toolcrib/internal/lists"
	"toolcrib/proposals"
	"toolcrib/registry/jsondoc"
	"toolcrib/review"
)

// MalformedError is the error for a file of proposals that cannot be parsed. It lists the problems in the file.
type MalformedError struct {
	File     string
	Problems []proposals.DocumentProblem
}

func (e *MalformedError) Error() string { return one(e) }

// ErrMalformed is the error that every MalformedError wraps.
var ErrMalformed = errors.New("malformed")

func (e *MalformedError) Unwrap() error { return ErrMalformed }

// DidYouMean returns a question that suggests the candidate most similar to wrong, such as " (did you mean --json?)".
// mark, such as "--", precedes the candidate. If no candidate is similar, the result is "".
func DidYouMean(wrong, mark string, candidates []string) string {
	if meant := jsondoc.Closest(wrong, candidates); meant != "" {
		return " (did you mean " + mark + meant + "?)"
	}
	return ""
}

// Sentence formats err for a person. Each error that errors.Join combined becomes a sentence on a separate line. For an
// error with several problems, the sentence is followed by a line for each problem.
func Sentence(err error) string {
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
	var malformed *MalformedError
	var incomplete *review.Incomplete
	var conflict *review.RebaseConflict
	switch {
	case errors.As(err, &conflict):
		return listed(conflict.What+" conflicts with the live version", conflictLines(conflict))
	case errors.As(err, &malformed):
		file := malformed.File
		if file == "-" {
			file = "standard input"
		}
		return listed(file+" cannot be proposed", lists.Map(malformed.Problems, proposals.DocumentProblem.String))
	case errors.As(err, &incomplete):
		return listed(incomplete.Head(), lists.Map(incomplete.Problems, proposals.Problem.String))
	case errors.Is(err, review.ErrNoReason):
		return FullStop(err.Error() + "; use --note or --note-file")
	case errors.Is(err, context.Canceled):
		return "interrupted."
	}
	return FullStop(err.Error())
}

func listed(head string, lines []string) string {
	if len(lines) == 1 {
		return FullStop(head + ": " + lines[0])
	}
	return fmt.Sprintf("%s, for %d reasons:\n  - %s", head, len(lines), strings.Join(lines, "\n  - "))
}

// FullStop removes white space around s and appends a full stop if s does not end with punctuation.
func FullStop(s string) string {
	s = strings.TrimSpace(s)
	if s == "" || strings.HasSuffix(s, ".") || strings.HasSuffix(s, "?") || strings.HasSuffix(s, "!") {
		return s
	}
	return s + "."
}

// flatten returns the errors that errors.Join combined into err, or err alone.
func flatten(err error) []error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok || fmt.Sprintf("%T", err) != "*errors.joinError" { // an error of fmt.Errorf can also wrap several errors, but its message is more than their messages
		return []error{err}
	}
	return slices.Concat(lists.Map(joined.Unwrap(), flatten)...)
}

// IndentRest indents all lines after the first. Without the indentation, untrusted text could imitate the output of
// toolcrib.
func IndentRest(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if i > 0 && !strings.HasPrefix(line, "  ") {
			lines[i] = "  " + line
		}
	}
	return strings.Join(lines, "\n")
}

// DocProblem describes a problem in an input file. It is part of the JSON document for an error.
type DocProblem struct {
	Path    string `json:"path"`
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
	Message string `json:"message"`
	Rule    string `json:"rule,omitempty"`
	// Document is the number of the proposal in its file, starting at 1. It is absent if the file contains a single
	// proposal.
	Document int `json:"document,omitempty"`
}

// ProblemsOf returns the problems that err lists, as documents.
func ProblemsOf(err error) []DocProblem {
	var out []DocProblem
	for _, e := range flatten(err) {
		var incomplete *review.Incomplete
		var shape jsondoc.Problems
		var malformed *MalformedError
		var conflict *review.RebaseConflict
		switch {
		case errors.As(e, &conflict):
			for _, f := range conflict.Fields {
				out = append(out, DocProblem{Path: f.Path, Message: "changed in different ways by the proposal and by the live version"})
			}
		case errors.As(e, &malformed):
			for _, p := range malformed.Problems {
				out = append(out, DocProblem{Path: p.Path, Line: p.Pos.Line, Column: p.Pos.Column, Message: p.Message, Rule: p.Rule, Document: p.Document})
			}
		case errors.As(e, &incomplete):
			for _, p := range incomplete.Problems {
				out = append(out, DocProblem{Path: p.Path, Line: p.Pos.Line, Column: p.Pos.Column, Message: p.Message, Rule: p.Rule})
			}
		case errors.As(e, &shape):
			for _, p := range shape {
				out = append(out, DocProblem{Path: p.Path, Line: p.Pos.Line, Column: p.Pos.Column, Message: p.Message})
			}
		}
	}
	return out
}

// CountedIs returns the result of Counted followed by "is" or "are", such as "2 findings are".
func CountedIs(n int, noun string) string {
	if n == 1 {
		return Counted(n, noun) + " is"
	}
	return Counted(n, noun) + " are"
}

// ShellWord returns w, quoted for a POSIX shell if necessary.
func ShellWord(w string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-./:=,@%+", r)
	}
	if w != "" && strings.IndexFunc(w, func(r rune) bool { return !plain(r) }) < 0 {
		return w
	}
	return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
}

// Counted returns n followed by the noun in the singular or plural, such as "1 finding" or "2 findings".
func Counted(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// conflictLines returns a line for each conflicting passage, with its base, proposed, and live texts.
func conflictLines(e *review.RebaseConflict) []string {
	var lines []string
	for _, p := range e.Passages() {
		same := 0 // number of leading runes that all three texts have in common
		base, ours, theirs := []rune(p.Base), []rune(p.Ours), []rune(p.Theirs)
		for same < min(len(base), len(ours), len(theirs)) && base[same] == ours[same] && ours[same] == theirs[same] {
			same++
		}
		short := func(text []rune) string {
			switch {
			case len(text) == 0:
				return "nothing"
			case same > 30: // omit the common beginning, which could hide the difference
				text = append([]rune("…"), text[same-20:]...)
			}
			return fmt.Sprintf("%q", Cut(string(text), 60))
		}
		where := p.Path
		if p.Line > 0 {
			where += fmt.Sprintf(", line %d", p.Line)
		}
		lines = append(lines, fmt.Sprintf("%s: base %s, proposed %s, live %s", where, short(base), short(ours), short(theirs)))
	}
	return lines
}
