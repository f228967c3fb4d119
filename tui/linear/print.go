package linear

import (
	"fmt"
	"io"
	"strings"
	"time"

	"toolcrib/internal/visible"
	"toolcrib/proposals"
	"toolcrib/tui/draw"
	"toolcrib/tui/wording"
)

// printer writes lines. Everything passes the gate for untrusted text.
type printer struct {
	to  io.Writer
	err error // the first
}

func (p *printer) raw(text string) {
	if _, err := io.WriteString(p.to, visible.Text(text)); p.err == nil {
		p.err = err
	}
}

func (p *printer) line(lines ...string) {
	for _, text := range lines {
		p.raw(visible.Line(text) + "\n")
	}
}

func (p *printer) linef(format string, args ...any) { p.line(fmt.Sprintf(format, args...)) }

// pages prints lines, and waits after each page. It reports whether all of them
// were read.
func (s *session) pages(lines []string) bool {
	used := 0
	for i, l := range lines {
		l = visible.Line(l)
		rows := 1
		if s.cfg.Width > 0 {
			rows = max(1, (draw.Width(l)+s.cfg.Width-1)/s.cfg.Width)
		}
		if used += rows; s.cfg.Page > 0 && i > 0 && used > s.cfg.Page {
			used = rows
			answer, ok := s.ask(fmt.Sprintf("%d more lines. Enter continues, s stops: ", len(lines)-i))
			if !ok || strings.EqualFold(answer, "s") || strings.EqualFold(answer, "q") {
				return false
			}
		}
		s.out.line(l)
	}
	return s.out.err == nil
}

// text returns the lines of a text behind an indent.
func text(indent, body string) []string {
	lines := strings.Split(strings.TrimSuffix(body, "\n"), "\n")
	for i := range lines {
		lines[i] = indent + lines[i]
	}
	return lines
}

// stateWord returns where a proposal stands.
func (s *session) stateWord(p proposals.Proposal) string {
	if p.WaitsForOthers(s.cfg.Actor) {
		return "others' turn"
	}
	switch p.State {
	case proposals.Drafted:
		return "a draft"
	case proposals.ChiefReview:
		return "with the chief"
	case proposals.UserReview:
		return "your turn"
	case proposals.NeedsChanges:
		return "sent back"
	case proposals.Approved, proposals.Rejected, proposals.Withdrawn:
	}
	return string(p.State)
}

// sentence returns an error on one line, with a stop.
func sentence(err error) string { return stopped(wording.OneLine(err)) }

// stopped ends a text with a stop, and leaves an empty one alone.
func stopped(text string) string {
	if text == "" {
		return ""
	}
	return strings.TrimSuffix(text, ".") + "."
}

// capital begins a sentence.
func capital(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }
