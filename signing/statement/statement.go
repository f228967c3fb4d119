// This file encodes and decodes statements.

package statement

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Format is the first line of a statement.
const Format = "toolcrib decision 1"

// Limits of a statement.
const (
	MaxSize  = 8 << 20 // bytes
	MaxItems = 10_000  // maximum number of proposals of a decision, and of tools of a Tier
)

// ErrMalformed indicates that a statement cannot be encoded or decoded.
var ErrMalformed = errors.New("malformed statement")

// Statement is an act of a user, in the form that the user signs. Hashes are SHA-256 in
// lower-case hexadecimal. Times are whole microseconds.
type Statement struct {
	Database string // hash of event 1, which identifies the database
	Log      Head   // newest event that the decider saw
	By       string // principal, such as "user:mara"
	At       time.Time
	Act      Act
	Note     string // hash of the note or the reason, as returned by Text; the text can be empty
}

// Head is the position of the newest entry of a hash chain.
type Head struct {
	Seq  int64  `json:"seq"` // counted from 1
	Hash string `json:"hash"`
}

// Text returns the hash that represents the free text s in a statement.
func Text(s string) string { return Sum([]byte(s)) }

// Sum returns the hash that identifies an encoded statement in records.
func Sum(encoded []byte) string {
	sum := sha256.Sum256(encoded)
	return hex.EncodeToString(sum[:])
}

// Encode encodes s. It returns an error if Decode would not return s again.
func Encode(s Statement) ([]byte, error) {
	if s.Act == nil {
		return nil, fmt.Errorf("%w: the statement has no act", ErrMalformed)
	}
	c := codec{out: make([]byte, 0, 512)}
	verdict := s.Act.verdict()
	s.head(&c, &verdict)
	if _, known := acts[verdict]; !known {
		c.fail("verdict", "%q is not a verdict", verdict)
	}
	s.rest(&c)
	if len(c.out) > MaxSize {
		c.fail("", "the statement is larger than %d bytes", MaxSize)
	}
	if c.err != nil {
		return nil, c.err
	}
	return c.out, nil
}

// Decode decodes a statement that Encode returned. It rejects all other texts.
func Decode(b []byte) (Statement, error) {
	var s Statement
	if len(b) > MaxSize {
		return s, fmt.Errorf("%w: the statement is larger than %d bytes", ErrMalformed, MaxSize)
	}
	c := codec{in: string(b), reading: true}
	var verdict Verdict
	s.head(&c, &verdict)
	if act, known := acts[verdict]; known {
		s.Act = act(verdict)
		s.rest(&c)
	} else {
		c.fail("verdict", "%q is not a verdict", verdict)
	}
	if c.in != "" {
		c.fail("", "unexpected text after the last line")
	}
	if c.err != nil {
		return Statement{}, c.err
	}
	return s, nil
}

func (s *Statement) head(c *codec, verdict *Verdict) {
	c.line(Format)
	c.line("database", text("hash of event 1", hash, &s.Database))
	c.line("log", number("sequence", 1, &s.Log.Seq), text("hash", hash, &s.Log.Hash))
	c.line("by", text("principal", principal, &s.By))
	c.line("verdict", text("verdict", token, (*string)(verdict)))
}

func (s *Statement) rest(c *codec) {
	c.line("at", stamp("time", &s.At))
	s.Act.lines(c)
	c.line("note", text("hash of the note", hash, &s.Note))
}

// codec encodes or decodes a statement. Each line is declared once for both directions.
// The encoder and the decoder therefore cannot differ.
type codec struct {
	out     []byte
	in      string // input that has not been decoded yet
	reading bool
	number  int    // number of the current line, counted from 1
	keyword string // keyword of the current line
	err     error  // first error, after which the codec does nothing
}

// none encodes an absent value. Every line contains all its fields.
const none = "-"

// line encodes or decodes a line, which consists of a keyword and fields, separated by
// single spaces. The decoder splits the fields from the right, because the first field
// may contain spaces if it is the name of a change set.
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
		c.check(f, f.text)
		c.out = append(append(c.out, ' '), f.text...)
	}
	c.out = append(c.out, '\n')
}

func (c *codec) read(fields []field) {
	line, rest, ended := strings.Cut(c.in, "\n")
	if !ended {
		c.fail("", "the line is missing or does not end with a line feed")
		return
	}
	c.in = rest
	line, ok := strings.CutPrefix(line, c.keyword)
	if !ok {
		c.fail("", "expected the line to begin with its keyword")
		return
	}
	for i := len(fields) - 1; i >= 0; i-- {
		at := strings.LastIndexByte(line, ' ')
		if i == 0 {
			at = strings.IndexByte(line, ' ')
		}
		if at < 0 || i == 0 && at != 0 {
			c.fail("", "expected %d fields", len(fields))
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
		c.fail("", "unexpected text after the keyword")
	}
}

func (c *codec) check(f field, text string) {
	if problem := f.problem(text); problem != "" {
		c.fail(f.name, "%s", problem)
	}
}

// require records an error if ok is false.
func (c *codec) require(ok bool, field, format string, args ...any) {
	if !ok {
		c.fail(field, format, args...)
	}
}

// fail records an error with its position. It does nothing if an error was recorded
// before.
func (c *codec) fail(field, format string, args ...any) {
	if c.err != nil {
		return
	}
	if field != "" {
		field += ": "
	}
	c.err = fmt.Errorf("%w: line %d (%s): %s%s", ErrMalformed, c.number, c.keyword, field, fmt.Sprintf(format, args...))
}
