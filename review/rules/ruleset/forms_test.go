package ruleset

import (
	"regexp"
	"sync"
	"testing"

	"toolcrib/review/rules"
	"toolcrib/review/rules/rulebook"
	"toolcrib/review/rules/rulestest"
)

// formsByID returns all forms by id.
var formsByID = sync.OnceValue(func() map[string]rulebook.Form {
	byID := map[string]rulebook.Form{}
	for _, f := range rulebook.Forms("") {
		byID[f.ID] = f
	}
	return byID
})

// TestEveryFormHasACheck checks that every form has a check and every check has a form, and that
// all names in braces are replaced.
func TestEveryFormHasACheck(t *testing.T) {
	wording := map[string]bool{}
	for _, a := range rulebook.Rules() {
		wording[a.ID] = true
	}
	checks, forms := map[string]bool{}, formsByID()
	for _, r := range All() {
		if _, ok := forms[r.ID]; ok == wording[r.ID] {
			t.Errorf("%s: a rule is described by a form or by its frames", r.ID)
		}
		checks[r.ID] = r.Check != nil
	}
	names := regexp.MustCompile(`(?:^|[^` + "`" + `{$])\{[a-z]+[A-Z]?\w*\}`)
	for _, f := range forms {
		if text := described([]rules.Rule{{ID: f.ID}}, "")[0]; names.MatchString(text.Doc + text.Suggestion) {
			t.Errorf("%s: nothing is put in for %s", f.ID, names.FindString(text.Doc+text.Suggestion))
		}
		if !checks[f.ID] {
			t.Errorf("%s has no check", f.ID)
		}
	}
}

// TestMergePatch checks the cases of RFC 7386 that samples use.
func TestMergePatch(t *testing.T) {
	base := rulestest.Patched(rulebook.Patched{})
	d := rulestest.Patched(rulebook.Patched{Draft: `{"rationale":null,"definition":{"goals":"Other."},"examples":["one"]}`})
	if d.Rationale != "" || d.Definition.Tool.Goals != "Other." || len(d.Examples) != 1 {
		t.Errorf("%+v", d)
	}
	if d.Definition.Tool.Prompt != base.Definition.Tool.Prompt || base.Rationale == "" {
		t.Error("the patch changes what it does not name")
	}
	for _, bad := range []rulebook.Patched{{Of: "nothing"}, {Draft: "{"}} {
		if _, err := rulestest.Patch(bad); err == nil {
			t.Errorf("%+v passes", bad)
		}
	}
}
