package spanedit

import (
	"errors"
	"testing"
)

// TestYAMLDirectives checks that YAML 1.2 directives are accepted, that unknown directives are ignored, as in
// yaml-test-suite, and that values have the right positions (C52).
func TestYAMLDirectives(t *testing.T) {
	for _, text := range []string{
		"%YAML 1.2\n---\na: b\n",
		"# a comment\n\n%YAML 1.3\r\n%FOO  bar # ignored\n--- # begins\na: b\n",
		"%YAMLL 1.1\n%YAM 1\n%TAGS\n---\na: b\n",
		"%YAML 1.2\n%TAG ! tag:example.com,2000:\n---\na: b\n",
	} {
		n, err := parseYAML([]byte(text))
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		value := n.Fields[0].Value
		if value.Text != "b" || text[value.Span.From:value.Span.To] != "b" {
			t.Errorf("%q: %q at %v", text, value.Text, value.Span)
		}
	}
	for _, text := range []string{"%YAML 2.0\n---\na: b\n", "a: |\n  x\n%FOO\n"} {
		if _, err := parseYAML([]byte(text)); err == nil {
			t.Errorf("%q is read", text)
		}
	}
}

// TestYAMLErrorsHaveAPlace checks the positions of all errors, including those in the first line and those of
// unterminated values, which are reported at their beginning (C35).
func TestYAMLErrorsHaveAPlace(t *testing.T) {
	for text, want := range map[string]string{
		"a: b: c\n":              ":1:5: mapping values are not allowed in this context",
		"a: [\n":                 ":1:1: did not find expected node content",
		"a: b\nc: [1, 2\n":       ":2:4: did not find expected ',' or ']'",
		"a: b\nc: 'x\nd: e\n\n":  ":2:4: found unexpected end of stream",
		"a: b\n\"c\": \"\\q\"\n": ":2:7: found unknown escape character",
		"a: b\nthe next\nc: d\n": ":2:1: could not find expected ':'",
	} {
		_, err := parseYAML([]byte(text))
		var p Problem
		if !errors.As(err, &p) || p.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// TestYAMLOfOtherWriters parses forms from yaml-test-suite that editors and people produce, and checks the positions
// of the values (C52).
func TestYAMLOfOtherWriters(t *testing.T) {
	for _, test := range []struct{ text, value string }{
		{"a: 1\n\t\nb: x\n", "x"},                           // a line with only a tab
		{" \t\na: 1\nb: x\n", "x"},                          // at the beginning
		{"a: 1\nb:\n \tx\n", "x"},                           // a value after a tab
		{"a:\n-\t1\n-\t\"2\"\nb: x\n", "x"},                 // items after tabs
		{"a: |\n \tindented by a tab\n \t\nb: x\n", "x"},    // in a block scalar
		{"a: {key?: 1, other? : 2}\nb: x\n", "x"},           // question marks
		{"a: {\n  \"c\"\n  : 1, d e\n  f: 2}\nb: x\n", "x"}, // keys across several lines
		{"a: [::one, :two, - , '-x']\nb: x\n", ""},          // refused: "-" alone is no value
		{"a: [::one, :two, -3]\nb: x\n", "x"},
		{"a: {b : !!str, !!str : c}\nb: x\n", "x"},
		{"a: &a-b_c 1\nb: x\n", "x"},
	} {
		n, err := parseYAML([]byte(test.text))
		if (err != nil) != (test.value == "") {
			t.Errorf("%q: %v", test.text, err)
		}
		if err != nil {
			continue
		}
		value := n.Fields[1].Value
		if value.Text != test.value || test.text[value.Span.From:value.Span.To] != test.value {
			t.Errorf("%q: %q at %v", test.text, value.Text, value.Span)
		}
	}
}
