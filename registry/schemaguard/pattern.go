package schemaguard

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"toolcrib/registry/jsondoc"
)

// Regular expressions run in Go's engine (RE2), in time linear in the length
// of the text times the size of the program that the expression stands for.
// The size is bounded, as a repetition like .{1000} is short and large.
const (
	maxProgram  = 10_000  // steps of one expression
	maxPrograms = 100_000 // steps of all expressions of a schema
)

// program is what is known of a regular expression without compiling it.
type program struct {
	size int  // in steps, at most maxProgram+1
	runs bool // RE2 can express it
}

// measure reads a regular expression of at most MaxPattern characters.
func measure(pattern string) program {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return program{}
	}
	return program{size: steps(re), runs: true}
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
		g.refuse(s, "the regular expression has %d characters; at most %d are read", n, MaxPattern)
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
	switch {
	case !p.runs:
		g.remark(s, "the regular expression is not checked: RE2 has no form for it")
	case p.size > maxProgram:
		g.refuse(s, "the regular expression stands for more than %d steps", maxProgram)
	case g.steps > maxPrograms:
		g.refuse(s, "the regular expressions together stand for more than %d steps", maxPrograms)
	}
	return p
}

// compilePattern is the validator's engine for regular expressions. It is
// asked for those of the schema, which have been measured, and for texts that
// a schema wants to be regular expressions, which have not.
func compilePattern(pattern string) (jsonschema.Regexp, error) {
	if utf8.RuneCountInString(pattern) > MaxPattern {
		return nil, fmt.Errorf("has more than %d characters", MaxPattern)
	}
	switch p := measure(pattern); {
	case !p.runs:
		return unchecked(pattern), nil
	case p.size > maxProgram:
		return nil, fmt.Errorf("stands for more than %d steps", maxProgram)
	}
	re, err := regexp.Compile(pattern)
	if err != nil { // what parses and is still refused
		return unchecked(pattern), nil //nolint:nilerr // not checked is not wrong
	}
	return re, nil
}

// unchecked is a regular expression that RE2 has no form for, such as one that
// looks ahead: every text is taken to match.
type unchecked string

func (unchecked) MatchString(string) bool { return true }

func (u unchecked) String() string { return string(u) }
