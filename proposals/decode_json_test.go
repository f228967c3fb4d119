package proposals

import (
	"errors"
	"strings"
	"testing"

	"toolcrib/internal/shortrun"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
)

// about formats problems as "path: message" with their position.
func about(ps []DocumentProblem) string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.Rule + " " + p.String()
	}
	return strings.Join(lines, "\n")
}

// decodeProblems returns the problems that DecodeFile finds in text.
func decodeProblems(t *testing.T, name, text string) string {
	t.Helper()
	_, err := DecodeFile(name, []byte(text))
	if err == nil {
		return ""
	}
	var bad *DecodeError
	if !errors.As(err, &bad) {
		t.Fatalf("got %T %v, want a DecodeError", err, err)
	}
	return about(bad.Problems)
}

// refusedJSON has documents with one problem each.
var refusedJSON = map[string]struct{ text, want string }{
	"nothing":             {" \n", "T108 $: contains no proposal"},
	"no JSON":             {`{"type":`, "T108 type (line 1, column 9): the document is truncated"},
	"no object":           {`"new"`, "T108 $ (line 1, column 1): expected an object, got a string"},
	"unknown key":         {`{"kind":"new"}`, "T108 kind (line 1, column 2): unknown key"},
	"misspelt key":        {`{"base_version":1}`, `T108 base_version (line 1, column 2): unknown key`},
	"duplicate key":       {`{"type":"new","type":"new"}`, "T108 type (line 1, column 15): duplicate key"},
	"null":                {`{"rationale":null}`, "T103 rationale (line 1, column 14): expected a string, got null"},
	"type":                {`{"type":"create"}`, `T108 type (line 1, column 9): expected one of new, modify, deactivate, reactivate, restore; got "create"`},
	"hidden in a type":    {`{"type":"ne` + "\u202e" + `w"}`, `got "ne\u202ew"`},
	"subject":             {`{"subject":"scene_pacer"}`, "T108 subject (line 1, column 12): "},
	"subject no string":   {`{"subject":["tool:user/x"]}`, "T108 subject (line 1, column 12): expected a string, got a list"},
	"base version text":   {`{"baseVersion":"1"}`, "T102 baseVersion (line 1, column 16): expected a number, got a string"},
	"base version half":   {`{"baseVersion":1.5}`, "T102 baseVersion (line 1, column 16): expected a whole number"},
	"restore version":     {`{"restoreVersion":true}`, "T110 restoreVersion (line 1, column 19): expected a number"},
	"examples no list":    {`{"examples":"a"}`, "T104 examples (line 1, column 13): expected a list, got a string"},
	"example no text":     {`{"examples":["a",1]}`, "T104 examples[1] (line 1, column 18): expected a string, got a number"},
	"change set":          {`{"changeSet":1}`, "T109 changeSet (line 1, column 14): expected a string, got a number"},
	"test case key":       {`{"testCases":[{"expected":"pass"}]}`, "T105 testCases[0].expected (line 1, column 16): unknown key"},
	"expect":              {`{"testCases":[{"expect":"ok"}]}`, `T105 testCases[0].expect (line 1, column 25): expected one of pass, fail; got "ok"`},
	"output null":         {`{"testCases":[{"output":null}]}`, "T105 testCases[0].output (line 1, column 25): expected a string, got null"},
	"check type":          {`{"testCases":[{"checks":[{"type":"regex"}]}]}`, "T105 testCases[0].checks[0].type (line 1, column 34): expected one of json_only, no_fences, tool_call, json_schema, contains, not_contains, matches, evidence, no_fake_tool_use, max_chars; got \"regex\""},
	"check no object":     {`{"testCases":[{"checks":["evidence"]}]}`, "T105 testCases[0].checks[0] (line 1, column 26): expected an object, got a string"},
	"value null":          {`{"testCases":[{"checks":[{"type":"contains","value":null}]}]}`, "T105 testCases[0].checks[0].value (line 1, column 53): expected a value, got null"},
	"value not taken":     {`{"testCases":[{"checks":[{"type":"evidence","value":"x"}]}]}`, "evidence check does not have a value; omit the key"},
	"contains a number":   {`{"testCases":[{"checks":[{"type":"contains","value":1}]}]}`, "expected a string for a contains check, got a number"},
	"contains nothing":    {`{"testCases":[{"checks":[{"type":"not_contains","value":""}]}]}`, "expected the text to look for, got an empty text"},
	"value before type":   {`{"testCases":[{"checks":[{"value":1,"type":"contains"}]}]}`, "expected a string for a contains check, got a number"},
	"no schema":           {`{"testCases":[{"checks":[{"type":"json_schema","value":true}]}]}`, "expected an object for a json_schema check, got true or false"},
	"chars half":          {`{"testCases":[{"checks":[{"type":"max_chars","value":1.5}]}]}`, "expected a whole number from 1 to 10000000"},
	"chars zero":          {`{"testCases":[{"checks":[{"type":"max_chars","value":0}]}]}`, "expected a whole number from 1"},
	"chars huge":          {`{"testCases":[{"checks":[{"type":"max_chars","value":1e9}]}]}`, "expected a whole number from 1"},
	"bad pattern":         {`{"testCases":[{"checks":[{"type":"matches","value":"(\u202e"}]}]}`, `expected a regular expression (RE2 syntax): missing closing ): "(\u202e"`},
	"pattern of PCRE":     {`{"testCases":[{"checks":[{"type":"matches","value":"(?=x)"}]}]}`, "expected a regular expression (RE2 syntax)"},
	"empty pattern":       {`{"testCases":[{"checks":[{"type":"matches","value":""}]}]}`, "expected a regular expression, got an empty text"},
	"long pattern":        {`{"testCases":[{"checks":[{"type":"matches","value":"` + strings.Repeat("a", 1001) + `"}]}]}`, "must not exceed 1000 characters (got 1001)"},
	"costly pattern":      {`{"testCases":[{"checks":[{"type":"matches","value":"((a{100}){100}){100}"}]}]}`, "expected a regular expression (RE2 syntax)"},
	"definition key":      {`{"subject":"tool:user/x","definition":{"promt":"x"}}`, "T101 definition.promt (line 1, column 40): unknown key"},
	"definition type":     {`{"subject":"tool:user/x","definition":{"prompt":["x"]}}`, "T101 definition.prompt (line 1, column 49): expected a string, got a list"},
	"definition nested":   {`{"subject":"tool:user/x","definition":{"approval":{"level":1}}}`, "T101 definition.approval.level (line 1, column 52): unknown key"},
	"definition null":     {`{"subject":"tool:user/x","definition":null}`, "T101 definition (line 1, column 39): expected an object, got null"},
	"wrong kind":          {`{"definition":{"soul":"x","id":"x"},"subject":"tool:user/x"}`, "T101 definition (line 1, column 15): expected the definition of a tool, because the subject is of this kind; the keys belong to the definition of an agent"},
	"wrong kind of agent": {`{"definition":{"prompt":"x"},"subject":"agent:user/x"}`, "T101 definition (line 1, column 15): expected the definition of an agent, because the subject is of this kind; the keys belong to the definition of a tool"},
	"no subject":          {`{"definition":{"soul":"x"}}`, "T101 definition (line 1, column 15): cannot be read, because the subject is missing or wrong; the subject determines the kind of the definition"},
	"BOM":                 {"\ufeff{\"type\":1}", "T108 type (line 1, column 9): expected a string"},
}

func TestDecodeJSONRefuses(t *testing.T) {
	for name, tc := range refusedJSON {
		t.Run(name, func(t *testing.T) {
			got := decodeProblems(t, "", tc.text)
			if !strings.Contains(got, tc.want) {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
			if strings.ContainsRune(got, '\u202e') {
				t.Errorf("a message repeats a hidden character: %q", got)
			}
			if n := strings.Count(got, "\n"); n > 0 {
				t.Errorf("%d problems too many: %s", n, got)
			}
		})
	}
}

func TestDecodeJSONReportsEverythingAtOnce(t *testing.T) {
	const text = `{
  "type": "create",
  "subject": "tool:nowhere/x",
  "definition": {"promt": "x", "name": 1},
  "examples": "one",
  "testCases": [{"expect": "maybe", "checks": [{"type": "max_chars", "value": "9"}]}],
  "notes": ""
}`
	got := decodeProblems(t, "drafts/x.json", text)
	for _, want := range []string{
		"T108 type (line 2, column 11): ",
		"T108 subject (line 3, column 14): ",
		"T101 definition.promt (line 4, column 18): ",
		"T101 definition.name (line 4, column 40): ",
		"T104 examples (line 5, column 15): ",
		"T105 testCases[0].expect (line 6, column 28): ",
		"T105 testCases[0].checks[0].value (line 6, column 79): ",
		"T108 notes (line 7, column 3): ",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
	if n := strings.Count(got, "\n") + 1; n != 8 {
		t.Errorf("got %d problems, want 8:\n%s", n, got)
	}
}

func TestDecodeJSONStreams(t *testing.T) {
	const one, two = `{"type":"new","rationale":"one"}`, `{"type":"restore","rationale":"two"}`
	for name, text := range map[string]string{
		"NDJSON":       one + "\n" + two + "\n",
		"concatenated": one + two,
		"array":        " [" + one + ",\n" + two + "]",
	} {
		t.Run(name, func(t *testing.T) {
			parsed, err := DecodeJSON([]byte(text))
			if err != nil || len(parsed) != 2 || parsed[0].Draft.Rationale != "one" || parsed[1].Draft.Type != Restore {
				t.Errorf("got %v, %v", parsed, err)
			}
		})
	}
	got := decodeProblems(t, "", one+"\n{\"type\":1}\n"+two+"{}3")
	want := "T108 document 2: type (line 2, column 9): expected a string, got a number\n" +
		"T108 document 5: $ (line 3, column 39): expected an object, got a number"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestDecodeJSONReturnsReadableParts(t *testing.T) {
	parsed, err := DecodeJSON([]byte(`{"type":"new","subject":"tool:user/x","examples":1,"rationale":"why"}`))
	if err == nil || len(parsed) != 1 {
		t.Fatalf("got %v, %v", parsed, err)
	}
	if d := parsed[0].Draft; d.Rationale != "why" || d.Subject.ID != "x" || d.Examples != nil {
		t.Errorf("got %+v", d)
	}
	got := parsed[0].Problems().String()
	for _, want := range []string{
		"examples (line 1, column 50): expected a list",
		"definition (line 1, column 1): missing",
		"testCases (line 1, column 1): expected 2 or 3 test cases",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q not found in %s", want, got)
		}
	}
	if strings.Contains(got, "baseVersion") {
		t.Errorf("a new subject requires a base version: %s", got)
	}
	if strings.Count(got, "examples") != 1 {
		t.Errorf("unreadable parts are reported as missing: %s", got)
	}
}

func TestParsedProblemsOmitsConsequences(t *testing.T) {
	for name, tc := range map[string]struct{ text, no string }{
		"the definition of an unknown kind": {`{"type":"new","definition":{"id":"x"}}`, "definition (line 1, column 1): missing"},
		"an expectation that is not a word": {`{"testCases":[{"expect":"ok"},{"expect":"fail"}]}`, "none should pass"},
		"lists that are far too long":       {`{"type":"new","examples":[` + strings.Repeat(`"",`, 100) + `""]}`, "type (line"},
		"what is not an object at all":      {`[[]]`, "missing"},
	} {
		t.Run(name, func(t *testing.T) {
			parsed, err := DecodeJSON([]byte(tc.text))
			if err == nil {
				t.Fatal("no error")
			}
			if got := parsed[0].Problems().String(); strings.Contains(got, tc.no) {
				t.Errorf("%q stands in %s", tc.no, got)
			}
		})
	}
}

func TestDecodeJSONBounds(t *testing.T) {
	shortrun.OneGoroutine(t)
	for name, tc := range map[string]struct{ text, want string }{
		"file":      {strings.Repeat(" ", MaxFile+1), "must not exceed 67108864 bytes"},
		"document":  {`{"rationale":"` + strings.Repeat("a", MaxDocument) + `"}`, "bytes"},
		"documents": {strings.Repeat("{}", MaxDocuments+1), "contains more than 10000 proposals"},
		"examples":  {`{"examples":[` + strings.Repeat(`"",`, 100) + `""]}`, "T104 examples (line 1, column 13): must not have more than 100 entries (got 101)"},
		"cases":     {`{"testCases":[` + strings.Repeat(`{},`, 100) + `{}]}`, "T105 testCases (line 1, column 14): must not have more than 100 entries (got 101)"},
		"bullets":   {"---\n---\n## Examples\n" + strings.Repeat("-\n", 200), "T104 examples (line 4, column 1): must not have more than 100 entries"},
		"headings":  {"---\n---\n## Test cases\n" + strings.Repeat("###\n", 200), "T105 testCases (line 4, column 1): must not have more than 100 entries"},
		"depth":     {strings.Repeat("[", 200) + strings.Repeat("]", 200), "nested more than"},
	} {
		t.Run(name, func(t *testing.T) {
			if len(tc.text) > MaxDocument {
				shortrun.NeedsLong(t)
			}
			if got := decodeProblems(t, "", tc.text); !strings.Contains(got, tc.want) || len(got) > 1000 {
				t.Errorf("got %.200s, want %s", got, tc.want)
			}
		})
	}
	t.Run("problems", func(t *testing.T) {
		_, err := DecodeJSON([]byte(strings.Repeat(`{"a":1,"b":1}`, 1000)))
		var bad *DecodeError
		if !errors.As(err, &bad) || len(bad.Problems) != maxDecodeProblems || bad.More != 2000-maxDecodeProblems {
			t.Fatalf("got %T", err)
		}
		if !strings.HasSuffix(err.Error(), "; and 1500 more") {
			t.Errorf("the message does not end with the number of further problems: %s", err.Error()[len(err.Error())-100:])
		}
	})
}

func TestAbsentAndEmptyAreOne(t *testing.T) {
	bare, err := DecodeJSON([]byte(`{"type":"new","subject":"tool:user/x","testCases":[{"name":"a"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	full, err := DecodeJSON([]byte(`{"type":"new","subject":"tool:user/x","definition":{"status":"active","aliases":[]},"rationale":"","examples":[],"testCases":[{"name":"a","input":"","checks":[]}],"changeSet":"","restoreVersion":0}`))
	if err != nil {
		t.Fatal(err)
	}
	if !same(bare[0].Draft, full[0].Draft) {
		t.Errorf("got %s and %s", bare[0].Draft.Canonical(), full[0].Draft.Canonical())
	}
	if !full[0].Draft.Definition.IsZero() {
		t.Error("a definition without keys is not zero")
	}
}

func TestPlacesOfProblemsInJSON(t *testing.T) {
	text := strings.Replace(string(pacer().JSON()), `"expect": "pass"`, `"expect": "fail"`, 1)
	parsed, err := DecodeJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	ps := parsed[0].Problems()
	if len(ps) != 1 || ps[0].Rule != RulePassAndFail {
		t.Fatalf("got %v", ps)
	}
	before, _, _ := strings.Cut(text, `"testCases"`)
	line := strings.Count(before, "\n") + 1
	if want := (jsondoc.Pos{Line: line, Column: 16}); ps[0].Pos != want {
		t.Errorf("got %v, want %v", ps[0].Pos, want)
	}
}

// TestCanonicalOfFiles compares the canonical form of a draft of files with that of
// its JSON.
func TestCanonicalOfFiles(t *testing.T) {
	base := 3
	files := registry.Folder{ID: "pdf", Path: "skills/pdf", Files: map[string]registry.File{
		"SKILL.md": {Text: "a\r\n<b>\u2028"}, "run": {Text: "x", Executable: true}, "l": {Link: "run"}, "e": {}, "b": {Size: 3, SHA256: "ab"},
	}}
	for _, d := range []Draft{
		{Type: Modify, BaseVersion: &base, Definition: registry.Definition{Skill: &files}, Rationale: "Why.", ChangeSet: "set"},
		{Type: New, Definition: registry.Definition{Instructions: &files}},
	} {
		d.Subject = registry.Subject{Kind: d.Definition.Kind(), Layer: registry.LayerUser, ID: "pdf"}
		n, err := jsondoc.Parse(d.JSON(), jsondoc.DefaultLimits)
		if err != nil || string(jsondoc.Canonical(n)) != string(d.Canonical()) {
			t.Errorf("%s\nis not the canonical form of\n%s%v", d.Canonical(), d.JSON(), err)
		}
	}
}
