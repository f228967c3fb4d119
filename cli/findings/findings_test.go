package findings

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

func sample() []Finding {
	return []Finding{
		{Rule: "S109", Name: "invisible", Severity: "block", File: "tools/a b.json", Line: 3, Column: 7, EndLine: 3, EndColumn: 9, Path: "definition.prompt", Message: "Hidden \u202etext, 100%: here.\nTwo lines."},
		{Rule: "N102", Name: "plural", Severity: "warn", File: "b.md", Message: "Singular.", Suggestion: "Use the plural."},
		{Rule: "N106", Name: "hides", Severity: "info", Message: "It hides another."},
	}
}

func TestText(t *testing.T) {
	var b bytes.Buffer
	if err := Text(&b, sample()); err != nil {
		t.Fatal(err)
	}
	want := "tools/a b.json:3:7: block S109 (invisible): Hidden ⟨U+202E⟩text, 100%: here.\nTwo lines.\n" +
		"b.md: warn N102 (plural): Singular. Use the plural.\n" +
		"info N106 (hides): It hides another.\n"
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

func TestGitHub(t *testing.T) {
	var b bytes.Buffer
	if err := GitHub(&b, sample()); err != nil {
		t.Fatal(err)
	}
	want := "::error file=tools/a b.json,line=3,col=7,endLine=3,title=S109 invisible::Hidden ⟨U+202E⟩text, 100%25: here.%0ATwo lines.\n" +
		"::warning file=b.md,title=N102 plural::Singular. Use the plural.\n" +
		"::notice title=N106 hides::It hides another.\n"
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

func TestSARIF(t *testing.T) {
	var b bytes.Buffer
	rules := []Rule{{ID: "N102", Name: "plural", Severity: "warn", Doc: "Doc.", Help: "Help."}, {ID: "S109", Name: "invisible", Severity: "block"}, {ID: "N106", Severity: "info"}}
	if err := SARIF(&b, "1.2.3", rules, sample()); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsRune(b.String(), '\u202e') {
		t.Error("a hidden character went through")
	}
	var log sarifLog
	if err := json.Unmarshal(b.Bytes(), &log); err != nil {
		t.Fatal(err)
	}
	run := log.Runs[0]
	if log.Version != "2.1.0" || len(run.Results) != 3 || len(run.Tool.Driver.Rules) != 3 {
		t.Fatalf("%+v", log)
	}
	first := run.Results[0]
	if first.RuleIndex != 1 || first.Level != "error" || first.Locations[0].Physical.Artifact.URI != "tools/a%20b.json" || *first.Locations[0].Physical.Region != (sarifRegion{3, 7, 3, 9}) {
		t.Errorf("%+v", first)
	}
	if run.Results[2].Locations != nil {
		t.Errorf("a finding about nothing has a place: %+v", run.Results[2])
	}
}
