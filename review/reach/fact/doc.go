// This file collects facts with their positions.

package fact

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"

	"toolcrib/internal/failpoint"
	"toolcrib/internal/plaintext"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/spans"
)

// List collects the facts of a subject. It stores each key only once, with the first position.
type List struct {
	// Sentences enables facts of kind Text. They are not needed for a first import, where every
	// sentence is new.
	Sentences bool

	facts []Fact
	seen  map[string]int // index of a fact by its key
}

// Facts returns the collected facts.
func (l *List) Facts() []Fact { return l.facts }

// Read calls read to add the facts of a text to l. path is the file or field of the text. above is
// the number of parent folders that belong to the subject, which a path may reach with "../".
func (l *List) Read(path, text string, above int, read func(Doc)) {
	f := &file{path: path, parentFolders: above, sentences: l.Sentences}
	func() {
		defer func() {
			if p := recover(); p != nil { // a fault must neither end the process nor hide the reach of a text
				Doc{file: f, Text: text}.Add(0, Run, Unread, fmt.Sprint(p))
			}
		}()
		failpoint.Here("facts of " + path)
		read(Doc{file: f, Text: text})
	}()
	f.place(text)
	if l.seen == nil {
		l.seen = map[string]int{}
	}
	for _, p := range f.facts {
		if p.Kind == Secret {
			p.Sent, p.InProgram = f.sends, (f.program || p.InProgram) && (!p.handled || f.namesRead)
			if p.Use == Variable && f.sends {
				p.Use = VariableSent
			}
		}
		at, seen := l.seen[p.Key]
		switch {
		case !seen:
			l.seen[p.Key] = len(l.facts)
			l.facts = append(l.facts, p.Fact)
		case p.Sent && p.InProgram && (!l.facts[at].Sent || !l.facts[at].InProgram):
			l.facts[at] = p.Fact // an earlier harmless use does not hide that a program sends the secret
		}
	}
}

// maxDepth is the maximum nesting depth of texts, such as a command in a script in a code fence.
// Without a limit, decoding and substitution might not terminate.
const maxDepth = 6

// Doc is a text, or a part of a text, from which facts are derived. Offsets are byte offsets in
// Text.
type Doc struct {
	file    *file
	Text    string
	base    int // offset of Text in the file
	fixed   bool
	pinned  jsondoc.Pos
	depth   int
	handled bool
}

type file struct {
	path          string
	parentFolders int
	sentences     bool
	sends         bool
	program       bool
	namesRead     bool // see Doc.ReadsNames
	facts         []placed
}

// placed is a fact with its offset in the file. The offset is ignored if the fact already has a
// line.
type placed struct {
	Fact
	at      int
	handled bool // see Doc.Handled
}

// ParentFolders returns the number of parent folders that belong to the subject.
func (d Doc) ParentFolders() int { return d.file.parentFolders }

// Sentences reports whether facts of kind Text are collected.
func (d Doc) Sentences() bool { return d.file.sentences }

// Part returns the part of d from start to end.
func (d Doc) Part(start, end int) Doc {
	d.Text = d.Text[start:end]
	if !d.fixed {
		d.base += start
	}
	return d
}

// Lines yields the lines of d, with their line breaks.
func (d Doc) Lines() iter.Seq[Doc] {
	return func(yield func(Doc) bool) {
		at := 0
		for line := range strings.Lines(d.Text) {
			if !yield(d.Part(at, at+len(line))) {
				return
			}
			at += len(line)
		}
	}
}

// Within returns a Doc for text, a transformed version of the text at an offset: unquoted, decoded,
// or joined. It returns false if the nesting is too deep.
func (d Doc) Within(at int, text string) (Doc, bool) {
	if !d.fixed {
		d.base += at
	}
	d.Text, d.fixed, d.depth = text, true, d.depth+1
	return d, d.depth <= maxDepth
}

// Pinned returns a Doc for text at a position in the file for which the offset is unknown.
func (d Doc) Pinned(pos jsondoc.Pos, text string) Doc {
	d.Text, d.fixed, d.pinned = text, true, jsondoc.Pos{Line: max(1, pos.Line), Column: max(1, pos.Column)}
	return d
}

// Handled returns d as the arguments of a command that does not print the content of the files, such
// as chmod(1).
func (d Doc) Handled() Doc {
	d.handled = true
	return d
}

// ReadsNames records that a command reads names of files from a file, and may read the files: see Handled.
func (d Doc) ReadsNames() {
	d.file.namesRead = true
}

// Program records that the file is a program.
func (d Doc) Program() { d.file.program = true }

// Fence reads a block of code in a document, which is a program of its own if it sends data.
func (d Doc) Fence(read func(Doc)) {
	from, sends := len(d.file.facts), d.file.sends
	d.file.sends = false
	read(d)
	for i := from; d.file.sends && i < len(d.file.facts); i++ {
		d.file.facts[i].InProgram = true
	}
	d.file.sends = d.file.sends || sends
}

// Sends records that the file sends data and may therefore leak its credentials.
func (d Doc) Sends() { d.file.sends = true }

// maxValue is the maximum length in bytes of a value that reviewers see.
const maxValue = 160

// Add adds a fact that is identified by kind, use, and value.
func (d Doc) Add(at int, kind Kind, use, value string) {
	d.AddKey(at, kind, use, value, use+"\x00"+strings.ToLower(value))
}

// AddKey adds a fact that is identified by kind and key.
func (d Doc) AddKey(at int, kind Kind, use, value, key string) {
	if value == "" {
		return
	}
	value = plaintext.ClipBytes(value, maxValue)
	if d.fixed {
		at = 0
	}
	d.file.facts = append(d.file.facts, placed{
		Fact: Fact{Kind: kind, Use: use, Value: value, Path: d.file.path, Line: d.pinned.Line, Column: d.pinned.Column, Key: string(kind) + "\x00" + key},
		at:   d.base + at, handled: d.handled,
	})
}

// place converts offsets to lines and columns in a single pass over text, and sorts the facts by
// position.
func (f *file) place(text string) {
	slices.SortStableFunc(f.facts, func(a, b placed) int { return cmp.Compare(a.at, b.at) })
	cursor := spans.NewCursor(text)
	for i := range f.facts {
		if p := &f.facts[i]; p.Line == 0 {
			pos := cursor.To(min(p.at, len(text)))
			p.Line, p.Column = pos.Line, pos.Column
		}
	}
	slices.SortStableFunc(f.facts, func(a, b placed) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
}

// Whole reports whether d is the complete text of its file or field, with the same line numbers.
func (d Doc) Whole() bool { return d.base == 0 && !d.fixed }

// Prefixed returns d with words inserted at the beginning. All its facts have the same position.
func (d Doc) Prefixed(words string) Doc {
	d.Text, d.fixed = words+d.Text, true
	return d
}
