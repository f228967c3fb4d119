package schemaguard_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"toolcrib/internal/shortrun"
)

// TestBacktracking matches expressions that only a backtracking engine can run.
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
			t.Errorf("%s takes %s", tt.schema, tt.doesNot)
		}
		if ps := s.Unrun; ps != nil {
			t.Errorf("%s: %v", tt.schema, ps)
		}
	}
}

// TestNoAnswerIsNoYes refuses a value that an expression would have to judge
// and cannot: because nothing runs it, it takes too long, or the text is too
// long for it. That holds where the schema takes a no for a yes, too.
func TestNoAnswerIsNoYes(t *testing.T) {
	shortrun.OneGoroutine(t)
	endless := `"` + strings.Repeat("a", 5_000) + `!"`
	for _, tt := range []struct{ schema, value, says string }{
		{`{"pattern":"(?=a"}`, `"a"`, `the regular expression "(?=a" cannot be run, so the value is not checked`},
		{`{"not":{"pattern":"(?=a"}}`, `"a"`, "cannot be run"},
		{`{"anyOf":[{"pattern":"(?=a"},{"type":"string"}]}`, `"a"`, "cannot be run"},
		{`{"if":{"type":"string","pattern":"(?=a"},"then":false}`, `"a"`, "cannot be run"},
		{`{"patternProperties":{"(?=a":true}}`, `{"b":1}`, "cannot be run"},
		{`{"pattern":"^(?=a)(a+)+$"}`, endless, "takes too long"},
		{`{"not":{"pattern":"^(?=a)(a+)+$"}}`, endless, "takes too long"},
		{`{"items":{"not":{"pattern":"^(?=a)(a+)+$"}}}`, `[` + strings.Repeat(endless+",", 100) + `"a"]`, "takes too long"},
		{`{"pattern":"^(?:(a)|(b))*$"}`, `"` + strings.Repeat("ab", 1_000_000) + `"`, "so the value is not checked"},
	} {
		s := compile(t, tt.schema)
		if err := s.Validate(parse(t, tt.value)); err == nil || !strings.Contains(err.Error(), tt.says) || len(err.Error()) > 500 {
			t.Errorf("%s: %.500v; want %s", tt.schema, err, tt.says)
		}
		if err := s.Validate(parse(t, `7`)); err != nil && !strings.HasPrefix(tt.schema, `{"not"`) {
			t.Errorf("%s refuses what no expression has to judge: %v", tt.schema, err)
		}
	}
}

// TestUnrun names the expressions that nothing runs.
func TestUnrun(t *testing.T) {
	s := compile(t, `{"type":"object","properties":{"a":{"pattern":"(?=a"},"b":{"pattern":"(?=a)"},"c":{"pattern":"a"}},"patternProperties":{"a{2,1}":{}}}`)
	var got []string
	for _, p := range s.Unrun {
		got = append(got, p.String())
	}
	want := `patternProperties["a{2,1}"] (line 1, column 130): the regular expression cannot be run` + "\n" +
		"properties.a.pattern (line 1, column 47): the regular expression cannot be run"
	if strings.Join(got, "\n") != want {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), want)
	}
}

// TestBacktrackingAtOnce gives each of several validations of one schema its
// own answer.
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
