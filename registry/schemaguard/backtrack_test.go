package schemaguard_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"toolcrib/internal/shortrun"
)

// TestBacktracking uses expressions that only a backtracking engine can run.
func TestBacktracking(t *testing.T) {
	for _, tt := range []struct{ schema, fits, doesNot string }{
		{`{"pattern":"^(?!x)[a-z]+$"}`, `"yx"`, `"xy"`},
		{`{"pattern":"^(?!x)y$"}`, `"y"`, `"y\n"`},
		{`{"pattern":"(?<=a)b"}`, `"ab"`, `"cb"`},
		{`{"pattern":"^(.)\\1$"}`, `"aa"`, `"ab"`},
		{`{"pattern":"^(?=.)\\d$"}`, `"4"`, `"٤"`},
		{`{"pattern":"^\\u{e9}$"}`, `"é"`, `"e"`},
		{`{"not":{"pattern":"^(?!x)"}}`, `"x"`, `"y"`},
		{`{"patternProperties":{"^(?!x)":{"type":"string"}},"additionalProperties":false}`, `{"y":"z"}`, `{"x":"z"}`},
		{`{"patternProperties":{"^(?!x)":{"type":"string"}},"additionalProperties":false}`, `{}`, `{"y":1}`},
		{`{"propertyNames":{"pattern":"^(?!x)"}}`, `{"y":1}`, `{"x":1}`},
	} {
		s := compile(t, tt.schema)
		if err := s.Validate(parse(t, tt.fits)); err != nil {
			t.Errorf("%s: %s: %v", tt.schema, tt.fits, err)
		}
		if err := s.Validate(parse(t, tt.doesNot)); err == nil {
			t.Errorf("%s accepts %s", tt.schema, tt.doesNot)
		}
		if ps := s.Unrun; ps != nil {
			t.Errorf("%s: %v", tt.schema, ps)
		}
	}
}

// TestFailedMatchIsRefused checks that a value is rejected if an expression cannot be
// matched, because its syntax is unsupported, it takes too long, or the text is too
// long. That holds even if the schema accepts values that do not match.
func TestFailedMatchIsRefused(t *testing.T) {
	shortrun.OneGoroutine(t)
	endless := `"` + strings.Repeat("a", 5_000) + `!"`
	for _, tt := range []struct{ schema, value, says string }{
		{`{"pattern":"(?=a"}`, `"a"`, `the regular expression "(?=a" has an unsupported syntax, so the value cannot be checked`},
		{`{"not":{"pattern":"(?=a"}}`, `"a"`, "has an unsupported syntax"},
		{`{"anyOf":[{"pattern":"(?=a"},{"type":"string"}]}`, `"a"`, "has an unsupported syntax"},
		{`{"if":{"type":"string","pattern":"(?=a"},"then":false}`, `"a"`, "has an unsupported syntax"},
		{`{"patternProperties":{"(?=a":true}}`, `{"b":1}`, "has an unsupported syntax"},
		{`{"pattern":"^(?=a)(a+)+$"}`, endless, "takes too long"},
		{`{"not":{"pattern":"^(?=a)(a+)+$"}}`, endless, "takes too long"},
		{`{"items":{"not":{"pattern":"^(?=a)(a+)+$"}}}`, `[` + strings.Repeat(endless+",", 100) + `"a"]`, "takes too long"},
		{`{"pattern":"^(?:(a)|(b))*$"}`, `"` + strings.Repeat("ab", 1_000_000) + `"`, "so the value cannot be checked"},
	} {
		s := compile(t, tt.schema)
		if err := s.Validate(parse(t, tt.value)); err == nil || !strings.Contains(err.Error(), tt.says) || len(err.Error()) > 500 {
			t.Errorf("%s: %.500v; want %s", tt.schema, err, tt.says)
		}
		if err := s.Validate(parse(t, `7`)); err != nil && !strings.HasPrefix(tt.schema, `{"not"`) {
			t.Errorf("%s refuses a value without a match: %v", tt.schema, err)
		}
	}
}

// TestUnrun checks that unsupported expressions are listed.
func TestUnrun(t *testing.T) {
	s := compile(t, `{"type":"object","properties":{"a":{"pattern":"(?=a"},"b":{"pattern":"(?=a)"},"c":{"pattern":"a"}},"patternProperties":{"a{2,1}":{}}}`)
	var got []string
	for _, p := range s.Unrun {
		got = append(got, p.String())
	}
	want := `patternProperties["a{2,1}"] (line 1, column 130): the regular expression has an unsupported syntax` + "\n" +
		"properties.a.pattern (line 1, column 47): the regular expression has an unsupported syntax"
	if strings.Join(got, "\n") != want {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), want)
	}
}

// TestBacktrackingAtOnce runs concurrent validations of one schema.
func TestBacktrackingAtOnce(t *testing.T) {
	s := compile(t, `{"pattern":"^(?!x)"}`)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for range 100 {
				text := []string{"x", "y"}[i%2]
				if err := s.Validate(parse(t, fmt.Sprintf("%q", text))); (err == nil) != (text == "y") {
					t.Errorf("%s: %v", text, err)
				}
			}
		})
	}
	wg.Wait()
}
