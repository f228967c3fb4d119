package visible

import (
	"io"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Log is a writer for output that may become part of the log of a CI runner. Runners
// execute commands in the output of programs. To prevent this, Log replaces the last
// character of the prefix of each command with its code point, as in ":⟨U+003A⟩name::".
// It also recognizes a prefix that is split across several writes.
//
// GitHub's runner executes a line that begins with "::name::" or with white space
// followed by "::name::". It also executes "##[name]" anywhere in a line
// (github.com/actions/runner, src/Runner.Common/ActionCommand.cs). Azure Pipelines
// executes "##vso[name]" and TeamCity executes "##teamcity[name", both anywhere in a
// line.
type Log struct {
	mu sync.Mutex
	w  io.Writer
	// begun contains the bytes of an incomplete character at the end of the previous
	// write.
	begun []byte
	line  commandScan
}

// NewLog returns a Log that writes to w.
func NewLog(w io.Writer) *Log { return &Log{w: w} }

// Write implements io.Writer.
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

// Inert returns s as a new Log writes it.
func Inert(s string) string {
	var out strings.Builder
	_, _ = NewLog(&out).Write([]byte(s)) // a Builder returns no errors
	return out.String()
}

// commandScan scans a line for the prefixes of commands that CI runners execute,
// character by character.
type commandScan struct {
	written bool // the line contains more than white space and a single colon
	colon   bool // the line contains only white space, followed by a single colon
	hashes  int  // number of consecutive "#" characters, at most 2; remains 2 after letters that follow "##"
}

// completes reports whether r, the next character of the line, completes the prefix of a
// command. If so, the caller must write the code point of r instead of r.
func (s *commandScan) completes(r rune) bool {
	switch {
	case r == '\n' || r == '\r':
		*s = commandScan{}
		return false
	case r >= utf8.RuneSelf && unicode.In(r, unicode.M, unicode.Cf):
		return false // the linguistic comparison of .NET ignores some of these characters
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
