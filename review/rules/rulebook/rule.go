// This file defines the blocks that describe rules about wording.

package rulebook

import (
	"strconv"
	"strings"
)

// Rule is a block of a rule file. The package comment describes the keys of a block.
type Rule struct {
	ID            string `toml:"-"`
	Name          string
	Severity      string
	Added         string // severity in text that a change adds to an approved version, if higher than Severity
	CompleteAdded string `toml:"complete_added"` // like Added, but for matches of Complete
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
	// Rationale reports whether the rule also checks the rationale. The rationale is a statement of
	// the author, while examples and test cases quote attacks on purpose.
	Rationale bool
	Asks      []Ask
	Defaults  []Default
}

// Ask describes data that a parameter or a description may request although the tool does not need
// the data.
type Ask struct {
	What  string // completes "Asks for …"
	Needs string // concepts in the purpose of the tool that justify the request
	// Parameter contains frames for the name and the texts of a parameter. Prose contains frames
	// for the description of the tool.
	Parameter, Prose Frames
	// Spoken reports whether the frames in Parameter also apply in prose, after a verb such as
	// "pass" or "provide".
	Spoken bool
	// Foreign reports whether a word that the request and the purpose of the tool have in common
	// also justifies the request.
	Foreign bool
}

// Default describes dangerous default values of parameters.
type Default struct {
	Parameter []string // words in the name of the parameter
	Value     []string // dangerous values, in lower case
	Purpose   string   // concepts that the purpose of the tool must contain; "" for any tool
}

// Frames is a list of patterns.
type Frames []string

// UnmarshalText parses a list of patterns, one on each line. An indented line continues the
// previous one.
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

// CertainName returns the name of the frames in Certain.
func (r *Rule) CertainName() string { return r.ID + certainMark }

// PlainName returns the name of the frames in Plain.
func (r *Rule) PlainName() string { return r.ID + PlainMark }

// CompleteName returns the name of the frames in Complete.
func (r *Rule) CompleteName() string { return r.ID + CompleteMark }

// The name of a certain, plain, or complete frame is the id of its rule, followed by one of these
// suffixes.
const (
	certainMark  = "!"
	PlainMark    = "!!"
	CompleteMark = "+"
)

// IDOf returns the id of the rule that contains the frame with the given name.
func IDOf(frame string) string { return strings.TrimRight(frame, certainMark+CompleteMark) }

// AskName returns the name of the frames of Asks[n]. If prose is set, these are the frames in the
// Prose field, and otherwise the frames in the Parameter field.
func (r *Rule) AskName(n int, prose bool) string {
	name := r.ID + "." + strconv.Itoa(n)
	if prose {
		name += ".prose"
	}
	return name
}
