package jsondoc

import (
	"fmt"
	"strings"
)

// Problem is one problem of a document: its place and the expected value. Message
// is a clause without a full stop and without control or invisible characters of
// the document.
type Problem struct {
	Path    string
	Pos     Pos
	Message string
}

// maxShownPath limits how many bytes of a path String shows.
const maxShownPath = 1_000

// String returns "path (line 3, column 7): message". The middle of a very long
// path is left out.
func (p Problem) String() string {
	path := p.Path
	if len(path) > maxShownPath {
		path = path[:maxShownPath/2] + "..." + path[len(path)-maxShownPath/2:]
	}
	if p.Pos == (Pos{}) {
		return path + ": " + p.Message
	}
	return fmt.Sprintf("%s (line %d, column %d): %s", path, p.Pos.Line, p.Pos.Column, p.Message)
}

// Problems is everything that is wrong with a document. As an error it lists
// all of them.
type Problems []Problem

// MaxProblems limits how many problems are listed. One more reports that there are
// others.
const MaxProblems = 100

// Error returns the problems, separated by "; ".
func (ps Problems) Error() string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.String()
	}
	return strings.Join(lines, "; ")
}

// Err returns ps as an error, nil when there are none.
func (ps Problems) Err() error {
	if len(ps) == 0 {
		return nil
	}
	return ps
}

// Add appends a problem at path, whose place is not known.
func (ps *Problems) Add(path, format string, args ...any) {
	ps.Append(Problem{Path: path, Message: fmt.Sprintf(format, args...)})
}

// Append adds the given problems as long as there are fewer than MaxProblems.
func (ps *Problems) Append(more ...Problem) {
	for _, p := range more {
		if ps.Full() {
			return
		}
		if len(*ps) == MaxProblems {
			p = Problem{Path: Root, Message: fmt.Sprintf("there are more problems than the first %d listed here", MaxProblems)}
		}
		*ps = append(*ps, p)
	}
}

// Full reports whether nothing more is taken in.
func (ps Problems) Full() bool { return len(ps) > MaxProblems }
