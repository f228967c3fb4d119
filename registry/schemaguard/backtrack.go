package schemaguard

import (
	"fmt"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/dlclark/regexp2"

	"toolcrib/registry/jsondoc"
)

// Expressions that RE2 cannot run, such as those that look ahead or refer back,
// run by backtracking, which can take exponential time. The time is limited, and
// so is the text, as the attempts are recorded for each of its characters.
const (
	maxBacktracking = 250 * time.Millisecond // of all such expressions in one Validate; the engine looks at its clock every 100 ms
	maxBacktracked  = 32 << 10               // bytes of one text
)

// backtracking compiles a regular expression as JSON Schema means it: in the
// syntax of ECMA-262 with Unicode (JSON Schema Core 2020-12, section 6.4).
func backtracking(pattern string) (*regexp2.Regexp, error) {
	if !utf8.ValidString(pattern) {
		return nil, fmt.Errorf("is no text")
	}
	return regexp2.Compile(pattern, regexp2.ECMAScript|regexp2.Unicode)
}

// backtrackBudget limits the backtracking time of one validation. The holder of
// busy validates.
type backtrackBudget struct {
	busy  sync.Mutex
	left  time.Duration
	short string // the first expression that no answer was had from, and why; "" for none
}

// begin takes the time for a validation. The caller calls end.
func (p *backtrackBudget) begin() {
	p.busy.Lock()
	p.left, p.short = maxBacktracking, ""
}

// end gives the time back and names the expression that could not run.
func (p *backtrackBudget) end() string {
	defer p.busy.Unlock()
	return p.short
}

// gaveUp notes that an expression could not be run. What it would have said
// counts for nothing then, whatever the schema makes of it.
func (p *backtrackBudget) gaveUp(pattern, why string) bool {
	if p.short == "" {
		p.short = fmt.Sprintf("the regular expression %s %s, so the value is not checked", jsondoc.Quote(pattern), why)
	}
	return false
}

// slow is a regular expression that backtracks.
type slow struct {
	re      *regexp2.Regexp
	pattern string
	budget  *backtrackBudget
}

func (s slow) String() string { return s.pattern }

// MatchString reports whether text matches. It is called by who holds the
// budget.
func (s slow) MatchString(text string) (matches bool) {
	switch {
	case s.budget.short != "":
		return false
	case len(text) > maxBacktracked:
		return s.budget.gaveUp(s.pattern, fmt.Sprintf("backtracks, and is not run on more than %d bytes", maxBacktracked))
	case s.budget.left <= 0:
		return s.budget.gaveUp(s.pattern, "takes too long")
	}
	defer func() {
		if recover() != nil { // a mistake of the engine is no answer
			matches = s.budget.gaveUp(s.pattern, "cannot be run")
		}
	}()
	began := time.Now()
	s.re.MatchTimeout = s.budget.left
	matches, err := s.re.MatchString(text)
	s.budget.left -= time.Since(began)
	if err != nil {
		return s.budget.gaveUp(s.pattern, "takes too long")
	}
	return matches
}

// unrunnable is a regular expression that no engine here can run. It is
// accepted, as others may; a value that it would have to judge is not.
type unrunnable struct {
	pattern string
	budget  *backtrackBudget
}

func (u unrunnable) String() string { return u.pattern }

func (u unrunnable) MatchString(string) bool { return u.budget.gaveUp(u.pattern, "cannot be run") }
