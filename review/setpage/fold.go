// This file abbreviates texts that occur several times in a change set.

package setpage

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"toolcrib/internal/lists"
)

// maxJoined is the maximum length in bytes of a row with several parameters. maxNested is the maximum length in bytes
// of a parameter with its nested parameters on one row.
const (
	maxJoined = 110
	maxNested = 220
)

// listing adds the entries of a tool to the page. An entry that the page already contains, from the same or another
// tool, is replaced by a reference. Parameters without a text share rows.
type listing struct {
	*builder
	tool    int
	entries []entry
	at      map[int][]found // maps the index of an entry to its findings; -1 is for findings about the tool as a whole
	keys    [][32]byte      // hash of each entry and its nested entries
}

// list adds the entries of a tool, each followed by its findings. The keys of findings are indexes of entries.
func (b *builder) list(tool int, entries []entry, findings map[int][]found) {
	l := listing{builder: b, tool: tool, entries: entries, at: findings, keys: make([][32]byte, len(entries))}
	for i, e := range slices.Backward(entries) { // backward, because the hash of an entry depends on its nested entries
		h := sha256.New()
		for _, part := range []string{e.sign, e.label, e.detail, e.text} {
			fmt.Fprintf(h, "%d:%s", len(part), part)
		}
		for k := i + 1; k < l.end(i); k = l.end(k) {
			_, _ = h.Write(l.keys[k][:]) // cannot fail
		}
		l.keys[i] = [32]byte(h.Sum(nil))
	}
	l.addFindings(findings[-1])
	for i := 0; i < len(entries); {
		i = l.row(i)
	}
}

// addFindings adds a row for each of the given findings.
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

// end returns the index of the first entry after entry i that is not nested in entry i.
func (l listing) end(i int) int {
	k := i + 1
	for k < len(l.entries) && l.entries[k].depth > l.entries[i].depth {
		k++
	}
	return k
}

// sameTool is the origin of an entry that already occurs in the same tool.
const sameTool = "above"

// piece is the short form of an entry and its nested entries, which can share a row with other pieces.
type piece struct {
	text  string
	of    string // tool that first contains an entry with this content, or "" if text is the entry itself
	end   int
	finds []found
}

// row adds a row that begins with entry i and contains as many following entries as fit. It returns the index of the
// first entry that is not on the row.
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

// whole adds a row for entry i, which cannot share a row with other entries. As an exception, consecutive paragraphs
// share a row. It returns the index of the next entry.
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

// paragraph reports whether entry i is an unchanged paragraph of a description or a prompt.
func (l listing) paragraph(i int) bool {
	return l.entries[i].label == "" && l.entries[i].sign == "" && l.entries[i].detail == ""
}

// beside reports whether entries i and k can share a row.
func (l listing) beside(i, k int) bool {
	a, b := l.entries[i], l.entries[k]
	return a.label != "" && b.label != "" && a.depth == b.depth && a.sign == b.sign &&
		(order(a.path) == order(b.path) || strings.HasPrefix(b.label, "returns.") && a.depth == 0)
}

// note stores this tool as the origin of entry i. It does nothing if an equal entry already has an origin, or if the
// entry is part of a change.
func (l listing) note(i int) {
	if _, there := l.shown[l.keys[i]]; !there && l.entries[i].sign == "" {
		l.shown[l.keys[i]] = l.tool
	}
}

// minRepeated is the minimum length in bytes of a paragraph that is replaced by a reference if it is repeated.
const minRepeated = 200

// piece returns the short form of entry i and its nested entries. It returns false if the entry has no short form.
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

// origin returns the name of the tool that first showed a text. tool is the index of that tool.
func (l listing) origin(tool int) string {
	switch {
	case tool == l.tool:
		return sameTool
	case tool < 0:
		return "every tool"
	}
	name := l.nameOf(tool)
	for i, d := range l.set.Members {
		if i != tool && Name(d) == name {
			return name + " (" + l.set.Members[tool].Proposal.Handle() + ")"
		}
	}
	return name
}

// inline returns entry i and its nested entries on one line. It returns false if one of these entries has a text or if
// the line would be too long.
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

// line joins pieces on one line. Adjacent pieces that refer to the same tool share the reference.
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

// repeatedNames returns the names of pieces and the reference to their common origin. It returns "" if pieces have no
// common origin.
func repeatedNames(pieces []piece) (names, origin string) {
	origin = pieces[0].of
	if origin == "" || slices.ContainsFunc(pieces, func(p piece) bool { return p.of != origin }) {
		return "", ""
	}
	if origin != sameTool {
		origin = "in " + origin
	}
	return strings.Join(lists.Map(pieces, func(p piece) string { return p.text }), ", "), "as " + origin
}
