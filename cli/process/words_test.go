package process

import (
	"slices"
	"testing"
)

// TestWords splits lines as a shell does, but without expanding or running anything.
func TestWords(t *testing.T) {
	t.Setenv("TOOLCRIB_WORD", "expanded")
	for _, c := range []struct {
		line string
		want []string // nil if there is an error
	}{
		{"", []string{}},
		{"  show\t7 ", []string{"show", "7"}},
		{`reject 17 --note "" --json`, []string{"reject", "17", "--note", "", "--json"}},
		{`reject 17 --note '' --json`, []string{"reject", "17", "--note", "", "--json"}},
		{`reject 17 --note ""`, []string{"reject", "17", "--note", ""}},
		{`--note=""`, []string{"--note="}},
		{`""''`, []string{""}},
		{`"two words" a\ b 'it''s' "say \"so\""`, []string{"two words", "a b", "its", `say "so"`}},
		{"$TOOLCRIB_WORD ${TOOLCRIB_WORD} ~ *", []string{"$TOOLCRIB_WORD", "${TOOLCRIB_WORD}", "~", "*"}},
		{"`id` $(id) (a) \"`id`\" '$(id)'", []string{"`id`", "$(id)", "(a)", "`id`", "$(id)"}},
		{"a; b & c | d > e < f #1", []string{"a;", "b", "&", "c", "|", "d", ">", "e", "<", "f", "#1"}},
		{`--note "open`, nil},
		{`--note 'open`, nil},
		{`open\`, nil},
	} {
		got, err := Words(c.line)
		if !slices.Equal(got, c.want) || (err == nil) != (c.want != nil) {
			t.Errorf("Words(%q) = %q, %v; want %q", c.line, got, err, c.want)
		}
	}
}
