package form_test

import (
	"strings"
	"testing"

	"toolcrib/review/rules"
	"toolcrib/review/rules/ruleset"
	"toolcrib/review/rules/rulestest"
)

// TestCredentialsBehindExamples puts more tokens of documentation than a rule reports before a real token. The real one
// and a key of another kind must be reported, each with its own kind.
func TestCredentialsBehindExamples(t *testing.T) {
	text := strings.Repeat("AKIA"+"IOSFODNN7EXAMPLE\n", rules.MaxPerText+1) + "AKIA" + "Q7WERTY2UIOP3ASD\nghp_" + "q7Zr2LmX9vKc4TnB8wYs3HdJ6fGp1AeUiOx5\n"
	c := rulestest.PromptChange(text)
	set, err := ruleset.NewSet(nil)
	if err != nil {
		t.Fatal(err)
	}
	found, err := set.CheckFamilies(t.Context(), c, "S")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range found {
		if f.Rule == "S114" {
			got = append(got, f.Message)
		}
	}
	want := "This looks like an AWS access key id.|This looks like a GitHub token."
	if strings.Join(got, "|") != want {
		t.Errorf("%q", got)
	}
}
