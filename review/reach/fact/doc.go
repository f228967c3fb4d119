package fact

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"toolcrib/internal/failpoint"
	"toolcrib/internal/plaintext"
	"toolcrib/registry/jsondoc"
)

// List collects the facts of a subject, each key once, at its first place.
type List struct {
	// Sentences are among the facts. In a first import every sentence is new, so nobody asks.
	Sentences bool

	facts []Fact
	seen  map[string]bool
}

// Facts returns what l collected.
func (l *List) Facts() []Fact { return l.facts }

// Read has read add the facts of a text to l. Path is its file or field; above is the
// number of folders over the text that belong to the subject, which "../" may climb.
func (l *List) Read(path, text string, above int, read func(Doc)) {
	f := &file{path: path, above: above, sentences: l.Sentences}
	func() {
		defer func() {
			if p := recover(); p != nil { // a fault must not end the process, nor hide what a text reaches
				Doc{file: f, Text: text}.Add(0, Run, Unread, fmt.Sprint(p))
			}
		}()
		failpoint.Here("facts of " + path)
		read(Doc{file: f, Text: text})
	}()
	f.place(text)
	if l.seen == nil {
		l.seen = map[string]bool{}
	}
	for _, p := range f.facts {
		if p.Kind == Secret {
			p.Sent, p.InProgram = f.sends, f.program
			if p.Use == Variable && f.sends {
				p.Use = VariableSent
			}
		}
		if !l.seen[p.Key] {
			l.seen[p.Key] = true
			l.facts = append(l.facts, p.Fact)
		}
	}
}

// maxDepth is how often a text may lie within another: a command in a script in a fence.
// Decoding and substitution could otherwise never end.
const maxDepth = 6

// Doc is a text, or a part of one, that facts are derived from. Offsets count bytes of
// Text.
type Doc struct {
	file   *file
	Text   string
	base   int // where Text begins in the file
	fixed  bool
	pinned jsondoc.Pos
	depth  int
}

type file struct {
	path      string
	above     int
	sentences bool
	sends     bool
	program   bool
	facts     []placed
}

// placed is a fact with its offset in the file; facts that have a line already keep it.
type placed struct {
	Fact
	at int
}

// Above returns how many folders over the text belong to the subject.
func (d Doc) Above() int { return d.file.above }

// Sentences reports whether sentences are among the facts.
func (d Doc) Sentences() bool { return d.file.sentences }

// Part returns the text from start to end.
func (d Doc) Part(start, end int) Doc {
	d.Text = d.Text[start:end]
	if !d.fixed {
		d.base += start
	}
	return d
}

// Within returns text, which stands at an offset in another form: unquoted, decoded,
// joined. It reports false where texts lie too deep in each other.
func (d Doc) Within(at int, text string) (Doc, bool) {
	if !d.fixed {
		d.base += at
	}
	d.Text, d.fixed, d.depth = text, true, d.depth+1
	return d, d.depth <= maxDepth
}

// Pinned returns text as it stands at a position of the file, which has no offset.
func (d Doc) Pinned(pos jsondoc.Pos, text string) Doc {
	d.Text, d.fixed, d.pinned = text, true, jsondoc.Pos{Line: max(1, pos.Line), Column: max(1, pos.Column)}
	return d
}

// Program notes that the file is a program.
func (d Doc) Program() { d.file.program = true }

// Sends notes that the file sends data, so that its credentials may leave.
func (d Doc) Sends() { d.file.sends = true }

// maxValue is how much of a value a reviewer sees, in bytes.
const maxValue = 160

// Add adds a fact that is identified by kind, use and value.
func (d Doc) Add(at int, kind Kind, use, value string) {
	d.AddKey(at, kind, use, value, use+"\x00"+strings.ToLower(value))
}

// AddKey adds a fact that is identified by kind and key.
func (d Doc) AddKey(at int, kind Kind, use, value, key string) {
	if value == "" {
		return
	}
	if len(value) > maxValue {
		value = plaintext.CutBytes(value, maxValue) + "…"
	}
	if d.fixed {
		at = 0
	}
	d.file.facts = append(d.file.facts, placed{
		Fact: Fact{Kind: kind, Use: use, Value: value, Path: d.file.path, Line: d.pinned.Line, Column: d.pinned.Column, Key: string(kind) + "\x00" + key},
		at:   d.base + at,
	})
}

// place turns offsets into lines and columns, in one pass over text, and sorts the facts
// by them.
func (f *file) place(text string) {
	slices.SortStableFunc(f.facts, func(a, b placed) int { return cmp.Compare(a.at, b.at) })
	line, column, at := 1, 1, 0
	for i := range f.facts {
		p := &f.facts[i]
		if p.Line > 0 {
			continue
		}
		skipped := text[at:min(p.at, len(text))]
		if n := strings.Count(skipped, "\n"); n > 0 {
			line, column = line+n, 1
			skipped = skipped[strings.LastIndexByte(skipped, '\n')+1:]
		}
		column, at = column+utf8.RuneCountInString(skipped), min(p.at, len(text))
		p.Line, p.Column = line, column
	}
	slices.SortStableFunc(f.facts, func(a, b placed) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
}

// Whole reports whether d is the complete text of its file or field, so that lines of it
// are lines there.
func (d Doc) Whole() bool { return d.base == 0 && !d.fixed }

// Prefixed returns d with words ahead of it, at one place.
func (d Doc) Prefixed(words string) Doc {
	d.Text, d.fixed = words+d.Text, true
	return d
}
