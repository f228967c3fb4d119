package statement

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"
)

// Format is the first line of a statement.
const Format = "toolcrib decision 1"

// Limits of a statement.
const (
	MaxSize  = 8 << 20 // bytes
	MaxItems = 10_000  // proposals of one change set, tools of one tier
)

// ErrMalformed is wrapped by every error about a statement that cannot be
// written or read.
var ErrMalformed = errors.New("malformed statement")

// Statement is one act of a user, as it is signed. Hashes are SHA-256 in
// lower-case hex; times are whole microseconds.
type Statement struct {
	Database string // hash of event 1: the statement is about no other database
	Log      Head   // the newest event that the decider saw
	By       string // principal: "user:mara"
	At       time.Time
	Act      Act
	Note     string // Text of the note or the reason, which may be empty
}

// Head is the newest entry of a chain.
type Head struct {
	Seq  int64 // counted from 1
	Hash string
}

// Text returns the hash of free text in a statement.
func Text(s string) string { return Sum([]byte(s)) }

// Sum returns the hash by which records refer to an encoded statement.
func Sum(encoded []byte) string {
	sum := sha256.Sum256(encoded)
	return hex.EncodeToString(sum[:])
}

// Encode writes a statement. It refuses one that Decode would not return.
func Encode(s Statement) ([]byte, error) {
	if s.Act == nil {
		return nil, fmt.Errorf("%w: it names no act", ErrMalformed)
	}
	c := codec{out: make([]byte, 0, 512)}
	verdict := s.Act.verdict()
	s.head(&c, &verdict)
	if _, known := acts[verdict]; !known {
		c.fail("verdict", "%q is not a verdict", verdict)
	}
	s.rest(&c)
	if len(c.out) > MaxSize {
		c.fail("", "it has more than %d bytes", MaxSize)
	}
	if c.err != nil {
		return nil, c.err
	}
	return c.out, nil
}

// Decode reads what Encode writes and nothing else.
func Decode(b []byte) (Statement, error) {
	var s Statement
	if len(b) > MaxSize {
		return s, fmt.Errorf("%w: it has more than %d bytes", ErrMalformed, MaxSize)
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
		c.fail("", "there is text after the last line")
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
