package statement

import (
	"fmt"
	"strings"
)

// codec writes a statement or reads one. Each line is declared once, for both,
// so the encoder and the decoder cannot differ.
type codec struct {
	out     []byte
	in      string // the unread rest
	reading bool
	number  int    // of the line, counted from 1
	keyword string // of the line
	err     error  // the first; nothing is written or read after it
}

// none is the field of an absent value: every line has all its fields.
const none = "-"

// line writes or reads a line: a keyword and fields with single spaces between
// them. Fields are split from the right, because the first one, the name of a
// change set, may contain spaces.
func (c *codec) line(keyword string, fields ...field) {
	if c.err != nil {
		return
	}
	c.number++
	c.keyword = keyword
	if c.reading {
		c.read(fields)
		return
	}
	c.out = append(c.out, keyword...)
	for _, f := range fields {
		text := f.text()
		c.check(f, text)
		c.out = append(append(c.out, ' '), text...)
	}
	c.out = append(c.out, '\n')
}

func (c *codec) read(fields []field) {
	line, rest, ended := strings.Cut(c.in, "\n")
	if !ended {
		c.fail("", "the line is missing or has no end")
		return
	}
	c.in = rest
	line, ok := strings.CutPrefix(line, c.keyword)
	if !ok {
		c.fail("", "the line does not begin with its keyword")
		return
	}
	for i := len(fields) - 1; i >= 0; i-- {
		at := strings.LastIndexByte(line, ' ')
		if i == 0 {
			at = strings.IndexByte(line, ' ')
		}
		if at < 0 || i == 0 && at != 0 {
			c.fail("", "it does not have %d fields", len(fields))
			return
		}
		text := line[at+1:]
		line = line[:at]
		if c.check(fields[i], text); c.err != nil {
			return
		}
		fields[i].set(text)
	}
	if line != "" {
		c.fail("", "there is text after the keyword")
	}
}

func (c *codec) check(f field, text string) {
	if problem := f.problem(text); problem != "" {
		c.fail(f.name(), "%s", problem)
	}
}

// require fails unless ok.
func (c *codec) require(ok bool, field, format string, args ...any) {
	if !ok {
		c.fail(field, format, args...)
	}
}

// fail keeps the first error, with the place.
func (c *codec) fail(field, format string, args ...any) {
	if c.err != nil {
		return
	}
	if field != "" {
		field += ": "
	}
	c.err = fmt.Errorf("%w: line %d (%s): %s%s", ErrMalformed, c.number, c.keyword, field, fmt.Sprintf(format, args...))
}
