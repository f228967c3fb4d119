package findings

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

func sample() []Finding {
	return []Finding{
		{Rule: "S109", Name: "invisible", Severity: "block", File: "tools/a b.json", Line: 3, Column: 7, EndLine: 3, EndColumn: 9, Subject: "get_b", Path: "definition.prompt", Passage: "\u202e", Message: "Hidden \u202etext, 100%: here.\nTwo lines."},
		{Rule: "N102", Name: "plural", Severity: "warn", File: "b.md", Message: "Singular.", Suggestion: "Use the plural."},
		{Rule: "N106", Name: "hides", Severity: "info", Message: "It hides another."},
	}
}

func TestText(t *testing.T) {
	got := Text(sample())
	want := "tools/a b.json:3:7: block S109 (invisible): Hidden ⟨U+202E⟩text, 100%: here.\nTwo lines. [get_b: definition.prompt: \"⟨U+202E⟩\"]\n" +
		"b.md: warn N102 (plural): Singular. Use the plural.\n" +
		"info N106 (hides): It hides another.\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestGitHub(t *testing.T) {
	got := GitHub(sample())
	want := "::error file=tools/a b.json,line=3,col=7,endLine=3,endColumn=9,title=S109 invisible::Hidden ⟨U+202E⟩text, 100%25: here.%0ATwo lines. [get_b: definition.prompt: \"⟨U+202E⟩\"]\n" +
		"::warning file=b.md,title=N102 plural::Singular. Use the plural.\n" +
		"::notice title=N106 hides::It hides another.\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func someRules() []Rule {
	return []Rule{
		{ID: "N102", Name: "plural", Severity: "warn", Doc: "Doc. More of it.", Suggestion: "Help.", Waivable: true, Bad: "get_`a`|b", Good: "get_as"},
		{ID: "S109", Name: "invisible", Severity: "block"},
		{ID: "N106", Name: "hides-other", Severity: "info"},
		{ID: "K101", Name: "missing", Severity: "block", Doc: "Nobody has reviewed it: it is new"},
	}
}

func written(t *testing.T, rules []Rule, found []Finding) (sarifLog, []byte) {
	t.Helper()
	text, err := SARIF(Run{Command: "lint", Page: "docs/rules.md", Rules: rules, Found: found}, "v1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	var log sarifLog
	if err := json.Unmarshal(text, &log); err != nil {
		t.Fatal(err)
	}
	return log, text
}

// TestSARIF checks the data that code scanning needs to show and to recognize an alert (X2).
func TestSARIF(t *testing.T) {
	log, text := written(t, someRules(), sample())
	if bytes.ContainsRune(text, '\u202e') {
		t.Error("a hidden character went through")
	}
	run := log.Runs[0]
	if d := run.Tool.Driver; log.Version != "2.1.0" || len(run.Results) != 3 || len(d.Rules) != 4 || d.SemanticVersion != "1.2.3" {
		t.Fatalf("%+v", log)
	}
	if r := run.Tool.Driver.Rules[3]; r.Short.Text != "Nobody has reviewed it: it is new." || r.HelpURI != home+"docs/rules.md"+"#k101" || r.Properties.Security != "8.0" {
		t.Errorf("%+v", r)
	}
	first := run.Results[0]
	at := *first.Locations[0].Physical
	if first.RuleIndex != 1 || first.Level != "error" || at.Artifact.URI != "tools/a%20b.json" || at.Region.EndColumn != 9 || at.Region.Snippet.Text != "⟨U+202E⟩" {
		t.Errorf("%+v %+v", first, at)
	}
	if l := first.Locations[0].Logical[0]; l != (sarifLogical{"get_b", "get_b/definition.prompt", "property"}) {
		t.Errorf("%+v", l)
	}
	if run.Results[2].Locations != nil {
		t.Errorf("a finding about nothing has a place: %+v", run.Results[2])
	}
	if semantic("devel") != "0.0.0-devel" || semantic("1.0.0-rc.1") != "1.0.0-rc.1" {
		t.Error("a version is not semantic")
	}
}

// TestFingerprintsStayWhenLinesMove checks that an alert keeps its fingerprint if its lines move, and that two similar
// alerts have different fingerprints.
func TestFingerprintsStayWhenLinesMove(t *testing.T) {
	print := func(f Finding) string {
		return fingerprints(f, map[string]int{})["primaryLocationLineHash"]
	}
	f := Finding{Rule: "S101", File: "a.json", Subject: "get_b", Path: "tools[1].description", Field: "description", Passage: "Ignore", Line: 2, Column: 5}
	moved := f
	moved.Line, moved.Column, moved.Path = 90, 1, "tools[7].description"
	if print(f) != print(moved) {
		t.Error("moved, it is another alert")
	}
	for _, change := range []func(*Finding){
		func(f *Finding) { f.Rule = "S102" }, func(f *Finding) { f.Subject = "get_c" }, func(f *Finding) { f.Field = "title" }, func(f *Finding) { f.Passage = "Obey" },
	} {
		other := f
		if change(&other); print(f) == print(other) {
			t.Errorf("%+v has the same fingerprint", other)
		}
	}
	log, _ := written(t, someRules(), []Finding{sample()[0], sample()[0]})
	if a, b := log.Runs[0].Results[0].Fingerprints, log.Runs[0].Results[1].Fingerprints; a["primaryLocationLineHash"] == b["primaryLocationLineHash"] {
		t.Error("two findings are one alert")
	}
}

// TestSARIFHasItsShape validates the output with the schema of SARIF 2.1.0 from the validator of Microsoft's SARIF SDK
// (MIT license).
func TestSARIFHasItsShape(t *testing.T) {
	text, err := os.ReadFile("testdata/sarif-schema-2.1.0.json")
	if err != nil {
		t.Fatal(err)
	}
	shape, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource("sarif.json", shape); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("sarif.json")
	if err != nil {
		t.Fatal(err)
	}
	odd := []Finding{
		{Rule: "S109", Severity: "block", File: "a:b%20c/d\u202e.json", Message: "No place."},
		{Rule: "S109", Severity: "block", File: "-", Line: 2, Message: "A line only."},
		{Rule: "S109", Severity: "block", File: "/x/y", Line: 2, Column: 1, EndLine: 2, Path: "definition", Message: ""},
	}
	for _, found := range [][]Finding{nil, sample(), odd} {
		_, text := written(t, someRules(), found)
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(doc); err != nil {
			t.Errorf("%v", err)
		}
	}
}
