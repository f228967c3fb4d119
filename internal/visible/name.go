package visible

import (
	"fmt"
	"strings"

	"golang.org/x/text/unicode/runenames"
)

// controlNames contains the names of control characters (Unicode, NameAliases.txt). In
// the Unicode character database, the name of every control character is "<control>".
var controlNames = map[rune]string{
	0x00: "NULL", 0x07: "ALERT", 0x08: "BACKSPACE", 0x09: "CHARACTER TABULATION", 0x0a: "LINE FEED", 0x0b: "LINE TABULATION",
	0x0c: "FORM FEED", 0x0d: "CARRIAGE RETURN", 0x0e: "SHIFT OUT", 0x0f: "SHIFT IN", 0x1b: "ESCAPE", 0x7f: "DELETE",
	0x85: "NEXT LINE", 0x90: "DEVICE CONTROL STRING", 0x9b: "CONTROL SEQUENCE INTRODUCER", 0x9d: "OPERATING SYSTEM COMMAND",
}

// Name returns the code point and the Unicode name of a character, such as "U+200B
// ZERO WIDTH SPACE".
func Name(r rune) string {
	name, known := controlNames[r]
	if !known {
		name = strings.ToUpper(strings.Trim(runenames.Name(r), "<>"))
	}
	if name == "" {
		name = "UNASSIGNED"
	}
	return fmt.Sprintf("U+%04X %s", r, name)
}

// The first and the last of the tag characters that correspond to ASCII characters
// (Unicode, section 23.9).
const (
	tagSpace = 0xe0020
	tagTilde = 0xe007e
)

// Spelled decodes the tag characters in s to ASCII text, and returns this text and the
// number of tag characters.
func Spelled(s string) (text string, n int) {
	var b strings.Builder
	for _, r := range s {
		if r >= tagSpace && r <= tagTilde {
			b.WriteByte(byte(r - tagSpace + ' '))
		}
	}
	return b.String(), b.Len()
}

// maxNamed is the maximum number of different characters that Named lists.
const maxNamed = 3

// Named returns a list of the different hidden characters in s, in the order of their
// first occurrence, such as "U+200B ZERO WIDTH SPACE, U+2060 WORD JOINER and 2 others".
func Named(s string) string {
	var names []string
	seen := map[rune]bool{}
	for _, r := range s {
		if !Hidden(r) || seen[r] {
			continue
		}
		if seen[r] = true; len(seen) <= maxNamed {
			names = append(names, Name(r))
		}
	}
	switch more := len(seen) - maxNamed; {
	case more == 1:
		return strings.Join(names, ", ") + " and 1 other"
	case more > 1:
		return strings.Join(names, ", ") + fmt.Sprintf(" and %d others", more)
	case len(names) > 1:
		return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
	}
	return strings.Join(names, "")
}
