package findings

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
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
	want := "::error file=tools/a b.json,line=3,col=7,endLine=3,endColumn=9,title=S109 invisible::Hidden ⟨U+202E⟩text, 100%25: here.%0ATwo lines.\n" +
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

// sarifShape is what the schema of SARIF 2.1.0 (OASIS, 27 March 2020) asks of
// the parts that are written: the required properties, their types, and the
// values of enumerations.
const sarifShape = `{
  "type": "object", "required": ["version", "runs"], "additionalProperties": false,
  "properties": {
    "$schema": {"type": "string", "format": "uri"}, "version": {"enum": ["2.1.0"]},
    "runs": {"type": "array", "minItems": 0, "items": {
      "type": "object", "required": ["tool"], "additionalProperties": false,
      "properties": {
        "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
        "tool": {"type": "object", "required": ["driver"], "additionalProperties": false, "properties": {"driver": {
          "type": "object", "required": ["name"], "additionalProperties": false,
          "properties": {"name": {"type": "string"}, "version": {"type": "string"}, "rules": {"type": "array", "uniqueItems": true, "items": {
            "type": "object", "required": ["id"], "additionalProperties": false,
            "properties": {
              "id": {"type": "string"}, "name": {"type": "string"}, "shortDescription": {"$ref": "#/$defs/multiformat"}, "fullDescription": {"$ref": "#/$defs/multiformat"},
              "help": {"$ref": "#/$defs/multiformat"}, "defaultConfiguration": {"type": "object", "properties": {"level": {"$ref": "#/$defs/level"}}}
            }
          }}}
        }}},
        "results": {"type": "array", "items": {
          "type": "object", "required": ["message"], "additionalProperties": false,
          "properties": {
            "ruleId": {"type": "string"}, "ruleIndex": {"type": "integer", "minimum": -1}, "level": {"$ref": "#/$defs/level"},
            "message": {"$ref": "#/$defs/multiformat"},
            "locations": {"type": "array", "uniqueItems": true, "items": {
              "type": "object", "additionalProperties": false,
              "properties": {
                "physicalLocation": {"type": "object", "anyOf": [{"required": ["address"]}, {"required": ["artifactLocation"]}], "properties": {
                  "artifactLocation": {"type": "object", "additionalProperties": false, "properties": {"uri": {"type": "string", "format": "uri-reference"}}},
                  "region": {"type": "object", "additionalProperties": false, "properties": {
                    "startLine": {"type": "integer", "minimum": 1}, "startColumn": {"type": "integer", "minimum": 1},
                    "endLine": {"type": "integer", "minimum": 1}, "endColumn": {"type": "integer", "minimum": 1}
                  }}
                }},
                "logicalLocations": {"type": "array", "uniqueItems": true, "items": {"type": "object", "additionalProperties": false, "properties": {"fullyQualifiedName": {"type": "string"}}}}
              }
            }}
          }
        }}
      }
    }}
  },
  "$defs": {
    "level": {"enum": ["none", "note", "warning", "error"]},
    "multiformat": {"type": "object", "required": ["text"], "properties": {"text": {"type": "string"}}}
  }
}`

// TestSARIFHasItsShape validates what is written, with and without findings.
func TestSARIFHasItsShape(t *testing.T) {
	shape, err := jsonschema.UnmarshalJSON(strings.NewReader(sarifShape))
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
		{Rule: "S109", Severity: "block", File: "x", Line: 2, Column: 1, EndLine: 2, Path: "definition", Message: ""},
	}
	rules := []Rule{{ID: "N102", Name: "plural", Severity: "warn", Doc: "Doc.", Help: "Help."}, {ID: "S109", Name: "invisible", Severity: "block"}, {ID: "N106", Severity: "info"}}
	for _, found := range [][]Finding{nil, sample(), odd} {
		var b bytes.Buffer
		if err := SARIF(&b, "1.2.3", rules, found); err != nil {
			t.Fatal(err)
		}
		doc, err := jsonschema.UnmarshalJSON(&b)
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(doc); err != nil {
			t.Errorf("%v", err)
		}
	}
}
