// This file defines the blocks of rules about wording.

package rulebook

import (
	"strconv"
	"strings"
)

// Rule is a block of a rule file; see the package comment.
type Rule struct {
	ID            string `toml:"-"`
	Name          string
	Severity      string
	Added         string // the severity in text that a change adds, if it is higher
	CompleteAdded string `toml:"complete_added"` // Added for matches of Complete
	Message       string
	Suggestion    string
	Importer      string
	Doc           string
	Bad, Good     []string
	Frames        Frames
	Translated    Frames
	Certain       Frames
	Plain         Frames
	Complete      Frames
	Except        []Exception
	Extra         []string
	Reports       bool
	// Rationale reports whether the rule also checks the rationale. Unlike examples and test cases,
	// which quote attacks on purpose, it is the author's statement.
	Rationale bool
	Asks      []Ask
	Defaults  []Default
}

// Ask is something that a definition may request without need.
type Ask struct {
	What  string // completes "Asks for …"
	Needs string // concepts in the tool's purpose that justify it
	// Parameter are frames for the name and texts of a parameter, Prose for the description.
	Parameter, Prose Frames
	// Spoken reports whether the frames for parameters also apply in prose, after a verb of handing
	// over.
	Spoken bool
	// Foreign reports whether the request is allowed if it shares a word with the tool's purpose.
	Foreign bool
}

// Default is a list of dangerous default values for parameters.
type Default struct {
	Parameter []string // words in its name
	Value     []string // in lower case
	Purpose   string   // concepts that the purpose of the tool must contain; "" for any tool
}

// Frames is a list of patterns.
type Frames []string

// UnmarshalText parses a pattern from each line.
func (f *Frames) UnmarshalText(text []byte) error {
	for line := range strings.Lines(string(text)) {
		part := strings.TrimSpace(line)
		switch {
		case part == "" || part[0] == '#':
		case part == strings.TrimRight(line, "\n") || len(*f) == 0:
			*f = append(*f, part)
		case strings.HasSuffix((*f)[len(*f)-1], "|"):
			(*f)[len(*f)-1] += part
		default:
			(*f)[len(*f)-1] += " " + part
		}
	}
	return nil
}

func (r *Rule) named(id string) { r.ID = id }

// CertainName returns the name of the certain frames.
func (r *Rule) CertainName() string { return r.ID + certainMark }

// PlainName returns the name of the plain frames.
func (r *Rule) PlainName() string { return r.ID + PlainMark }

// CompleteName returns the name of the complete frames.
func (r *Rule) CompleteName() string { return r.ID + CompleteMark }

// Suffixes of frame names.
const (
	certainMark  = "!"
	PlainMark    = "!!"
	CompleteMark = "+"
)

// IDOf returns the id of the rule to which a frame belongs.
func IDOf(frame string) string { return strings.TrimRight(frame, certainMark+CompleteMark) }

// AskName returns the name of the frames of Asks[n], for parameters or for prose.
func (r *Rule) AskName(n int, prose bool) string {
	name := r.ID + "." + strconv.Itoa(n)
	if prose {
		name += ".prose"
	}
	return name
}
