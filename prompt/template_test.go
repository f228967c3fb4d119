package prompt

import (
	"slices"
	"strings"
	"testing"
)

func TestUses(t *testing.T) {
	const template = "$$x $identity ${soul} $1 ${a ${_b} ä$C"
	got := Uses(template)
	want := []Use{{"identity", 4, 9}, {"soul", 14, 7}, {"_b", 29, 5}, {"C", 37, 2}}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	for _, u := range got {
		if text := template[u.Offset : u.Offset+u.Len]; strings.Trim(text, "${}") != u.Name {
			t.Errorf("%v is at %q", u, text)
		}
	}
}

func FuzzFill(f *testing.F) {
	for _, s := range append(hostile, "# A\n\n## B\n$empty\n## C\n", "```\n# x\n```\n", "a\n\n\n\nb", "## A\n\n## B\n\n", "x\n## A\n~~~\n# y") {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, template string) {
		filled, _ := fill(template, pythonValues, passage{})
		if strings.Contains(filled, "\n\n\n") {
			t.Errorf("%q has a run of newlines: %q", template, filled)
		}
		for _, u := range Uses(template) {
			if _, n := placeholder(template[u.Offset:]); n != u.Len {
				t.Errorf("%q: %v has %d bytes", template, u, n)
			}
		}
		if strings.Contains(template, "$$") {
			return // "$$" becomes "$", which is not the same again
		}
		if plain := substitute(template, nil); plain != template {
			t.Errorf("%q without values is %q", template, plain)
		}
		once, _ := fill(template, nil, passage{})
		if twice, _ := fill(once, nil, passage{}); twice != once {
			t.Errorf("%q is filled as %q, and that as %q", template, once, twice)
		}
	})
}
