package jsondoc

import (
	"fmt"
	"strings"
)

// Problem is one thing that is wrong with a document: where, and what was
// expected there. Message is a clause without a full stop.
type Problem struct {
	Path    string
	Pos     Pos
	Message string
}

// String returns "path (line 3, column 7): message".
func (p Problem) String() string {
	if p.Pos == (Pos{}) {
		return p.Path + ": " + p.Message
	}
	return fmt.Sprintf("%s (line %d, column %d): %s", p.Path, p.Pos.Line, p.Pos.Column, p.Message)
}

// Problems is everything that is wrong with a document. As an error it lists
// all of them.
type Problems []Problem

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

// Add appends a problem at path.
func (ps *Problems) Add(path, format string, args ...any) {
	*ps = append(*ps, Problem{Path: path, Message: fmt.Sprintf(format, args...)})
}

// Locate fills in the positions that are not known yet from the document that
// the problems are about. A path that the document lacks takes the position of
// the nearest value around it.
func (ps Problems) Locate(doc *Node) Problems {
	for i := range ps {
		if ps[i].Pos != (Pos{}) {
			continue
		}
		for path := ps[i].Path; ; path = parent(path) {
			if n := doc.Find(path); n != nil {
				ps[i].Pos = n.Pos
				break
			}
			if path == Root || path == "" {
				break
			}
		}
	}
	return ps
}

// parent cuts the last step off a path.
func parent(path string) string {
	cut := strings.LastIndexAny(path, ".[")
	if cut <= 0 {
		return Root
	}
	return path[:cut]
}
