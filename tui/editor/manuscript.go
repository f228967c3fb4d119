package editor

import (
	"bytes"
	"errors"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"toolcrib/internal/visible"
	"toolcrib/proposals"
	"toolcrib/tui/wording"
)

// Manuscript is a proposal in the user's editor. Its file stays until the proposal was sent.
type Manuscript struct {
	ID   proposals.ID // that is revised, "" for a new one
	File string
	Name string // what people know it as
	Text []byte // what it begins with, unless the file is there from before
	At   string // a line of it that the editor opens at, "" for the beginning
}

// Unchanged reports whether the user changed nothing. A merge always counts as changed, because
// its conflict marks have to go.
func (w Manuscript) Unchanged(text []byte) bool {
	return bytes.Equal(text, w.Text) && !strings.HasPrefix(filepath.Base(w.File), "rebase-")
}

// Parse parses a text from the editor. It returns the draft, nil if there is none, and the
// problems that prevent its submission.
func (w Manuscript) Parse(text []byte) (draft *proposals.Draft, problems []string) {
	parsed, err := proposals.DecodeFile(w.File, text)
	if len(parsed) != 1 || parsed[0].Doc == nil {
		if err == nil {
			err = errors.New("it must hold exactly one proposal")
		}
		return nil, []string{wording.OneLine(err)}
	}
	for _, p := range parsed[0].Problems() {
		problems = append(problems, p.String())
	}
	if len(parsed[0].Malformed) > 0 {
		return nil, problems
	}
	return &parsed[0].Draft, problems
}

// written returns a draft as Markdown, or as JSON where Markdown would lose
// something or bring hidden characters into the user's editor, with the ending
// of the file's name. In JSON they are escapes, which are read back as they were.
func written(d proposals.Draft) (text []byte, ext string) {
	if text, err := d.Markdown(); err == nil && shown(string(text)) {
		return text, ".md"
	}
	return visible.JSON(d.JSON()), ".json"
}

// shown reports whether an editor shows every character of text. It allows a single variation
// selector after a symbol, which makes an emoji of it.
func shown(text string) bool {
	var before rune
	for _, r := range text {
		emoji := (r == '\ufe0e' || r == '\ufe0f') && unicode.Is(unicode.S, before)
		if r != '\n' && r != '\t' && visible.Hidden(r) && !emoji {
			return false
		}
		before = r
	}
	return utf8.ValidString(text)
}
