package filter_test

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"toolcrib/proposals/facts"
	"toolcrib/proposals/filter"
)

// written formats terms in one line: alternatives one after another, negated ones
// with a minus.
func written(f filter.Filter) string {
	var terms []string
	for _, t := range f.Terms {
		var atoms []string
		for _, a := range t.Any {
			atoms = append(atoms, strings.TrimRight(fmt.Sprintf("%d=%s", a.Is, a.Value), "="))
		}
		term := strings.Join(atoms, "|")
		if t.Not {
			term = "-" + term
		}
		terms = append(terms, term)
	}
	return strings.Join(terms, " & ")
}

func atom(p facts.Property, value string) string {
	return strings.TrimRight(fmt.Sprintf("%d=%s", p, value), "=")
}

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"":                         "",
		" \t\n ":                   "",
		"scene pacer":              atom(facts.Text, "scene") + " & " + atom(facts.Text, "pacer"),
		`"scene pacer"`:            atom(facts.Text, "scene pacer"),
		`-"a \"b\" \\"`:            "-" + atom(facts.Text, `a "b" \`),
		"#17":                      atom(facts.Number, "17"),
		"-#17":                     "-" + atom(facts.Number, "17"),
		"17":                       atom(facts.Text, "17") + "|" + atom(facts.Number, "17"),
		"017":                      atom(facts.Text, "017"),
		"01a2029f-bed":             atom(facts.Text, "01a2029f-bed") + "|" + atom(facts.ID, "01a2029f-bed"),
		"01A2029F":                 atom(facts.Text, "01A2029F") + "|" + atom(facts.ID, "01a2029f"),
		"decade":                   atom(facts.Text, "decade"),
		"s104":                     atom(facts.Text, "s104") + "|" + atom(facts.Rule, "S104"),
		"state:draft":              atom(facts.State, "draft"),
		"State:user-review":        atom(facts.State, "user_review"),
		"state:rejected,withdrawn": atom(facts.State, "rejected") + "|" + atom(facts.State, "withdrawn"),
		"-state:closed":            "-" + atom(facts.State, "approved") + "|" + atom(facts.State, "rejected") + "|" + atom(facts.State, "withdrawn"),
		"type:modify":              atom(facts.Type, "modify"),
		"author:mara":              atom(facts.Author, "user:mara") + "|" + atom(facts.Author, "agent:mara") + "|" + atom(facts.Author, "chief:mara"),
		"author:system":            atom(facts.Author, "user:system") + "|" + atom(facts.Author, "agent:system") + "|" + atom(facts.Author, "chief:system") + "|" + atom(facts.Author, "system"),
		"author:agent:":            atom(facts.AuthorKind, "agent:"),
		"author:user:mara":         atom(facts.Author, "user:mara"),
		"user:mara":                atom(facts.Author, "user:mara"),
		"chief:":                   atom(facts.AuthorKind, "chief:"),
		"agent:scout":              atom(facts.Author, "agent:scout") + "|" + atom(facts.SubjectID, "agent:scout"),
		"agent:":                   atom(facts.AuthorKind, "agent:") + "|" + atom(facts.Kind, "agent"),
		"tool:pacer":               atom(facts.SubjectID, "tool:pacer"),
		"tool:user/pacer":          atom(facts.Subject, "tool:user/pacer"),
		"tool:":                    atom(facts.Kind, "tool"),
		"list:global/x":            atom(facts.Subject, "list:global/x"),
		`set:"night shift",b`:      atom(facts.Set, "night shift") + "|" + atom(facts.Set, "b"),
		"layer:project":            atom(facts.Layer, "project/"),
		"layer:project/a":          atom(facts.Layer, "project/a"),
		"rule:s104":                atom(facts.Rule, "S104"),
		"stale -blocked":           atom(facts.Stale, "") + " & -" + atom(facts.Blocked, ""),
		"waits:ada,user:bob":       atom(facts.Waits, "user:ada") + "|" + atom(facts.Waits, "user:bob"),
		`"stale"`:                  atom(facts.Text, "stale"),
		"- --x":                    atom(facts.Text, "-") + " & -" + atom(facts.Text, "-x"),
		`a"b c"d`:                  atom(facts.Text, "a") + " & " + atom(facts.Text, "b c") + " & " + atom(facts.Text, "d"),
	} {
		f, err := filter.Parse(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
		} else if got := written(f); got != want {
			t.Errorf("%q was parsed as %s; want %s", text, got, want)
		}
	}
}

func TestErrorsHaveColumns(t *testing.T) {
	for text, want := range map[string]string{
		"a stat:draft":  `filter, column 3: unknown "stat:": use agent:, author:, chief:, instructions:, layer:, list:, reach:, rule:, set:, skill:, state:, tool:, type:, user:, waits:, or quote the text`,
		"-foo:x":        `filter, column 2: unknown "foo:"`,
		"état state:no": `filter, column 12: unknown state "no": use draft, chief_review, user_review, needs_changes, approved, rejected, withdrawn, open, or closed`,
		"state:":        `filter, column 7: "state:" needs a value: draft,`,
		"state:draft,":  `filter, column 13: "state:" needs a value`,
		"type:change":   `filter, column 6: unknown type "change": use new, modify, deactivate, reactivate, or restore`,
		"author:":       `filter, column 8: "author:" needs a value: a name, user:NAME`,
		"author:bot:x":  `filter, column 8: unknown kind of actor "bot:"`,
		"layer:moon":    `filter, column 7: unknown layer "moon": use global, user, project, or project/NAME`,
		"rule:wording":  `filter, column 6: "wording" is not the id of a rule`,
		"waits:agent:x": `filter, column 7: "agent:x" cannot approve: use the name of a user`,
		"#":             `filter, column 1: expected a number after "#", such as #17; quote "#" to search for the text`,
		"#0":            `filter, column 1: expected a number after "#"`,
		"x #1a":         `filter, column 3: expected a number after "#"`,
		`a "b`:          `filter, column 3: missing closing quotation mark`,
		`""`:            `filter, column 1: missing text between the quotation marks`,
		`"a\b"`:         `filter, column 3: inside quotation marks, use \\ for a backslash`,
		"a\xff":         `filter, column 1: not valid UTF-8`,
		"https://x":     `filter, column 1: unknown "https:"`,
		strings.Repeat("a ", filter.MaxTerms) + "b":           `filter, column 65: more than 32 terms`,
		"set:" + strings.Repeat("a,", filter.MaxValues) + "b": `filter, column 37: more than 16 values`,
	} {
		_, err := filter.Parse(text)
		if err == nil || !strings.HasPrefix(err.Error(), want) || !errors.Is(err, filter.ErrSyntax) {
			t.Errorf("%q: %v; want %s", text, err, want)
		}
	}
}

func TestSuggest(t *testing.T) {
	known := filter.Vocabulary{
		"author": {"user:mara", "agent:scout", "agent:scout", "user:ada"}, "user": {"mara", "ada"}, "agent": {"scout", "assistant", "scout"},
		"set": {"night shift"}, "layer": {"global", "user"}, "rule": {"S104", "S109", "T100"}, "tool": {"pacer"},
	}
	for text, want := range map[string][]string{
		"":                nil,
		"scene ":          nil,
		"st":              {"state:", "stale"},
		"x -bl":           {"x -blocked"},
		"state:u":         {"state:user_review"},
		"state:draft,rej": {"state:draft,rejected"},
		"rule:s10":        {"rule:S104", "rule:S109"},
		"author:user:":    {"author:user:ada", "author:user:mara"},
		"agent:":          {"agent:assistant", "agent:scout"},
		"set:n":           {`set:"night shift"`},
		"layer:global":    nil,
		`"st`:             nil,
		"tool:p":          {"tool:pacer"},
		"nothing:x":       nil,
		"user:m":          {"user:mara"},
	} {
		if got := filter.Suggest(text, known); !slices.Equal(got, want) {
			t.Errorf("%q suggests %q; want %q", text, got, want)
		}
	}
	for _, text := range []string{"st", "state:u", "rule:s", "set:n", "agent:"} {
		for _, s := range filter.Suggest(text, known) {
			if _, err := filter.Parse(s); err != nil && !strings.HasSuffix(s, ":") {
				t.Errorf("the suggestion %q was refused: %v", s, err)
			}
		}
	}
}

// FuzzParse checks that nothing panics, that mistakes are inside the text, and that
// parsed filters survive formatting and parsing.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"", `a "b c" -state:draft,open #17 rule:S1`, `set:"x\"",y agent:`, "\xff", "état:", `-"`, "- -- ,:", "state:\u202edraft", `author:"user:a b"`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		read, err := filter.Parse(text)
		if err != nil {
			var mistake *filter.Error
			if !errors.As(err, &mistake) || mistake.Column < 1 || mistake.Column > len([]rune(text))+1 {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		if twice, err := filter.Parse(filter.Join(text, text)); err == nil && !reflect.DeepEqual(twice.Terms, slices.Concat(read.Terms, read.Terms)) {
			t.Fatalf("%q was parsed as %v, and then as %v", text, read, twice)
		}
		filter.Suggest(text, filter.Vocabulary{"author": {"user:a"}})
		quoted, err := filter.Parse(filter.Quote(text))
		if text != "" && (err != nil || len(quoted.Terms) != 1 || !reflect.DeepEqual(quoted.Terms[0].Any, []facts.Atom{{Is: facts.Text, Value: text}})) {
			t.Fatalf("quoted %q was parsed as %v, %v", text, quoted, err)
		}
	})
}
