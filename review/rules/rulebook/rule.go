package rulebook

import (
	"cmp"
	"fmt"
	"slices"
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

	source *source
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

// paragraph returns prose whose line breaks mean nothing on one line.
func paragraph(text string) string { return strings.Join(strings.Fields(text), " ") }

// severities are those a rule can have.
var severities = []string{"info", "warn", "block"}

// CertainName returns the name of the frames that are certain.
func (r *Rule) CertainName() string { return r.ID + certainMark }

// PlainName returns the name of the frames that are plain.
func (r *Rule) PlainName() string { return r.ID + plainMark }

// CompleteName returns the name of the frames that are complete.
func (r *Rule) CompleteName() string { return r.ID + CompleteMark }

// Marks that end the names of frames.
const (
	certainMark  = "!"
	plainMark    = "!!"
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

// Errorf returns an error about r that names the file and the line on which text
// stands in its block.
func (r *Rule) Errorf(text, format string, args ...any) error {
	header := "[" + r.ID + "]"
	return r.source.errorf(header, cmp.Or(text, header), r.ID+": "+format, args...)
}

// problems lists what the block lacks.
func (r *Rule) problems() []string {
	var list []string
	if !validID(r.ID) {
		list = append(list, "an id is S or P and three digits")
	}
	for _, field := range []struct{ key, text string }{
		{"name", r.Name},
		{"message", r.Message},
		{"suggestion", r.Suggestion},
		{"importer", r.Importer},
		{"doc", r.Doc},
		{"a bad example", strings.Join(r.Bad, "")},
		{"a good example", strings.Join(r.Good, "")},
	} {
		if field.text == "" {
			list = append(list, field.key+" is missing")
		}
	}
	if !slices.Contains(severities, r.Severity) {
		list = append(list, fmt.Sprintf("%q is no severity; write info, warn or block", r.Severity))
	}
	if len(r.Frames)+len(r.Translated)+len(r.Certain)+len(r.Plain)+len(r.Complete)+len(r.Extra)+len(r.Asks)+len(r.Defaults) == 0 {
		list = append(list, "it has neither frames nor an extra check")
	}
	return list
}

// validID reports whether id is that of a rule about wording: S or P and three
// digits.
func validID(id string) bool {
	return len(id) == 4 && strings.ContainsRune("SP", rune(id[0])) && strings.Trim(id[1:], "0123456789") == ""
}
