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

// List collects the facts of a subject. If several facts have the same key, it contains only the
// first.
type List struct {
	// Sentences enables facts of kind Text, one for each sentence. A first import does not need
	// these facts, because every sentence is new.
	Sentences bool

	facts []Fact
	seen  map[string]int // maps the key of each fact to its index in facts
}

// Facts returns the collected facts.
func (l *List) Facts() []Fact { return l.facts }

// Read calls read with a Doc for text and adds the resulting facts to l. path is the file or field
// that contains the text. parents is the number of parent folders of the file that belong to the
// subject. A path stays in the subject if it begins with at most this number of "../".
func (l *List) Read(path, text string, parents int, read func(Doc)) {
	f := &file{path: path, parentFolders: parents, sentences: l.Sentences}
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

// maxDepth is the maximum nesting depth of texts. For example, a command in a script in a code
// fence is nested. Without a limit, decoding and substitution might not terminate.
const maxDepth = 6

// Doc is a text, or a part of a text, to which a reader adds facts. Offsets are byte offsets in
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

// placed is a fact with its offset in the file. The offset is ignored if the line of the fact is
// already set.
type placed struct {
	Fact
	at      int
	handled bool // see Doc.Handled
}

// ParentFolders returns the number of parent folders of the file that belong to the subject.
func (d Doc) ParentFolders() int { return d.file.parentFolders }

// Sentences reports whether facts of kind Text are collected.
func (d Doc) Sentences() bool { return d.file.sentences }

// Part returns the part of d in the byte range [start, end).
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

// Within returns a Doc for text, which is a transformed part of d, such as an unquoted, decoded, or
// joined part. All facts of the result get the position of the given byte offset in d. Within
// returns false if the nesting is too deep.
func (d Doc) Within(offset int, text string) (Doc, bool) {
	if !d.fixed {
		d.base += offset
	}
	d.Text, d.fixed, d.depth = text, true, d.depth+1
	return d, d.depth <= maxDepth
}

// Pinned returns a Doc for text. All facts of the Doc get the position pos. Pinned is used if the
// offset of text in the file is unknown.
func (d Doc) Pinned(pos jsondoc.Pos, text string) Doc {
	d.Text, d.fixed, d.pinned = text, true, jsondoc.Pos{Line: max(1, pos.Line), Column: max(1, pos.Column)}
	return d
}

// Handled returns a copy of d for the arguments of a command that does not print the content of
// files, such as chmod(1). Programs are assumed not to read the secrets in the result, unless
// ReadsNames is called.
func (d Doc) Handled() Doc {
	d.handled = true
	return d
}

// ReadsNames records that a command in the file reads file names from another file, and may read
// the files with these names. It cancels the effect of Handled.
func (d Doc) ReadsNames() {
	d.file.namesRead = true
}

// Program records that the whole file is a program.
func (d Doc) Program() { d.file.program = true }

// Fence calls read for a code block in a document. A block that sends data is treated as a separate
// program.
func (d Doc) Fence(read func(Doc)) {
	from, sends := len(d.file.facts), d.file.sends
	d.file.sends = false
	read(d)
	for i := from; d.file.sends && i < len(d.file.facts); i++ {
		d.file.facts[i].InProgram = true
	}
	d.file.sends = d.file.sends || sends
}

// Sends records that the file sends data. Credentials in the file may therefore leak.
func (d Doc) Sends() { d.file.sends = true }

// maxValue is the maximum length in bytes of the value of a fact. Longer values are truncated.
const maxValue = 160

// Add adds a fact at the given byte offset. The fact is identified by its kind, use, and value,
// ignoring the case of the value.
func (d Doc) Add(offset int, kind Kind, use, value string) {
	d.AddKey(offset, kind, use, value, use+"\x00"+strings.ToLower(value))
}

// AddKey adds a fact at the given byte offset. The fact is identified by its kind and key. AddKey
// does nothing if value is "".
func (d Doc) AddKey(offset int, kind Kind, use, value, key string) {
	if value == "" {
		return
	}
	value = plaintext.ClipBytes(value, maxValue)
	if d.fixed {
		offset = 0
	}
	d.file.facts = append(d.file.facts, placed{
		Fact: Fact{Kind: kind, Use: use, Value: value, Path: d.file.path, Line: d.pinned.Line, Column: d.pinned.Column, Key: string(kind) + "\x00" + key},
		at:   d.base + offset, handled: d.handled,
	})
}

// place sets the lines and columns of the facts in a single pass over text, and sorts the facts by
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

// Whole reports whether d is the complete text of its file or field. Line numbers in d are then
// line numbers in the file.
func (d Doc) Whole() bool { return d.base == 0 && !d.fixed }

// Prefixed returns d with prefix inserted at the beginning. All facts of the result get the
// position of the beginning of d.
func (d Doc) Prefixed(prefix string) Doc {
	d.Text, d.fixed = prefix+d.Text, true
	return d
}
