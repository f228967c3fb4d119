package clients

import (
	"errors"
	"testing"
)

// TestYAMLDirectives reads documents of YAML 1.2 and ignores directives of others, as
// yaml-test-suite has them, with every value where it stands (C52).
func TestYAMLDirectives(t *testing.T) {
	for _, text := range []string{
		"%YAML 1.2\n---\na: b\n",
		"# a comment\n\n%YAML 1.3\r\n%FOO  bar # ignored\n--- # begins\na: b\n",
		"%YAML 1.2\n%TAG ! tag:example.com,2000:\n---\na: b\n",
	} {
		n, err := parseYAML([]byte(text))
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		value := n.fields[0].value
		if value.text != "b" || text[value.span.from:value.span.to] != "b" {
			t.Errorf("%q: %q at %v", text, value.text, value.span)
		}
	}
	for _, text := range []string{"%YAML 2.0\n---\na: b\n", "a: |\n  x\n%FOO\n"} {
		if _, err := parseYAML([]byte(text)); err == nil {
			t.Errorf("%q is read", text)
		}
	}
}

// TestYAMLErrorsHaveALine names the line of every mistake, the first one as well (C35).
func TestYAMLErrorsHaveALine(t *testing.T) {
	for text, want := range map[string]string{
		"a: b: c\n":        ":1: mapping values are not allowed in this context",
		"a: [\n":           ":1: did not find expected node content",
		"a: b\nc: [1, 2\n": ":2: did not find expected ',' or ']'",
	} {
		_, err := parseYAML([]byte(text))
		var p Problem
		if !errors.As(err, &p) || p.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
