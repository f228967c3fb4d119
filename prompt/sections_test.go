package prompt

import (
	"testing"
	"unicode/utf8"
)

// fillCases have templates and the expected results.
var fillCases = []struct{ name, template, want string }{
	{"nothing", "", ""},
	{"no section", "Hello $name.\n", "Hello Ada.\n"},
	{"no section and no value", "$none\n\nHello\n", "\n\nHello\n"},
	{"kept", "## A\n$text\n", "## A\nsome text\n"},
	{"middle dropped", "## A\n$text\n\n## B\n\n$none\n\n## C\n$text\n", "## A\nsome text\n\n## C\nsome text\n"},
	{"first dropped", "## A\n$none\n\n## B\n$text\n", "## B\nsome text\n"},
	{"last dropped with the blank lines before it", "## A\n$text\n\n\n## B\n$none\n", "## A\nsome text\n"},
	{"last dropped without an end of line", "## A\n$text\n\n## B\n$none", "## A\nsome text"},
	{"last two dropped", "## A\n$text\n\n## B\n$none\n\n## C\n$blank\n", "## A\nsome text\n"},
	{"last dropped after text without heading", "$text\n\n## B\n$none\n", "some text\n"},
	{"all dropped", "## A\n$none\n\n## B\n$blank\n", ""},
	{"blank value", "## A\n$blank\n## B\nx", "## B\nx"},
	{"heading alone in the template", "## A\n## B\nx", "## B\nx"},
	{"heading at the end", "x\n## A", "x"},
	{"plain text is a body", "## A\n(nothing: $none)\n", "## A\n(nothing: )\n"},
	{"unknown placeholder is a body", "## A\n$unknown\n", "## A\n$unknown\n"},
	{"escaped dollar is a body", "## A\n$$\n", "## A\n$\n"},

	{"parent of a child with body", "# P\n\n## A\n$text\n\n## B\n$none\n", "# P\n\n## A\nsome text\n"},
	{"parent of empty children", "# P\n\n## A\n$none\n\n### B\n$none\n\n# Q\nx\n", "# Q\nx\n"},
	{"parent with own body", "# P\n$text\n\n## A\n$none\n\n# Q\nx", "# P\nsome text\n\n# Q\nx"},
	{"grandchild holds both", "# P\n## A\n### B\n$text\n", "# P\n## A\n### B\nsome text\n"},
	{"skipped level", "# P\n#### A\n$text\n## B\n$none\n", "# P\n#### A\nsome text\n"},
	{"child above its parent's level", "### A\n$none\n# P\n$text\n", "# P\nsome text\n"},

	{"headings of values stay", "## A\n$heading\n\n## B\n$none\n", "## A\n# Not ours\n\n## Nor this\n"},
	{"value is a heading alone", "## A\n$heading\n", "## A\n# Not ours\n\n## Nor this\n"},
	{"value's fence hides no heading", "## A\n$open\n\n## B\n$none\n\n## C\nx", "## A\n```\nnever closed\n\n## C\nx"},
	{"values are not scanned again", "## A\n$dollar\n", "## A\n$text\n"},
	{"marks that a value completes are not a heading", "#$none\n\n# $none\nx", "#\n\n# \nx"},
	{"title from a value", "## For $name\n$text\n\n## For $name\n$none\n", "## For Ada\nsome text\n"},
	{"title is not a body", "## $name\n", ""},
	{"further lines of a title are body", "## $two\n\n## B\nx", "## first\nsecond\n\n## B\nx"},

	{"fence", "## A\n```sh\n# comment\n## comment\n```\n## B\n$none\n", "## A\n```sh\n# comment\n## comment\n```\n"},
	{"fence of tildes", "~~~\n# x\n```\n# y\n~~~\n# Z\n", "~~~\n# x\n```\n# y\n~~~\n"},
	{"longer fence", "````\n```\n# x\n````\n# Z\n", "````\n```\n# x\n````\n"},
	{"fence is not closed by text", "```\n``` x\n# y\n```\n# Z", "```\n``` x\n# y\n```"},
	{"fence never closed", "```\n# x\n\n## y\n", "```\n# x\n\n## y\n"},
	{"code span is not a fence", "```a``` b\n# X\n# Y\nz", "```a``` b\n# Y\nz"},
	{"indented by three", "   ```\n# x\n   ```\n   # Z\n", "   ```\n# x\n   ```\n"},
	{"indented by four is not a fence", "    ```\n# X\n# Y\nz", "    ```\n# Y\nz"},

	{"no space behind the marks", "#tag\n\n##\ttab\n$none\n", "#tag\n"},
	{"seven marks", "####### x\n", "####### x\n"},
	{"heading without title", "##\n$text\n##\n$none\n", "##\nsome text\n"},
	{"indented by four is not a heading", "    # x\n", "    # x\n"},
	{"carriage returns", "## A\r\n$none\r\n\r\n## B\r\n$text\r\n\r\n## C\r\n$none\r\n", "## B\r\nsome text\r\n"},

	{"runs in the template", "a\n\n\nb\n\n\n\n\nc\n\nd\ne\n\n\n", "a\n\nb\n\nc\n\nd\ne\n\n"},
	{"runs in a value", "$lines", "one\n\ntwo"},
	{"runs where a value ends", "$ends\n$begins\n$ends", "end\n\nbegin\nend\n\n"},
	{"runs in a fence", "```\na\n\n\nb\n```\n", "```\na\n\nb\n```\n"},
	{"no run: spaces between", "a\n \n \nb", "a\n \n \nb"},
}

func TestFill(t *testing.T) {
	values := map[string]string{
		"text": "some text", "none": "", "blank": " \n\t\n ", "heading": "# Not ours\n\n## Nor this", "open": "```\nnever closed",
		"lines": "one\n\n\n\n\ntwo", "ends": "end\n\n", "begins": "\n\nbegin", "name": "Ada", "two": "first\nsecond", "dollar": "$text",
	}
	for _, c := range fillCases {
		t.Run(c.name, func(t *testing.T) {
			if got, _ := fill(c.template, values, passage{}); got != c.want {
				t.Errorf("%q\n got %q\nwant %q", c.template, got, c.want)
			}
		})
	}
}

// TestKnownPassage fills templates with a known and an unknown passage: the results
// must be the same for any position and line breaks.
func TestKnownPassage(t *testing.T) {
	for _, text := range []string{"", "a", "### Tools\n\n\n\n- one\n\n\n- two…", "\n\n\n\na", "a\n\n\n", "caf\xc3", "\xa9 is cut", "…"} {
		for _, template := range []string{
			"$x", "# A\n\n$x\n\n# B\n\nb\n", "$x$x", "é$x\xa9", "\xc3$x", "\xe2\x80${x}\xa6 and\n\n\n\n$x\n", "# A\n$y\n# B\n$x\n\n\n$y",
		} {
			known := newPassage(text)
			text, chars := fill(template, map[string]string{"x": known.text, "y": ""}, known)
			want, _ := fill(template, map[string]string{"x": known.text, "y": ""}, passage{})
			if count := utf8.RuneCountInString(want); text != want || chars != count {
				t.Errorf("%q in %q: %q with %d characters, not %q with %d", known.text, template, text, chars, want, count)
			}
		}
	}
}
