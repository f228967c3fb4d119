// This file leaves parts that change on their own out of the pin of a tool.

package wire

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
)

// mask stands for an excluded text. No JSON that is read contains it.
const mask = "\x00"

// Part is an excluded text in the JSON of a tool.
type Part struct {
	registry.Exclusion
	From, To int    // characters of the field
	Text     string // untrusted
}

// String describes the part and its place for people.
func (p Part) String() string {
	if p.Pattern == "" {
		return fmt.Sprintf("%s, now %s", p.Path, jsondoc.Quote(p.Text))
	}
	return fmt.Sprintf("characters %d–%d of %s, now %s (%s)", p.From+1, p.To, p.Path, jsondoc.Quote(p.Text), p.Exclusion)
}

// Pin returns the hash of the item's JSON without the excluded parts: that which Source.Pin
// has of the approved JSON.
func (it Item) Pin(excluded []registry.Exclusion) string {
	if len(excluded) == 0 {
		return it.Hash()
	}
	n, _ := it.masked(excluded)
	return registry.HashBytes(jsondoc.Canonical(n))
}

// Excluded returns the texts that an exclusion leaves out of the pin.
func (it Item) Excluded(excluded []registry.Exclusion) []Part {
	_, parts := it.masked(excluded)
	return parts
}

// Exclude returns the source of the item's definition with excluded parts.
func (it Item) Exclude(s *registry.Source, excluded []registry.Exclusion) *registry.Source {
	out := *s
	out.Excluded, out.Masked = excluded, ""
	if len(excluded) > 0 {
		out.Masked = it.Pin(excluded)
	}
	return &out
}

// masked returns the item's JSON with a mask in place of each excluded text. Matches that
// touch each other are one text, so that a short pattern cannot exclude a long one.
func (it Item) masked(excluded []registry.Exclusion) (n *jsondoc.Node, parts []Part) {
	n, err := jsondoc.Parse(it.Raw, jsondoc.DefaultLimits)
	if err != nil {
		return it.node, nil
	}
	for _, e := range excluded {
		at := n.Find(e.Path)
		if at == nil {
			continue
		}
		if e.Pattern == "" {
			text := at.Text
			if at.Kind != jsondoc.String {
				text = string(jsondoc.Canonical(at))
			}
			if length := utf8.RuneCountInString(text); length <= registry.MaxExcluded {
				parts = append(parts, Part{e, 0, length, text})
				*at = *jsondoc.NewString(mask)
			}
			continue
		}
		re, err := regexp.Compile(e.Pattern)
		if err != nil || at.Kind != jsondoc.String {
			continue
		}
		var out strings.Builder
		end := 0
		for all := re.FindAllStringIndex(at.Text, -1); len(all) > 0; {
			from, to := all[0][0], all[0][1]
			for all = all[1:]; len(all) > 0 && all[0][0] == to; all = all[1:] {
				to = all[0][1]
			}
			text := at.Text[from:to]
			if length := utf8.RuneCountInString(text); length > 0 && length <= registry.MaxExcluded {
				start := utf8.RuneCountInString(at.Text[:from])
				parts = append(parts, Part{e, start, start + length, text})
				out.WriteString(at.Text[end:from] + mask)
				end = to
			}
		}
		at.Text = out.String() + at.Text[end:]
	}
	return n, parts
}

// Suggestion is a part that differs between two lists of a server and could be excluded.
type Suggestion struct {
	registry.Exclusion
	From, To int // characters of the field in the newer list
}

// Suggest returns the parts to exclude so that two snapshots of a tool have one pin, nil
// when they differ in more than short parts of texts.
func Suggest(before, after []byte) []Suggestion {
	old, err := ReadItem(MCP, before)
	it, err2 := ReadItem(MCP, after)
	if err != nil || err2 != nil {
		return nil
	}
	var found []Suggestion
	var excluded []registry.Exclusion
	it.node.Walk(func(n *jsondoc.Node, path func() string) bool {
		if n.Kind == jsondoc.Object || n.Kind == jsondoc.Array {
			return true
		}
		was := old.node.Find(path())
		if was == nil || was.Text == n.Text && was.Kind == n.Kind {
			return true
		}
		s := Suggestion{Exclusion: registry.Exclusion{Path: path()}, To: utf8.RuneCountInString(n.Text)}
		if n.Kind == jsondoc.String && was.Kind == jsondoc.String && !strings.HasPrefix(s.Path, "_meta") {
			s.narrow(was.Text, n.Text)
		}
		found, excluded = append(found, s), append(excluded, s.Exclusion)
		return true
	})
	source := registry.Source{Type: registry.SourceMCP, Ref: "x#x", Hash: it.Hash(), Excluded: excluded, Masked: it.Hash()}
	if len(found) == 0 || old.Pin(excluded) != it.Pin(excluded) || source.Problems() != nil {
		return nil
	}
	return found
}

// narrow finds the word in which two texts differ, and a pattern for words like it, with the
// text before it so that it matches nothing else.
func (s *Suggestion) narrow(before, after string) {
	a, b := []rune(before), []rune(after)
	from := 0
	for from < min(len(a), len(b)) && a[from] == b[from] {
		from++
	}
	end := 0
	for end < min(len(a), len(b))-from && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	inWord := func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("-_:+.", r)
	}
	for from > 0 && inWord(b[from-1]) {
		from--
	}
	for end > 0 && inWord(b[len(b)-end]) {
		end--
	}
	for len(b)-end > from && strings.ContainsRune(":.+", b[len(b)-end-1]) { // which ends a sentence
		end++
	}
	s.From, s.To = from, len(b)-end
	words, class := string(a[from:max(from, len(a)-end)])+string(b[from:len(b)-end]), ""
	for _, class = range []string{"0-9", "0-9-", "0-9a-f-", "0-9TZ:.+-", "0-9A-Za-z_:.+-"} {
		if regexp.MustCompile("^[" + class + "]*$").MatchString(words) {
			break
		}
	}
	s.Pattern = regexp.QuoteMeta(string(b[max(0, from-20):from])) + "[" + class + "]+"
}
