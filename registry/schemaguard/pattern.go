// This file runs regular expressions within limits of time and memory.

package schemaguard

import (
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/dlclark/regexp2/v2"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"toolcrib/registry/jsondoc"
)

// JSON Schema uses the regular expressions of ECMA-262 with the flag u (JSON Schema
// Core 2020-12, section 6.4). Their engine backtracks, which can take exponential
// time. Therefore the total matching time of one Validate is limited, and the
// memory of each match.
const (
	maxMatching = 250 * time.Millisecond // the engine checks its clock every 100 ms
	maxStack    = 4 << 20                // integers on the backtracking stack
)

// dialectsOf lists the syntaxes in which an expression is tried, in this order.
// Many authors use legacy ECMA-262, or (?i) and \A as in Perl.
var dialectsOf = [...]regexp2.RegexOptions{regexp2.ECMAScript | regexp2.Unicode, regexp2.ECMAScript, regexp2.None}

// compilePattern compiles a regular expression of at most MaxPattern characters.
func compilePattern(pattern string) (re *regexp2.Regexp, err error) {
	if n := utf8.RuneCountInString(pattern); n > MaxPattern {
		return nil, fmt.Errorf("is longer than %[2]d characters (got %[1]d)", n, MaxPattern)
	}
	defer func() {
		if recover() != nil { // the engine panicked on untrusted input
			re, err = nil, errNotRun
		}
	}()
	for _, options := range dialectsOf {
		if re, err = regexp2.Compile(pattern, options, regexp2.OptionMaxBacktrackingStackSize(maxStack)); err == nil {
			return re, nil
		}
	}
	return nil, errNotRun
}

// errNotRun reports an expression that has none of the known syntaxes.
var errNotRun = errors.New("has an unsupported syntax")

// checkPatterns refuses long regular expressions in v and lists those that cannot
// be run.
func (g *graph) checkPatterns(v *vertex) {
	if n := v.node.Get("pattern"); n != nil && n.Kind == jsondoc.String {
		g.checkPattern(n.Text, at(v, "pattern"))
	}
	if named := v.node.Get("patternProperties"); named != nil {
		for _, m := range named.Members {
			g.checkPattern(m.Key, at(v, "patternProperties", m.Key))
		}
	}
}

func (g *graph) checkPattern(pattern string, s spot) {
	g.matches = true
	problem, known := g.patterns[pattern]
	if !known {
		_, problem = compilePattern(pattern)
		g.patterns[pattern] = problem
	}
	switch {
	case problem == nil:
	case !errors.Is(problem, errNotRun):
		g.refuse(s, "the regular expression %v", problem)
	case !g.unrun.Full():
		g.unrun.Add(s.path(), "the regular expression %v", problem)
	}
}

// matchBudget limits the matching time of one validation at a time. It is locked by
// busy.
type matchBudget struct {
	busy    sync.Mutex
	left    time.Duration
	problem string // reason why the first expression failed, or ""
}

// begin starts the time of a validation. The caller must call end.
func (b *matchBudget) begin() {
	b.busy.Lock()
	b.left, b.problem = maxMatching, ""
}

// end returns the reason why an expression could not be matched, or "".
func (b *matchBudget) end() string {
	defer b.busy.Unlock()
	return b.problem
}

// compile is the regular expression engine of the validator, for the expressions of
// the schema and for values that have to be regular expressions.
func (b *matchBudget) compile(pattern string) (jsonschema.Regexp, error) {
	re, err := compilePattern(pattern)
	if err != nil && !errors.Is(err, errNotRun) {
		return nil, err
	}
	return limited{re, pattern, b}, nil // other validators may support it
}

// limited is a regular expression with a budget.
type limited struct {
	re      *regexp2.Regexp // nil if it has an unsupported syntax
	pattern string
	budget  *matchBudget
}

func (l limited) String() string { return l.pattern }

// MatchString reports whether text matches. If the expression fails, so does the
// whole validation: the schema may accept a value because it does not match. The
// caller holds the budget.
func (l limited) MatchString(text string) (matches bool) {
	if l.budget.problem != "" {
		return false
	}
	defer func() {
		if recover() != nil { // the engine panicked
			matches = l.fail(errNotRun.Error())
		}
	}()
	switch {
	case l.re == nil:
		return l.fail(errNotRun.Error())
	case l.budget.left <= 0:
		return l.fail("takes too long to match")
	}
	began := time.Now()
	l.re.MatchTimeout = l.budget.left
	matches, err := l.re.MatchString(text)
	l.budget.left -= time.Since(began)
	switch {
	case errors.Is(err, regexp2.ErrBacktrackingStackLimit):
		return l.fail("needs too much memory to match")
	case err != nil:
		return l.fail("takes too long to match")
	}
	return matches
}

func (l limited) fail(why string) bool {
	l.budget.problem = fmt.Sprintf("the regular expression %s %s, so the value cannot be checked", jsondoc.Quote(l.pattern), why)
	return false
}

// maxNumber is the maximum length of a number, in characters.
const maxNumber = 100

// oddNumber returns the path of the first number in n that is long or not in the range of a
// double, or "". The validator computes exactly, so some thousand numbers of ten thousand
// digits each would keep it busy.
func oddNumber(n *jsondoc.Node) (found string) {
	n.Walk(func(v *jsondoc.Node, path func() string) bool {
		if v.Kind == jsondoc.Number {
			if _, err := strconv.ParseFloat(v.Text, 64); err != nil || len(v.Text) > maxNumber {
				found = path()
			}
		}
		return found == ""
	})
	return found
}
