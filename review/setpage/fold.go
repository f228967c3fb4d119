// This file folds texts that several members of a change set have in common.

package setpage

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"toolcrib/internal/lists"
)

// joined is the maximum length of a row of short parameters, and nested that of a parameter including nested ones, both
// in bytes.
const (
	maxJoined = 110
	maxNested = 220
)

// listing adds the entries of a tool to a page. It abbreviates entries that the page already contains, from this or
// another tool, and puts parameters without a text on a common row.
type listing struct {
	*builder
	tool    int
	entries []entry
	at      map[int][]found // findings by entry; -1 for those of the tool
	keys    [][32]byte      // hashes of the entries, including nested ones
}

// list adds the texts of a tool, each with its findings.
func (b *builder) list(tool int, entries []entry, at map[int][]found) {
	l := listing{builder: b, tool: tool, entries: entries, at: at, keys: make([][32]byte, len(entries))}
	for i, e := range slices.Backward(entries) { // nested entries first
		h := sha256.New()
		for _, part := range []string{e.sign, e.label, e.detail, e.text} {
			fmt.Fprintf(h, "%d:%s", len(part), part)
		}
		for k := i + 1; k < l.end(i); k = l.end(k) {
			_, _ = h.Write(l.keys[k][:]) // cannot fail
		}
		l.keys[i] = [32]byte(h.Sum(nil))
	}
	l.addFindings(at[-1])
	for i := 0; i < len(entries); {
		i = l.row(i)
	}
}

// addFindings adds the findings of an entry.
func (l listing) addFindings(list []found) {
	for _, f := range list {
		more := ""
		if f.times > 1 {
			more = fmt.Sprintf(" (%d times)", f.times)
		}
		row := l.finding(f.Standing, f.Message+more, !l.remedied[remedyOf(f.Standing)])
		row.Tool = l.tool
		l.add(row)
	}
}

// end returns the index of the first entry after i that is not nested in it.
func (l listing) end(i int) int {
	k := i + 1
	for k < len(l.entries) && l.entries[k].depth > l.entries[i].depth {
		k++
	}
	return k
}

// sameTool is the origin of an entry that the same tool already contains.
const sameTool = "above"

// piece is an entry with its nested entries, if they are short enough to share a row.
type piece struct {
	text  string
	of    string // first entry with this content; text is then its name
	end   int
	finds []found
}

// row adds a row for the entry at i and subsequent entries that fit on it, and returns the index of the first entry
// that does not.
func (l listing) row(i int) int {
	first, ok := l.piece(i)
	if !ok {
		return l.whole(i)
	}
	row := Row{Kind: Text, Tool: l.tool, Depth: l.entries[i].depth, Sign: l.entries[i].sign}
	pieces := []piece{first}
	for next := first.end; len(pieces[len(pieces)-1].finds) == 0 && next < len(l.entries) && l.beside(i, next); next = pieces[len(pieces)-1].end {
		p, ok := l.piece(next)
		if !ok {
			break
		}
		if last := l.entries[pieces[len(pieces)-1].end-1]; strings.HasPrefix(last.name, "returns.") {
			p.text = strings.TrimPrefix(p.text, "returns.")
		}
		if len(line(append(pieces, p))) > maxJoined {
			break
		}
		pieces = append(pieces, p)
	}
	last := pieces[len(pieces)-1]
	switch names, of := repeatedNames(pieces); {
	case of != "":
		row.Name, row.Detail = names, of
	case len(pieces) == 1 && last.end == i+1:
		row = l.entries[i].row(l.tool)
	default:
		row.Text = line(pieces)
	}
	l.add(row)
	l.addFindings(last.finds)
	for k := i; k < last.end; k++ {
		if _, there := l.shown[l.keys[k]]; !there {
			l.note(k)
		}
	}
	return last.end
}

// maxParagraphs is the maximum length of a row of paragraphs, in bytes. Longer rows are hard to read.
const maxParagraphs = 1000

// whole adds a row for an entry with a text, or for consecutive paragraphs, and returns the index of the next entry.
func (l listing) whole(i int) int {
	row, next := l.entries[i].row(l.tool), i+1
	for l.note(i); l.paragraph(i) && len(l.at[next-1]) == 0 && next < len(l.entries) && l.paragraph(next) && l.entries[next].path == l.entries[i].path; next++ {
		if _, repeated := l.piece(next); repeated || len(row.Text)+len(l.entries[next].text) > maxParagraphs {
			break
		}
		row.Text += " ¶ " + l.entries[next].text
		l.note(next)
	}
	l.add(row)
	l.addFindings(l.at[next-1])
	return next
}

// paragraph reports whether an entry is a paragraph of a text in the imported JSON.
func (l listing) paragraph(i int) bool {
	return l.entries[i].label == "" && l.entries[i].sign == "" && l.entries[i].detail == ""
}

// beside reports whether two entries may share a row.
func (l listing) beside(i, k int) bool {
	a, b := l.entries[i], l.entries[k]
	return a.label != "" && b.label != "" && a.depth == b.depth && a.sign == b.sign &&
		(order(a.path) == order(b.path) || strings.HasPrefix(b.label, "returns.") && a.depth == 0)
}

// note records that the page contains an entry.
func (l listing) note(i int) {
	if _, there := l.shown[l.keys[i]]; !there && l.entries[i].sign == "" {
		l.shown[l.keys[i]] = l.tool
	}
}

// minRepeated is the minimum length, in bytes, of a paragraph that is shown only once if it is repeated.
const minRepeated = 200

// piece returns the short form of an entry with its nested entries, if it has one.
func (l listing) piece(i int) (piece, bool) {
	e, p := l.entries[i], piece{end: l.end(i)}
	for k := i; k < p.end; k++ {
		p.finds = append(p.finds, l.at[k]...)
	}
	text, short := l.inline(i)
	if of, there := l.shown[l.keys[i]]; there && e.sign == "" {
		switch {
		case e.label == "" && len(e.text) >= minRepeated:
			begin := e.text
			if r := []rune(begin); len(r) > 60 {
				begin = string(r[:60]) + "…"
			}
			p.text, p.of = "“"+begin+"”", l.origin(of)
			return p, true
		case e.label != "" && (!short || len(text) > maxJoined/2):
			p.text, p.of = e.label, l.origin(of)
			return p, true
		}
	}
	if !short || len(text) > maxNested || len(p.finds) > 0 && p.end > i+1 {
		return piece{}, false
	}
	p.text = text
	return p, true
}

// origin returns the name of the tool in which a text was first shown.
func (l listing) origin(of int) string {
	switch {
	case of == l.tool:
		return sameTool
	case of < 0:
		return "every tool"
	}
	name := l.nameOf(of)
	for i, d := range l.set.Members {
		if i != of && Name(d) == name {
			return name + " (" + l.set.Members[of].Proposal.Handle() + ")"
		}
	}
	return name
}

// inline returns an entry and its nested entries on one line. ok is false if any of them has a text.
func (l listing) inline(i int) (string, bool) {
	e := l.entries[i]
	if e.text != "" || e.label == "" {
		return "", false
	}
	text, size := strings.TrimRight(e.label+" "+e.detail, " "), 0
	var inside []string
	for k := i + 1; k < l.end(i); k = l.end(k) {
		t, ok := l.inline(k)
		if size += len(t); !ok || size > maxNested {
			return "", false
		}
		inside = append(inside, t)
	}
	if len(inside) == 0 {
		return text, true
	}
	if e.detail == "object" || strings.HasSuffix(e.detail, " object") {
		text = strings.TrimSuffix(text, "object")
	} else {
		text += " "
	}
	return text + "{" + strings.Join(inside, " · ") + "}", true
}

// line returns pieces on one line. It groups adjacent names with the same origin.
func line(pieces []piece) string {
	var parts []string
	for i := 0; i < len(pieces); {
		k := i + 1
		for pieces[i].of != "" && k < len(pieces) && pieces[k].of == pieces[i].of {
			k++
		}
		if names, of := repeatedNames(pieces[i:k]); of != "" {
			parts = append(parts, names+" "+of)
		} else {
			parts = append(parts, pieces[i].text)
		}
		i = k
	}
	return strings.Join(parts, " · ")
}

// repeatedNames returns the names of pieces and their common origin, or "" if they have none.
func repeatedNames(pieces []piece) (names, of string) {
	of = pieces[0].of
	if of == "" || slices.ContainsFunc(pieces, func(p piece) bool { return p.of != of }) {
		return "", ""
	}
	if of != sameTool {
		of = "in " + of
	}
	return strings.Join(lists.Map(pieces, func(p piece) string { return p.text }), ", "), "as " + of
}
