package rulebook

import (
	"strconv"
	"strings"
)

// Rule is a block of a file of rules; see the package comment.
type Rule struct {
	ID         string `toml:"-"`
	Name       string
	Severity   string
	Added      string // the severity in text that a change adds, if it is higher
	Message    string
	Suggestion string
	Importer   string
	Doc        string
	Bad, Good  []string
	Frames     Frames
	Translated Frames
	Certain    Frames
	Plain      Frames
	Complete   Frames
	Except     []Exception
	Extra      []string
	Reports    bool
	// Rationale has the rule read the rationale as well: there an author's own words
	// stand, while examples and test cases quote attacks on purpose.
	Rationale bool
	Asks      []Ask
	Defaults  []Default
}

// Ask is something that a definition may ask for without need.
type Ask struct {
	What  string // completes "Asks for …"
	Needs string // concepts in the tool's purpose that explain it
	// Parameter are frames over the name and texts of a parameter, Prose over the
	// description.
	Parameter, Prose Frames
	// Spoken counts the frames for parameters in prose too, next to a word of
	// handing over.
	Spoken bool
	// Foreign requires that the requested thing is not the tool's own purpose.
	Foreign bool
}

// Default is values that no parameter of a certain name should have by default.
type Default struct {
	Parameter []string // words in its name
	Value     []string // in lower case
	Purpose   string   // concepts that the tool must be about, "" for any
}

// Frames is a list of patterns.
type Frames []string

// UnmarshalText reads a pattern a line.
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

// CertainName returns the name of the frames that are certain.
func (r *Rule) CertainName() string { return r.ID + certainMark }

// PlainName returns the name of the frames that are plain.
func (r *Rule) PlainName() string { return r.ID + PlainMark }

// CompleteName returns the name of the frames that are complete.
func (r *Rule) CompleteName() string { return r.ID + CompleteMark }

// Marks that end the names of frames.
const (
	certainMark  = "!"
	PlainMark    = "!!"
	CompleteMark = "+"
)

// IDOf returns the id of the rule that a frame belongs to.
func IDOf(frame string) string { return strings.TrimRight(frame, certainMark+CompleteMark) }

// AskName returns the name of the frames of ask n, for a parameter or in prose.
func (r *Rule) AskName(n int, prose bool) string {
	name := r.ID + "." + strconv.Itoa(n)
	if prose {
		name += ".prose"
	}
	return name
}
