package calls

import (
	"strings"

	"toolcrib/tui/draw"
	"toolcrib/tui/theme"
)

// paint marks the member names and the values that are not strings in one line of an
// indented JSON document. A line of another form has no marks.
func paint(line string, th theme.Theme) []draw.Mark {
	at := len(line) - len(strings.TrimLeft(line, " "))
	var marks []draw.Mark
	if end := stringEnd(line[at:]); end > 0 && strings.HasPrefix(line[at+end:], ": ") {
		marks = append(marks, draw.Mark{Start: at, End: at + end, Style: th.Info})
		at += end + len(": ")
	}
	value := strings.TrimSuffix(line[at:], ",")
	switch {
	case value == "true", value == "false", value == "null", value != "" && strings.Trim(value, "+-.0123456789Ee") == "":
		marks = append(marks, draw.Mark{Start: at, End: at + len(value), Style: th.Title})
	}
	return marks
}

// stringEnd returns the length of the JSON string that a text begins with, 0 for none.
func stringEnd(text string) int {
	if !strings.HasPrefix(text, `"`) {
		return 0
	}
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return 0
}
