package visible

import (
	"io"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Log is a writer for output that a CI runner may read. Runners obey commands
// in what a program prints: GitHub's takes a line that begins with "::name::"
// after white space, and "##[name]" anywhere in a line
// (github.com/actions/runner, src/Runner.Common/ActionCommand.cs); that of
// Azure Pipelines takes "##vso[name]" anywhere, TeamCity's "##teamcity[name".
// Log replaces the character that would complete such a beginning by its code
// point, as Text does with hidden characters: ":⟨U+003A⟩name::". It works across
// writes, so it also breaks a command that is put together out of several texts.
type Log struct {
	mu sync.Mutex
	w  io.Writer
	// begun holds the bytes of a character that the last write left unfinished.
	begun []byte
	line  commandScan
}

// NewLog returns a Log that writes to w.
func NewLog(w io.Writer) *Log { return &Log{w: w} }

// Write implements io.Writer. It reports len(p) when everything was written.
func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	text, passed := p, len(l.begun)
	if passed > 0 {
		text = append(l.begun, p...)
	}
	l.begun = nil
	var out []byte
	start := passed
	for i := 0; i < len(text); {
		if !utf8.FullRune(text[i:]) {
			l.begun = append([]byte(nil), text[i:]...)
			break
		}
		r, size := utf8.DecodeRune(text[i:])
		if l.line.completes(r) {
			out = append(append(out, text[start:i]...), escape(string(r), isAny)...)
			start = i + size
		}
		i += size
	}
	out = append(out, text[start:]...)
	if _, err := l.w.Write(out); err != nil {
		return 0, err
	}
	return len(p), nil
}

func isAny(rune) bool { return true }

// Inert returns s as a Log prints it that has written nothing yet.
func Inert(s string) string {
	var out strings.Builder
	_, _ = NewLog(&out).Write([]byte(s)) // a Builder takes everything
	return out.String()
}

// commandScan reads a line, character by character, for the beginnings of
// commands that runners obey.
type commandScan struct {
	written bool // the line holds more than white space and one colon
	colon   bool // the line holds nothing but white space and a colon
	hashes  int  // two for "##" and any letters after it
}

// completes reports whether r, the next character, completes the beginning of a
// command; the caller then prints it as its code point.
func (s *commandScan) completes(r rune) bool {
	switch {
	case r == '\n' || r == '\r':
		*s = commandScan{}
		return false
	case r >= utf8.RuneSelf && unicode.In(r, unicode.M, unicode.Cf):
		return false // .NET compares as people read, and skips some of these
	}
	command := s.hashes == 2 && r == '[' || s.colon && r == ':'
	switch {
	case r == '#':
		s.hashes = min(s.hashes+1, 2)
	case s.hashes < 2 || !isLetter(r):
		s.hashes = 0
	}
	blank := !s.written && !s.colon
	s.colon = blank && r == ':'
	space := blank && unicode.IsSpace(r)
	s.written = s.written || !s.colon && !space
	return command
}

func isLetter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }
