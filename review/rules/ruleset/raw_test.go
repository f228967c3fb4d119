package ruleset

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode"

	"toolcrib/internal/shortrun"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review/rules"
	"toolcrib/review/rules/rulestest"
)

// unseen are characters that messages must not contain in raw form.
var unseen = []string{"\u202e", "\u200b", "\x1b[8m", "\U000e0041", "\u2066", "\u00ad", "\ufeff", "\u0007", "\ue000"}

// TestMessagesHoldNothingRaw inserts invisible characters into every string of every rule's
// examples, including names and keys in schemas, and checks that no message or suggestion of any
// rule contains them.
func TestMessagesHoldNothingRaw(t *testing.T) {
	shortrun.OneGoroutine(t)
	checked, n := 0, 0
	for _, r := range everyRule() {
		for _, e := range []rulestest.Example{r.bad, r.good} {
			for _, mark := range unseen {
				d, ok := marked(t, e.Draft, mark)
				if n++; !ok || n%shortrun.Every(4) != 0 {
					continue
				}
				c := &rules.Change{Draft: d, World: rules.Memory(e.Live), Prompts: e.Prompts}
				for _, rule := range everyRule() {
					found, err := rule.Check(t.Context(), c)
					if err != nil {
						t.Fatalf("%s: %v", rule.ID, err)
					}
					for _, f := range found {
						checked++
						for _, text := range []string{f.Message, f.Suggestion} {
							if i := strings.IndexFunc(text, raw); i >= 0 {
								t.Errorf("%s on the example of %s: %+q", rule.ID, r.ID, text)
							}
						}
					}
				}
			}
		}
	}
	if checked == 0 {
		t.Fatal("no rule found anything")
	}
	t.Logf("%d findings", checked)
}

// raw reports whether r must not be displayed in raw form.
func raw(r rune) bool {
	return r != '\n' && !unicode.IsPrint(r) || unicode.In(r, unicode.Cf, unicode.Co)
}

// marked returns d with mark in the middle of every string of its definition and of the texts for
// reviewers. It returns false if the result is not a valid proposal.
func marked(t *testing.T, d proposals.Draft, mark string) (proposals.Draft, bool) {
	t.Helper()
	if tool := d.Definition.Tool; tool != nil {
		d.Definition.Tool = markedAs(t, *tool, mark)
	}
	if agent := d.Definition.Agent; agent != nil {
		d.Definition.Agent = markedAs(t, *agent, mark)
	}
	if d.Definition.Tool == nil && d.Definition.Agent == nil {
		return d, false
	}
	d.Rationale = inserted(d.Rationale, mark)
	d.Subject.ID = inserted(d.Subject.ID, mark)
	examples := make([]string, len(d.Examples))
	for i, e := range d.Examples {
		examples[i] = inserted(e, mark)
	}
	d.Examples = examples
	return d, true
}

func markedAs[T registry.Tool | registry.Agent](t *testing.T, v T, mark string) *T {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var tree map[string]any
	if err := json.Unmarshal(text, &tree); err != nil {
		t.Fatal(err)
	}
	kind := tree["kind"]
	changed, ok := walked(tree, mark, true).(map[string]any)
	if !ok {
		t.Fatal("no object")
	}
	if kind != nil {
		changed["kind"] = kind
	}
	if text, err = json.Marshal(changed); err != nil {
		t.Fatal(err)
	}
	var out T
	if err := json.Unmarshal(text, &out); err != nil {
		return nil
	}
	return &out
}

// walked returns a copy of v with mark in every string and in every key below the first level,
// where the keys are those of the definition.
func walked(v any, mark string, top bool) any {
	switch v := v.(type) {
	case string:
		return inserted(v, mark)
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = walked(v[i], mark, false)
		}
		return out
	case map[string]any:
		out := map[string]any{}
		for key, item := range v {
			if _, leaf := item.(string); !top && !leaf && key != "properties" && key != "items" {
				key = inserted(key, mark)
			}
			out[key] = walked(item, mark, false)
		}
		return out
	}
	return v
}

func inserted(s, mark string) string {
	if s == "" {
		return s
	}
	half := len([]rune(s)) / 2
	r := []rune(s)
	return fmt.Sprint(string(r[:half]), mark, string(r[half:]))
}
