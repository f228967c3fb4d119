package diff_test

import (
	"strings"
	"testing"
)

// slides have changes with several possible positions.
var slides = []struct {
	name     string
	old, new []string
	want     []string
}{
	{
		"a section is inserted whole",
		[]string{"## Goals", "", "Name them.", "", "## Guardrails", "", "None."},
		[]string{"## Goals", "", "Name them.", "", "## Evidence", "", "Cite.", "", "## Guardrails", "", "None."},
		[]string{" ## Goals", " ", " Name them.", " ", "+## Evidence", "+", "+Cite.", "+", " ## Guardrails", " ", " None."},
	},
	{
		"the last section is inserted whole",
		[]string{"## Goals", "", "Name them."},
		[]string{"## Goals", "", "Name them.", "", "## Evidence", "", "Cite."},
		[]string{" ## Goals", " ", " Name them.", "+", "+## Evidence", "+", "+Cite."},
	},
	{
		"a section is taken out whole",
		[]string{"## A", "text", "", "## B", "text", "", "## C", "text", ""},
		[]string{"## A", "text", "", "## C", "text", ""},
		[]string{" ## A", " text", " ", "-## B", "-text", "-", " ## C", " text", " "},
	},
	{
		"a block of code is inserted whole",
		[]string{"for x {", "  a()", "}", "", "for z {", "  c()", "}"},
		[]string{"for x {", "  a()", "}", "", "for y {", "  b()", "}", "", "for z {", "  c()", "}"},
		[]string{" for x {", "   a()", " }", " ", "+for y {", "+  b()", "+}", "+", " for z {", "   c()", " }"},
	},
	{
		"an object in a list",
		[]string{"[", "  {", "    one", "  },", "  {", "    three", "  }", "]"},
		[]string{"[", "  {", "    one", "  },", "  {", "    two", "  },", "  {", "    three", "  }", "]"},
		[]string{" [", "   {", "     one", "   },", "+  {", "+    two", "+  },", "   {", "     three", "   }", " ]"},
	},
	{
		"one more of the same",
		[]string{"- a", "- a", "- b"},
		[]string{"- a", "- a", "- a", "- b"},
		[]string{" - a", " - a", "+- a", " - b"},
	},
	{
		"a blank line goes with the paragraph it follows",
		[]string{"one", "", "three"},
		[]string{"one", "", "two", "", "three"},
		[]string{" one", " ", "+two", "+", " three"},
	},
	{
		"a rewritten paragraph between blank lines keeps them",
		[]string{"one", "", "Old words here.", "", "three"},
		[]string{"one", "", "New text there.", "", "three"},
		[]string{" one", " ", "-Old words here.", "+New text there.", " ", " three"},
	},
	{
		"a moved rule",
		[]string{"intro", "- rule one", "- rule two", "- rule three", "outro"},
		[]string{"intro", "- rule two", "- rule three", "- rule one", "outro"},
		[]string{" intro", "-- rule one", " - rule two", " - rule three", "+- rule one", " outro"},
	},
	{
		"a line that stays keeps two changes apart",
		[]string{"a", "x", "a", "b"},
		[]string{"a", "a", "y", "b"},
		[]string{" a", "-x", " a", "+y", " b"},
	},
}

// TestSlides checks the positions of such changes.
func TestSlides(t *testing.T) {
	for _, tt := range slides {
		t.Run(tt.name, func(t *testing.T) {
			p := valid(t, join(tt.old), join(tt.new))
			var got []string
			for _, l := range p.Unified(-1)[0].Lines {
				got = append(got, " -+"[l.Kind:l.Kind+1]+l.Text)
			}
			if a, b := strings.Join(got, "\n"), strings.Join(tt.want, "\n"); a != b {
				t.Errorf("got\n%s\nwant\n%s", a, b)
			}
		})
	}
}
