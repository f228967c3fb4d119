package schemaguard

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"strconv"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/dlclark/regexp2"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"toolcrib/registry/jsondoc"
)

// Regular expressions run in Go's engine (RE2) where it has a form for them, in
// time linear in the length of the text times the size of the compiled program.
// The size is limited, as a repetition like .{1000} is short and large. The others
// backtrack.
const (
	maxProgram  = 10_000  // steps of one expression
	maxPrograms = 100_000 // steps of all expressions of a schema
)

// program describes a regular expression that was not compiled.
type program struct {
	size int // in steps, at most maxProgram+1
	runs engine
}

// engine names the engine that runs a regular expression.
type engine int

const (
	nothing    engine = iota
	re2               // in linear time
	backtracks        // in limited time
)

// measure reads a regular expression of at most MaxPattern characters.
func measure(pattern string) program {
	t := engines(pattern)
	if re, err := syntax.Parse(t.text, syntax.Perl); err == nil && !t.slow {
		return program{size: steps(re), runs: re2}
	}
	if _, err := backtracking(t.text); err != nil {
		return program{}
	}
	return program{size: len(pattern), runs: backtracks}
}

// engines returns a regular expression as the engines read it.
func engines(pattern string) translated {
	t, err := translate(pattern)
	if err != nil {
		return translated{text: pattern}
	}
	return t
}

// steps estimates from above how many instructions re compiles to. Large
// character classes count for the memory they take.
func steps(re *syntax.Regexp) int {
	sum := 1
	for _, sub := range re.Sub {
		sum = min(sum+steps(sub), maxProgram+1)
	}
	switch re.Op { //nolint:exhaustive // the others take a step or two
	case syntax.OpLiteral:
		sum += len(re.Rune)
	case syntax.OpCharClass:
		sum += len(re.Rune) / 16
	case syntax.OpCapture, syntax.OpAlternate, syntax.OpStar, syntax.OpPlus, syntax.OpQuest:
		sum += 1 + len(re.Sub)
	case syntax.OpRepeat:
		sum *= max(re.Max, re.Min+1)
	}
	return min(sum, maxProgram+1)
}

// collectPatterns measures the regular expressions of v.
func (g *graph) collectPatterns(v *vertex) {
	if n := v.node.Get("pattern"); n != nil && n.Kind == jsondoc.String {
		p := g.collect(n.Text, at(v, "pattern"))
		v.pattern = &p
	}
	named := v.node.Get("patternProperties")
	if named == nil {
		return
	}
	for _, m := range named.Members {
		v.patterns = append(v.patterns, g.collect(m.Key, at(v, "patternProperties", m.Key)))
	}
}

func (g *graph) collect(pattern string, s spot) program {
	if n := utf8.RuneCountInString(pattern); n > MaxPattern {
		g.refuse(s, "the regular expression has %d characters; the limit is %d", n, MaxPattern)
		return program{}
	}
	p, known := g.programs[pattern]
	if !known && g.steps > 2*maxPrograms { // refused long since
		return program{}
	}
	if !known {
		p = measure(pattern)
		g.programs[pattern] = p
		g.steps += p.size
	}
	g.patient = g.patient || p.runs != re2
	switch {
	case p.runs == nothing && !g.unrun.Full():
		g.unrun.Add(s.path(), "the regular expression cannot be run")
	case p.runs == backtracks:
		g.remark(s, "the regular expression backtracks, which is given little time: RE2 has no form for it")
	case p.size > maxProgram:
		g.refuse(s, "the regular expression compiles to more than %d steps", maxProgram)
	case g.steps > maxPrograms:
		g.refuse(s, "the regular expressions together compile to more than %d steps", maxPrograms)
	}
	return p
}

// fast is a regular expression that RE2 runs.
type fast struct {
	*regexp.Regexp

	pattern string // as the schema has it
}

func (f fast) String() string { return f.pattern }

// compile is the validator's engine for regular expressions. It is asked for
// those of the schema, which have been measured, and for texts that a schema
// wants to be regular expressions, which have not.
func (p *backtrackBudget) compile(pattern string) (jsonschema.Regexp, error) {
	if utf8.RuneCountInString(pattern) > MaxPattern {
		return nil, fmt.Errorf("has more than %d characters", MaxPattern)
	}
	if m := measure(pattern); m.runs == re2 && m.size > maxProgram {
		return nil, fmt.Errorf("compiles to more than %d steps", maxProgram)
	}
	t := engines(pattern)
	if re, err := regexp.Compile(t.text); err == nil && !t.slow {
		return fast{re, pattern}, nil
	}
	if re, err := backtracking(t.text); err == nil {
		return slow{re, pattern, p}, nil
	}
	return unrunnable{pattern, p}, nil // others may be able to
}

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

// maxNumber is the longest number in characters.
const maxNumber = 100

// plainNumber reports whether a number is one that a program would mean: short
// and in the range of a double. The validator computes exactly, and some
// thousand numbers of ten thousand digits each would keep it busy.
func plainNumber(literal string) bool {
	if len(literal) > maxNumber {
		return false
	}
	_, err := strconv.ParseFloat(literal, 64)
	return err == nil
}

// checkNumbers refuses the first number that is not plain.
func (g *graph) checkNumbers() {
	if path := oddNumber(g.root.node); path != "" {
		g.problems.Add(path, "the number is out of range")
	}
}

// oddNumber returns the path of the first number in n that is not plain, ""
// when there is none.
func oddNumber(n *jsondoc.Node) (found string) {
	n.Walk(func(v *jsondoc.Node, path func() string) bool {
		if v.Kind == jsondoc.Number && !plainNumber(v.Text) {
			found = path()
		}
		return found == ""
	})
	return found
}
