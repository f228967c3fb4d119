// Package code derives facts from the calls and strings of programs. It blanks the comments and
// strings of a program, and looks up the calls in the remaining code in a table.
package code

import (
	"slices"
	"strings"
)

// language describes the syntax of comments and strings in a programming language.
type language struct {
	id     string
	line   []string // marks of line comments
	block  [][2]string
	quotes []quote
	names  string // file extensions and languages of code fences, separated by spaces
	source string
}

// quote describes a kind of string literal.
type quote struct {
	open, close string
	escape      byte   // escape character, or 0 for none
	lines       bool   // the literal may span several lines
	code        string // text that begins embedded code, or "" if none is possible
	prefix      string // letters of which one must precede the quote to enable embedded code, or "" if none is necessary
}

var (
	double   = quote{open: `"`, close: `"`, escape: '\\'}
	single   = quote{open: `'`, close: `'`, escape: '\\'}
	slashes  = []string{"//"}
	starred  = [][2]string{{"/*", "*/"}}
	backtick = quote{open: "`", close: "`", escape: '\\', lines: true, code: "${"}
)

// languages lists the supported languages. A program in any other language is read like one in the
// last language.
var languages = []language{
	{
		"python",
		[]string{"#"},
		nil,
		[]quote{
			{open: `"""`, close: `"""`, escape: '\\', lines: true, code: "{", prefix: "fF"},
			{open: "'''", close: "'''", escape: '\\', lines: true, code: "{", prefix: "fF"},
			{open: `"`, close: `"`, escape: '\\', code: "{", prefix: "fF"},
			{open: "'", close: "'", escape: '\\', code: "{", prefix: "fF"},
		},
		"py python python3 pyi pyw ipynb", "https://docs.python.org/3/reference/lexical_analysis.html",
	},
	{"javascript", slashes, starred, []quote{double, single, backtick}, "js mjs cjs jsx ts mts cts tsx javascript typescript node vue svelte", "https://tc39.es/ecma262/#sec-ecmascript-language-lexical-grammar"},
	{
		"ruby",
		[]string{"#"},
		[][2]string{{"\n=begin", "\n=end"}},
		[]quote{
			{open: `"`, close: `"`, escape: '\\', lines: true, code: "#{"}, {open: `'`, close: `'`, escape: '\\', lines: true}, {open: "`", close: "`", escape: '\\', lines: true, code: "#{"},
		},
		"rb ruby rake gemspec", "https://docs.ruby-lang.org/en/master/syntax/literals_rdoc.html",
	},
	{"go", slashes, starred, []quote{double, single, {open: "`", close: "`", lines: true}}, "go golang", "https://go.dev/ref/spec#Lexical_elements"},
	{
		"powershell",
		[]string{"#"},
		[][2]string{{"<#", "#>"}},
		[]quote{
			{open: "@\"\n", close: "\n\"@", lines: true}, {open: "@'\n", close: "\n'@", lines: true}, {open: `"`, close: `"`, escape: '`', lines: true, code: "$("}, {open: `'`, close: `'`, lines: true},
		},
		"ps1 psm1 psd1 powershell pwsh", "https://learn.microsoft.com/powershell/scripting/lang-spec/chapter-02",
	},
	{"php", []string{"//", "#"}, starred, []quote{{open: `"`, close: `"`, escape: '\\', lines: true}, {open: `'`, close: `'`, escape: '\\', lines: true}}, "php", "https://www.php.net/manual/language.types.string.php"},
	{"other", slashes, starred, []quote{double, single}, "c h cpp cc cs java kt kts swift rs rust scala dart lua pl perl r ex exs groovy", "https://en.cppreference.com/w/cpp/language/string_literal"},
}

// find returns the language with the given name. name is a file extension without the dot, or the
// language of a code fence.
func find(name string) (*language, bool) {
	for i := range languages {
		if name != "" && slices.Contains(strings.Fields(languages[i].names), name) {
			return &languages[i], true
		}
	}
	return nil, false
}

// Known reports whether name denotes a supported language. name is a file extension without the
// dot, or the language of a code fence.
func Known(name string) bool {
	_, ok := find(name)
	return ok
}

// str is a string literal, at text[start:end] including its quotes. Embedded code is replaced by
// "${}" in value.
type str struct {
	start, end int
	value      string
}

// lexed is a program after its comments and strings were separated from the code. The field code
// contains spaces in their place.
type lexed struct {
	code     []byte
	strings  []str
	comments [][2]int // byte ranges of the comments without their marks
}

// maxInside is the maximum nesting depth of code embedded in strings.
const maxInside = 20

// open is a string literal that has not ended yet. Embedded code may interrupt it.
type open struct {
	quote
	start  int
	value  []byte
	braces int
}

// lex separates the comments and strings in text from the code. It reads each byte a bounded number
// of times, and treats everything that it does not recognize as code.
func lex(text string, l *language) lexed {
	out := lexed{code: []byte(text)}
	var stack []open
	last := byte(0) // the last non-blank character of code
	for i := 0; i < len(text); {
		if n := len(stack); n > 0 {
			switch text[i] {
			case '{', '(':
				stack[n-1].braces++
			case '}', ')':
				if stack[n-1].braces--; stack[n-1].braces < 0 {
					o := stack[n-1]
					stack = stack[:n-1]
					out.code[i] = ' '
					i = out.readLiteral(text, i+1, &o, &stack)
					last = '"'
					continue
				}
			}
		}
		if end, from, ok := commentAt(text, i, l); ok {
			out.comments = append(out.comments, from)
			out.blank(i, end)
			i = end
			continue
		}
		if q, ok := quoteAt(text, i, l); ok {
			if q.prefix != "" {
				from := prefixStart(text, i)
				if !strings.ContainsAny(text[from:i], q.prefix) {
					q.code = ""
				}
				out.blank(from, i)
			}
			if q.open == "'" && l.id == "other" && !closesSoon(text, i) {
				i++
				continue // a Rust lifetime or an apostrophe
			}
			o := open{quote: q, start: i}
			out.blank(i, i+len(q.open))
			i = out.readLiteral(text, i+len(q.open), &o, &stack)
			last = '"'
			continue
		}
		if text[i] == '/' && l.id == "javascript" && strings.IndexByte("(,=:[!&|?{};+\n\x00", last) >= 0 {
			if end := regexpEnd(text, i); end > 0 {
				out.blank(i, end)
				i = end
				last = '"'
				continue
			}
		}
		if text[i] > ' ' {
			last = text[i]
		}
		i++
	}
	slices.SortFunc(out.strings, func(a, b str) int { return a.start - b.start })
	return out
}

// blank replaces the code in the byte range [start, end) by spaces, except for line breaks.
func (out *lexed) blank(start, end int) {
	for i := start; i < end; i++ {
		if out.code[i] != '\n' {
			out.code[i] = ' '
		}
	}
}

// readLiteral reads the string literal o from offset i to its end or to embedded code. It returns
// the end of the part that it has read. If embedded code interrupts the literal, readLiteral pushes
// o onto stack.
func (out *lexed) readLiteral(text string, i int, o *open, stack *[]open) int {
	begin := i
	for i < len(text) {
		switch {
		case o.escape != 0 && text[i] == o.escape && i+1 < len(text):
			o.value = appendEscaped(o.value, text[i+1], o.escape)
			i += 2
			continue
		case strings.HasPrefix(text[i:], o.close):
			return out.close(o, begin, i+len(o.close))
		case text[i] == '\n' && !o.lines:
			return out.close(o, begin, i)
		case o.code != "" && strings.HasPrefix(text[i:], o.code):
			if o.code == "{" && strings.HasPrefix(text[i:], "{{") {
				o.value = append(o.value, '{')
				i += 2
				continue
			}
			if len(*stack) < maxInside {
				o.value = append(o.value, "${}"...)
				i += len(o.code)
				out.blank(begin, i)
				o.braces = 0
				*stack = append(*stack, *o)
				return i
			}
		}
		o.value = append(o.value, text[i])
		i++
	}
	return out.close(o, begin, len(text))
}

// close blanks the byte range [begin, end), adds the string literal o, and returns end.
func (out *lexed) close(o *open, begin, end int) int {
	out.blank(begin, end)
	out.strings = append(out.strings, str{o.start, end, string(o.value)})
	return end
}

// appendEscaped appends the character that the escape character followed by c represents. It does
// not decode \x and \u escapes.
func appendEscaped(value []byte, c, escape byte) []byte {
	switch c {
	case 'n':
		return append(value, '\n')
	case 't':
		return append(value, '\t')
	case '\n':
		return value
	case 'x', 'u':
		return append(value, escape, c)
	}
	return append(value, c)
}

// commentAt returns the end and the body of the comment that begins at i. It returns false if no
// comment begins there.
func commentAt(text string, i int, l *language) (end int, body [2]int, ok bool) {
	for _, mark := range l.line {
		if strings.HasPrefix(text[i:], mark) && (i == 0 || mark != "//" || text[i-1] != ':') && (mark != "#" || i == 0 || text[i-1] != '$' && text[i-1] != '{' && (l != &data || text[i-1] <= ' ')) {
			end = len(text)
			if n := strings.IndexByte(text[i:], '\n'); n >= 0 {
				end = i + n
			}
			return end, [2]int{min(i+len(mark), end), end}, true
		}
	}
	for _, marks := range l.block {
		if strings.HasPrefix(text[i:], marks[0]) {
			from := i + len(marks[0])
			if n := strings.Index(text[from:], marks[1]); n >= 0 {
				return from + n + len(marks[1]), [2]int{from, from + n}, true
			}
			return len(text), [2]int{from, len(text)}, true
		}
	}
	return 0, [2]int{}, false
}

// quoteAt returns the kind of the string literal that begins at i. It returns false if no literal
// begins there.
func quoteAt(text string, i int, l *language) (quote, bool) {
	c := text[i]
	if c != '"' && c != '\'' && c != '`' && c != '@' {
		return quote{}, false
	}
	for _, q := range l.quotes {
		if strings.HasPrefix(text[i:], q.open) {
			return q, true
		}
	}
	return quote{}, false
}

// prefixStart returns the offset where the prefix of a Python string begins, such as the r in
// r"\d". i is the offset of the quotation mark.
func prefixStart(text string, i int) int {
	from := i
	for from > 0 && i-from < 2 && strings.IndexByte("rRbBfFuU", text[from-1]) >= 0 {
		from--
	}
	if from > 0 && nameStart(text[from-1]) {
		return i // the letters belong to a longer name
	}
	return from
}

// closesSoon reports whether another apostrophe follows the apostrophe at i in the same line,
// within 200 bytes.
func closesSoon(text string, i int) bool {
	rest := text[i+1 : min(len(text), i+200)]
	if n := strings.IndexByte(rest, '\n'); n >= 0 {
		rest = rest[:n]
	}
	return strings.IndexByte(rest, '\'') >= 0
}

// regexpEnd returns the end of the regular expression literal that begins at i, or 0 if no literal
// begins there.
func regexpEnd(text string, i int) int {
	set := false
	for j := i + 1; j < min(len(text), i+500); j++ {
		switch text[j] {
		case '\\':
			j++
		case '\n':
			return 0
		case '[':
			set = true
		case ']':
			set = false
		case '/':
			if !set {
				if j == i+1 {
					return 0
				}
				return j + 1
			}
		}
	}
	return 0
}
