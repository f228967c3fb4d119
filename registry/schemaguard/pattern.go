package schemaguard

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"unicode/utf8"

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
