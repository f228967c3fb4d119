package schemaguard

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
)

// JSON Schema means the regular expressions of ECMA-262 with the flag u. The engines
// here have others, whose \s, \S and dot know fewer characters, whose classes are not
// empty, and whose names are numbered last. So an expression is translated: every
// class is written out, every character stands for itself, and groups lose their
// names. What is none of ECMA-262 runs as the engines read it, as authors mean
// (?i) and \A so.

// errNotECMA means that an expression is none of ECMA-262 with the flag u.
var errNotECMA = errors.New("it is not a regular expression of ECMA-262")

// translated is an expression in the syntax of the engines.
type translated struct {
	text string
	slow bool // RE2 has no form for it: text is for the engine that backtracks
}

// translate reads an expression of ECMA-262.
func translate(pattern string) (translated, error) {
	first := ecma{in: []rune(pattern)}
	if err := first.all(); err != nil {
		return translated{}, err
	}
	again := ecma{in: first.in, slow: first.slow, names: first.names, total: first.groups}
	err := again.all()
	return translated{again.out.String(), first.slow}, err
}

// ecma translates one expression. The first of two passes finds out whether it
// backtracks, and the names of its groups.
type ecma struct {
	in     []rune
	at     int
	out    strings.Builder
	slow   bool
	names  []string // of groups, by number; "" for none
	groups int
	total  int // groups of the whole expression; 0 in the first pass
}

const (
	ecmaSpaces = "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
	wordChars  = "[A-Za-z0-9_]"
)

// lineEnds are the characters that a dot does not match.
const lineEnds = "\n\r\u2028\u2029"

func (p *ecma) all() error {
	if err := p.alternatives(); err != nil {
		return err
	}
	if p.at < len(p.in) {
		return errNotECMA // a parenthesis without its other half
	}
	return nil
}

// more reports whether the next characters are these, and goes behind them if so.
func (p *ecma) more(text string) bool {
	next := []rune(text)
	if len(p.in)-p.at < len(next) || !slices.Equal(p.in[p.at:p.at+len(next)], next) {
		return false
	}
	p.at += len(next)
	return true
}

// alternatives reads up to the end of a group.
func (p *ecma) alternatives() error {
	for p.at < len(p.in) {
		switch r := p.in[p.at]; r {
		case ')':
			return nil
		case '|':
			p.at++
			p.out.WriteByte('|')
			continue
		case '^', '$':
			p.at++
			p.out.WriteRune(r)
			continue // it takes no quantifier
		}
		repeats, err := p.atom()
		if err == nil && repeats {
			err = p.quantifier()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// atom reads what a quantifier may follow, and reports whether it may.
func (p *ecma) atom() (repeats bool, err error) {
	switch r := p.in[p.at]; r {
	case '(':
		p.at++
		return p.group()
	case '[':
		p.at++
		return true, p.class()
	case '.':
		p.at++
		p.out.WriteString("[^" + lineEnds + "]")
		return true, nil
	case '\\':
		p.at++
		return p.escape()
	case '*', '+', '?', '{', '}', ']':
		return false, errNotECMA
	default:
		p.at++
		p.out.WriteString(literal(r))
		return true, nil
	}
}

// literal writes a character that stands for itself.
func literal(r rune) string {
	switch {
	case r < ' ' || r == 0x7f:
		return fmt.Sprintf(`\x%02x`, r)
	case strings.ContainsRune(`\.+*?()|[]{}^$-&~#`, r):
		return `\` + string(r)
	}
	return string(r)
}

func (p *ecma) group() (repeats bool, err error) {
	repeats = true
	switch {
	case p.more("?:"):
		p.out.WriteString("(?:")
	case p.more("?="), p.more("?!"), p.more("?<="), p.more("?<!"):
		from := p.at - 2
		if p.in[from] == '<' {
			from--
		}
		p.slow, repeats = true, false
		p.out.WriteString("(" + string(p.in[from:p.at]))
	case p.more("?<"):
		name, err := p.name()
		if err != nil || p.total == 0 && slices.Contains(p.names, name) {
			return false, errNotECMA
		}
		p.open(name)
	case p.more("?"):
		return false, errNotECMA
	default:
		p.open("")
	}
	if err := p.alternatives(); err != nil {
		return false, err
	}
	if !p.more(")") {
		return false, errNotECMA
	}
	p.out.WriteByte(')')
	return repeats, nil
}

// open begins a group that captures.
func (p *ecma) open(name string) {
	p.groups++
	if p.total == 0 {
		p.names = append(p.names, name)
	}
	p.out.WriteByte('(')
}

// name reads the name of a group up to its end.
func (p *ecma) name() (string, error) {
	from := p.at
	for p.at < len(p.in) && p.in[p.at] != '>' {
		r := p.in[p.at]
		if r != '$' && r != '_' && !unicode.IsLetter(r) && (p.at == from || !unicode.IsDigit(r)) {
			return "", errNotECMA
		}
		p.at++
	}
	name := string(p.in[from:p.at])
	if name == "" || !p.more(">") {
		return "", errNotECMA
	}
	return name, nil
}

// quantifier reads how often an atom may come, if it says so.
func (p *ecma) quantifier() error {
	from := p.at
	switch {
	case p.more("*"), p.more("+"), p.more("?"):
	case p.more("{"):
		least, ok := p.digits()
		most := least
		if ok && p.more(",") {
			if n, ok := p.digits(); ok {
				most = n
			} else {
				most = least + 1 // there is none
			}
		}
		if !ok || !p.more("}") || most < least {
			return errNotECMA
		}
	default:
		return nil
	}
	p.more("?")
	p.out.WriteString(string(p.in[from:p.at]))
	return nil
}

func (p *ecma) digits() (n int, ok bool) {
	from := p.at
	for p.at < len(p.in) && '0' <= p.in[p.at] && p.in[p.at] <= '9' {
		p.at++
	}
	n, err := strconv.Atoi(string(p.in[from:p.at]))
	return n, err == nil
}

// escape reads an escape outside of a class, behind its backslash.
func (p *ecma) escape() (repeats bool, err error) {
	switch {
	case p.more("b"):
		p.boundary(`\b`, "(?:(?<="+wordChars+")(?!"+wordChars+")|(?<!"+wordChars+")(?="+wordChars+"))")
		return false, nil
	case p.more("B"):
		p.boundary(`\B`, "(?:(?<="+wordChars+")(?="+wordChars+")|(?<!"+wordChars+")(?!"+wordChars+"))")
		return false, nil
	case p.more("k<"):
		name, err := p.name()
		if err != nil || p.total > 0 && !slices.Contains(p.names, name) {
			return false, errNotECMA
		}
		return true, p.reference(slices.Index(p.names, name) + 1)
	}
	if p.at < len(p.in) && '1' <= p.in[p.at] && p.in[p.at] <= '9' {
		n, ok := p.digits()
		if !ok {
			return false, errNotECMA
		}
		return true, p.reference(n)
	}
	r, set, err := p.character()
	switch {
	case err != nil:
		return false, err
	case set != "":
		p.out.WriteString("[" + set + "]")
	default:
		p.out.WriteString(literal(r))
	}
	return true, nil
}

// boundary writes the boundary of a word; the engine that backtracks counts letters of
// all scripts into words.
func (p *ecma) boundary(fast, slow string) {
	if p.slow {
		fast = slow
	}
	p.out.WriteString(fast)
}

func (p *ecma) reference(n int) error {
	p.slow = true
	if p.total > 0 && n > p.total {
		return errNotECMA
	}
	fmt.Fprintf(&p.out, `(?:\%d)`, n)
	return nil
}

// character reads an escape behind its backslash that is a character, or a set of
// them as the inside of a class.
func (p *ecma) character() (r rune, set string, err error) {
	if p.at >= len(p.in) {
		return 0, "", errNotECMA
	}
	c := p.in[p.at]
	p.at++
	switch c {
	case 'd', 'D', 'w', 'W':
		return 0, `\` + string(c), nil
	case 's':
		return 0, ecmaSpaces, nil
	case 'S':
		return 0, notSpaces(), nil
	case 'p', 'P':
		set, err := p.property(c)
		return 0, set, err
	case 'f', 'n', 'r', 't', 'v':
		return map[rune]rune{'f': '\f', 'n': '\n', 'r': '\r', 't': '\t', 'v': '\v'}[c], "", nil
	case '0':
		if p.at < len(p.in) && unicode.IsDigit(p.in[p.at]) {
			return 0, "", errNotECMA
		}
		return 0, "", nil
	case 'c':
		if p.at >= len(p.in) || p.in[p.at] > unicode.MaxASCII || !unicode.IsLetter(p.in[p.at]) {
			return 0, "", errNotECMA
		}
		p.at++
		return p.in[p.at-1] % 32, "", nil
	case 'x':
		r, err := p.hex(2)
		return r, "", err
	case 'u':
		r, err := p.unit()
		return r, "", err
	}
	if strings.ContainsRune(`^$\.*+?()[]{}|/-`, c) { // the last one only in a class, but often written elsewhere
		return c, "", nil
	}
	return 0, "", errNotECMA
}

// notSpaces is the inside of a class of everything but spaces.
func notSpaces() string {
	var b strings.Builder
	next := rune(0)
	for _, r := range ecmaSpaces + string(unicode.MaxRune+1) {
		if r == unicode.ReplacementChar { // the end
			r = unicode.MaxRune + 1
		}
		if next < r {
			b.WriteString(literal(next) + "-" + literal(r-1))
		}
		next = r + 1
	}
	return b.String()
}

// property reads the name of a property of characters.
func (p *ecma) property(c rune) (string, error) {
	if !p.more("{") {
		return "", errNotECMA
	}
	from := p.at
	for p.at < len(p.in) && p.in[p.at] != '}' {
		p.at++
	}
	name := string(p.in[from:p.at])
	if !p.more("}") {
		return "", errNotECMA
	}
	if key, value, ok := strings.Cut(name, "="); ok {
		if !slices.Contains([]string{"Script", "sc", "Script_Extensions", "scx", "General_Category", "gc"}, key) {
			return "", errNotECMA
		}
		name = value
	}
	if name == "" || strings.ContainsFunc(name, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		return "", errNotECMA
	}
	return `\` + string(c) + "{" + name + "}", nil
}

func (p *ecma) hex(n int) (rune, error) {
	if p.at+n > len(p.in) {
		return 0, errNotECMA
	}
	v, err := strconv.ParseUint(string(p.in[p.at:p.at+n]), 16, 32)
	p.at += n
	if err != nil {
		return 0, errNotECMA
	}
	return rune(v), nil
}

// unit reads what follows \u: a code point in braces, or one or two UTF-16 units.
func (p *ecma) unit() (rune, error) {
	if p.more("{") {
		from := p.at
		for p.at < len(p.in) && p.in[p.at] != '}' {
			p.at++
		}
		v, err := strconv.ParseUint(string(p.in[from:p.at]), 16, 32)
		if err != nil || v > unicode.MaxRune || utf16.IsSurrogate(rune(v)) || !p.more("}") {
			return 0, errNotECMA
		}
		return rune(v), nil
	}
	r, err := p.hex(4)
	if err != nil || !utf16.IsSurrogate(r) {
		return r, err
	}
	if !p.more(`\u`) {
		return 0, errNotECMA
	}
	low, err := p.hex(4)
	if r = utf16.DecodeRune(r, low); err != nil || r == unicode.ReplacementChar {
		return 0, errNotECMA
	}
	return r, nil
}

// class reads a class behind its bracket.
func (p *ecma) class() error {
	not := p.more("^")
	var inside strings.Builder
	for {
		if p.at >= len(p.in) {
			return errNotECMA
		}
		if p.more("]") {
			break
		}
		low, set, err := p.member()
		if err != nil {
			return err
		}
		ranged := p.at+1 < len(p.in) && p.in[p.at] == '-' && p.in[p.at+1] != ']'
		switch {
		case ranged && set != "":
			return errNotECMA
		case ranged:
			p.at++
			high, set, err := p.member()
			if err != nil || set != "" || high < low {
				return errNotECMA
			}
			inside.WriteString(literal(low) + "-" + literal(high))
		case set != "":
			inside.WriteString(set)
		default:
			inside.WriteString(literal(low))
		}
	}
	p.out.WriteString(classOf(inside.String(), not))
	return nil
}

// classOf writes a class, which may be empty.
func classOf(inside string, not bool) string {
	switch {
	case inside == "" && not:
		return `[\x00-` + string(unicode.MaxRune) + "]"
	case inside == "":
		return `[^\x00-` + string(unicode.MaxRune) + "]"
	case not:
		return "[^" + inside + "]"
	}
	return "[" + inside + "]"
}

// member reads one character of a class, or a set.
func (p *ecma) member() (r rune, set string, err error) {
	if p.at >= len(p.in) {
		return 0, "", errNotECMA
	}
	if !p.more(`\`) {
		p.at++
		return p.in[p.at-1], "", nil
	}
	if p.more("b") {
		return '\b', "", nil
	}
	return p.character()
}
