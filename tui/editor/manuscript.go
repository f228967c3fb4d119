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

// Manuscript is a proposal in the user's editor. Its file is kept until the proposal has been sent.
type Manuscript struct {
	ID   proposals.ID // proposal to revise; "" for a new one
	File string
	Name string // display name
	Text []byte // initial text, unless the file exists
	At   string // text of the line to open at; "" for the beginning
}

// Unchanged reports whether the user changed nothing. A merge always counts as changed, because its conflict markers
// must be removed.
func (w Manuscript) Unchanged(text []byte) bool {
	return bytes.Equal(text, w.Text) && !strings.HasPrefix(filepath.Base(w.File), "rebase-")
}

// Parse parses the text from the editor. It returns the draft, or nil, and the problems that prevent a submission.
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

// written returns a draft as Markdown, and the file extension. It returns JSON if Markdown would lose information or
// put hidden characters into the user's editor. In JSON, those are escaped and survive a round trip.
func written(d proposals.Draft) (text []byte, ext string) {
	if text, err := d.Markdown(); err == nil && shown(string(text)) {
		return text, ".md"
	}
	return visible.JSON(d.JSON()), ".json"
}

// shown reports whether an editor shows every character of text. It accepts a single variation selector after a
// symbol, which forms an emoji.
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
