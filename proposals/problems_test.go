package proposals

import (
	"encoding/json"
	"strings"
	"testing"

	"toolcrib/internal/shortrun"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
)

func TestWholeDraftsHaveNoProblems(t *testing.T) {
	for name, d := range map[string]Draft{"tool": pacer(), "agent": assistant(), "restore": restore()} {
		if ps := d.Problems(); ps != nil {
			t.Errorf("%s: %v", name, ps)
		}
	}
	d := pacer()
	d.TestCases = append(d.TestCases, d.TestCases[0])
	d.TestCases[2].Name = "a third"
	d.Examples = append(d.Examples, "a third")
	for _, typ := range []Type{Modify, Deactivate, Reactivate} {
		d.Type, d.BaseVersion = typ, new(1)
		if ps := d.Problems(); ps != nil {
			t.Errorf("%s: %v", typ, ps)
		}
	}
	for _, typ := range []Type{Deactivate, Reactivate} {
		d.Type, d.Definition = typ, registry.Definition{}
		if ps := d.Problems(); ps != nil {
			t.Errorf("%s without a definition: %v", typ, ps)
		}
	}
}

func TestEmptyDraftHasAllProblems(t *testing.T) {
	var got []string
	for _, p := range (Draft{}).Problems() {
		got = append(got, p.Rule+" "+p.Path)
		if !strings.Contains(p.Message, "expected") {
			t.Errorf("%s does not contain the expected value", p)
		}
	}
	want := "T108 type, T108 subject, T102 baseVersion, T103 rationale, T104 examples, T105 testCases"
	if strings.Join(got, ", ") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, ", "), want)
	}
}

// brokenDrafts have one mistake in a complete draft each.
var brokenDrafts = map[string]struct {
	breakIt func(d *Draft)
	want    []string // "rule path: beginning of the message"
}{
	"no type":      {func(d *Draft) { d.Type = "" }, []string{"T108 type: missing; expected one of new, modify"}},
	"unknown type": {func(d *Draft) { d.Type = "x\u202e" }, []string{`T108 type: expected one of new, modify, deactivate, reactivate, restore; got "x\u202e"`}},
	"no subject":   {func(d *Draft) { d.Subject = registry.Subject{} }, []string{"T108 subject: missing"}},
	"bad subject": {func(d *Draft) { d.Subject.Layer = "moon" }, []string{
		`T108 subject: expected a tool or an agent in a layer, such as tool:user/scene_pacer; got "tool:moon/scene_pacer"`,
	}},

	"no base":            {func(d *Draft) { d.Type, d.BaseVersion = Modify, nil }, []string{"T102 baseVersion: missing"}},
	"new without a base": {func(d *Draft) { d.BaseVersion = nil }, nil}, // C31
	"new on a version":   {func(d *Draft) { d.BaseVersion = new(2) }, []string{"T102 baseVersion: must be 0 for a new subject"}},
	"modify on nothing":  {func(d *Draft) { d.Type = Modify }, []string{"T102 baseVersion: must be the live version of the subject"}},
	"negative base":      {func(d *Draft) { d.Type, d.BaseVersion = Modify, new(-1) }, []string{"T102 baseVersion: must be"}},
	"restore to nothing": {func(d *Draft) { d.Type, d.BaseVersion = Restore, new(2) }, []string{"T110 restoreVersion: missing"}},
	"restore to live": {func(d *Draft) { d.Type, d.BaseVersion, d.RestoreVersion = Restore, new(2), 2 }, []string{
		"T110 restoreVersion: must be less than the live version 2",
	}},
	"restore below 1": {func(d *Draft) { d.Type, d.BaseVersion, d.RestoreVersion = Restore, new(2), -2 }, []string{"T110 restoreVersion: must be 1 or more (got -2)"}},
	"restore version of a new": {func(d *Draft) { d.RestoreVersion = 1 }, []string{
		"T110 restoreVersion: is only allowed for the type restore; omit the key",
	}},

	"no definition":    {func(d *Draft) { d.Definition = registry.Definition{} }, []string{"T101 definition: missing; a proposal of type new needs"}},
	"empty definition": {func(d *Draft) { d.Definition.Tool = &registry.Tool{} }, []string{"T101 definition: missing"}},
	"another kind":     {func(d *Draft) { d.Definition = assistant().Definition }, []string{"T101 definition: is the definition of an agent, but the subject is a tool"}},
	"another id":       {func(d *Draft) { d.Definition.Tool.ID = "other" }, []string{"T101 definition.id: is other, but must be the id of the subject, \"scene_pacer\""}},
	"no id":            {func(d *Draft) { d.Definition.Tool.ID = "" }, []string{"T101 definition.id: "}},
	"no prompt":        {func(d *Draft) { d.Definition.Tool.Prompt = "" }, []string{"T101 definition.prompt: missing"}},

	"no rationale":       {func(d *Draft) { d.Rationale = "" }, []string{"T103 rationale: missing"}},
	"blank rationale":    {func(d *Draft) { d.Rationale = " \n\u00a0\u200b\u3164\u2800\u200e\ufeff" }, []string{"T103 rationale: missing"}},
	"long rationale":     {func(d *Draft) { d.Rationale = strings.Repeat("é", MaxRationale+1) }, []string{"T103 rationale: must not exceed 8000 characters"}},
	"one example":        {func(d *Draft) { d.Examples = d.Examples[:1] }, []string{"T104 examples: expected 2 or 3 concrete invocations (got 1)"}},
	"four examples":      {func(d *Draft) { d.Examples = []string{"a", "b", "c", "d"} }, []string{"T104 examples: expected 2 or 3 concrete invocations (got 4)"}},
	"blank example":      {func(d *Draft) { d.Examples[1] = " \u200d" }, []string{"T104 examples[1]: blank"}},
	"long example":       {func(d *Draft) { d.Examples[0] = strings.Repeat("a", MaxExample+1) }, []string{"T104 examples[0]: must not exceed 4000 characters"}},
	"examples alike":     {func(d *Draft) { d.Examples = []string{"Check it", "b", " check\n IT"} }, []string{"T104 examples[2]: duplicates examples[0]; expected a different example"}},
	"change set":         {func(d *Draft) { d.ChangeSet = "-x" }, []string{`T109 changeSet: expected a name of at most 64 letters`}},
	"change set newline": {func(d *Draft) { d.ChangeSet = "x\n" }, []string{`T109 changeSet: `}},
	"long change set":    {func(d *Draft) { d.ChangeSet = strings.Repeat("x", 65) }, []string{`T109 changeSet: `}},

	"one test case": {func(d *Draft) { d.TestCases = d.TestCases[:1] }, []string{"T105 testCases: expected 2 or 3 test cases (got 1)", "T106 testCases: expected at least one test case that should pass and one that should fail; no test case should fail"}},
	"four test cases": {func(d *Draft) {
		d.TestCases = append(d.TestCases, d.TestCases...)
		d.TestCases[2].Name, d.TestCases[3].Name = "c", "d"
	}, []string{"T105 testCases: expected 2 or 3 test cases (got 4)"}},
	"all pass":        {func(d *Draft) { d.TestCases[1].Expect = ExpectPass }, []string{"T106 testCases: expected at least one test case that should pass and one that should fail; no test case should fail"}},
	"all fail":        {func(d *Draft) { d.TestCases[0].Expect = ExpectFail }, []string{"T106 testCases: expected at least one test case that should pass and one that should fail; no test case should pass"}},
	"no name":         {func(d *Draft) { d.TestCases[0].Name = "\t" }, []string{"T105 testCases[0].name: missing"}},
	"name of lines":   {func(d *Draft) { d.TestCases[0].Name = "a\nb" }, []string{"T105 testCases[0].name: must be a single line"}},
	"long name":       {func(d *Draft) { d.TestCases[0].Name = strings.Repeat("n", MaxTestCaseName+1) }, []string{"T105 testCases[0].name: must not exceed 120 characters"}},
	"names alike":     {func(d *Draft) { d.TestCases[1].Name = "Slow  scene is named" }, []string{"T105 testCases[1].name: duplicates the name of testCases[0]"}},
	"no input":        {func(d *Draft) { d.TestCases[1].Input = "" }, []string{"T105 testCases[1].input: missing"}},
	"no expectation":  {func(d *Draft) { d.TestCases[1].Expect = "" }, []string{"T105 testCases[1].expect: missing", "T106 testCases: expected at least one test case that should pass and one that should fail; no test case should fail"}},
	"bad expectation": {func(d *Draft) { d.TestCases[1].Expect = "x" }, []string{"T105 testCases[1].expect: expected pass or fail; got \"x\"", "T106 testCases"}},
	"no checks":       {func(d *Draft) { d.TestCases[0].Checks = nil }, []string{"T105 testCases[0].checks: missing"}},
	"many checks":     {func(d *Draft) { d.TestCases[0].Checks = make([]Check, MaxChecks+1) }, []string{"T105 testCases[0].checks: must not have more than 32 checks"}},
	"no check type":   {func(d *Draft) { d.TestCases[0].Checks[1].Type = "" }, []string{"T105 testCases[0].checks[1].type: missing; expected one of json_only"}},
	"bad check type":  {func(d *Draft) { d.TestCases[0].Checks[1].Type = "x" }, []string{"T105 testCases[0].checks[1].type: expected one of json_only"}},
	"no check value":  {func(d *Draft) { d.TestCases[0].Checks[0].Value = nil }, []string{"T105 testCases[0].checks[0].value: missing; a contains check needs the text"}},
	"no pattern":      {func(d *Draft) { d.TestCases[0].Checks[0] = Check{Type: CheckMatches} }, []string{"T105 testCases[0].checks[0].value: missing; a matches check needs"}},
	"no limit":        {func(d *Draft) { d.TestCases[0].Checks[0] = Check{Type: CheckMaxChars} }, []string{"T105 testCases[0].checks[0].value: missing; a max_chars check needs"}},
	"no schema":       {func(d *Draft) { d.TestCases[0].Checks[0] = Check{Type: CheckJSONSchema} }, []string{"T105 testCases[0].checks[0].value: missing; a json_schema check needs"}},
	"bad check value": {func(d *Draft) { d.TestCases[0].Checks[0].Value = json.RawMessage(`[]`) }, []string{"T105 testCases[0].checks[0].value: expected a string"}},
	"value no JSON":   {func(d *Draft) { d.TestCases[0].Checks[0].Value = json.RawMessage(`x`) }, []string{"T105 testCases[0].checks[0].value: is not valid JSON", "T108 $: cannot be written as JSON"}},

	"conflict": {func(d *Draft) { d.Definition.Tool.Prompt = "a\n<<<<<<< yours\nb\n=======\nc\n>>>>>>> theirs\n" }, []string{
		"T107 definition.prompt: has an unresolved merge conflict at line 2",
	}},
	"conflict in a schema": {func(d *Draft) {
		d.Definition.Tool.InputSchema = json.RawMessage(`{"description":"<<<<<<<\n|||||||\n=======\n>>>>>>>"}`)
	}, []string{"T107 definition.inputSchema.description: has"}},
	"conflict in an example": {func(d *Draft) { d.Examples[0] = "<<<<<<<\n=======\n>>>>>>>" }, []string{"T107 examples[0]: has"}},
	"placeholder":            {func(d *Draft) { d.Definition.Tool.Goals = "Be good.\n  " + fillIn(askGoals) }, []string{"T101 definition.goals: still has a FILL IN placeholder; fill in what the tool"}},
	"NUL":                    {func(d *Draft) { d.Rationale = "a\x00b" }, []string{"T103 rationale: contains a NUL"}},
}

// TestProblems expects exactly the problems that follow from each mistake.
func TestProblems(t *testing.T) {
	for name, tc := range brokenDrafts {
		t.Run(name, func(t *testing.T) {
			d := pacer()
			tc.breakIt(&d)
			ps := d.Problems()
			for i, want := range tc.want {
				if i >= len(ps) || !strings.HasPrefix(ps[i].Rule+" "+ps[i].String(), want) {
					t.Errorf("%s is missing", want)
				}
			}
			if len(ps) != len(tc.want) {
				t.Errorf("got %d problems, want %d: %v", len(ps), len(tc.want), ps)
			}
			if strings.ContainsRune(ps.String(), '\u202e') {
				t.Errorf("a message repeats a hidden character: %q", ps.String())
			}
		})
	}
}

func TestProblemsAreLimited(t *testing.T) {
	shortrun.OneGoroutine(t)
	d := pacer()
	d.Examples = make([]string, 100_000)
	ps := d.Problems()
	if len(ps) != maxProblems+1 || !strings.Contains(ps[maxProblems].Message, "more than 300 problems") {
		t.Errorf("got %d problems, the last %v", len(ps), ps[len(ps)-1])
	}
}

// TestProblemsOfDeepTextsStayCheap has a path of 100 long keys before many texts:
// computing all paths would take minutes.
func TestProblemsOfDeepTextsStayCheap(t *testing.T) {
	shortrun.OneGoroutine(t)
	const depth, texts = 100, 200_000
	key := strings.Repeat("k", 1000)
	schema := strings.Repeat(`{"`+key+`":`, depth) + `["<<<<<<<\n=======\n>>>>>>>"` + strings.Repeat(`,""`, texts) + `]` + strings.Repeat("}", depth)
	d := pacer()
	d.Definition.Tool.InputSchema = json.RawMessage(schema)
	ps := d.Problems()
	if len(ps) != 1 || ps[0].Path != "definition.inputSchema"+strings.Repeat("."+key, depth)+"[0]" {
		t.Errorf("got %.200v", ps)
	}
}

func TestConflict(t *testing.T) {
	for name, tc := range map[string]struct {
		text string
		line int
	}{
		"whole":          {"<<<<<<< a\nx\n=======\ny\n>>>>>>> b", 1},
		"with ancestor":  {"\n<<<<<<<\n||||||| base\n=======\n>>>>>>>\n", 2},
		"of Windows":     {"<<<<<<< a\r\n=======\r\n>>>>>>> b\r\n", 1},
		"second whole":   {"<<<<<<< a\nx\n<<<<<<< a\n=======\n>>>>>>> b", 3},
		"eight":          {"<<<<<<<<\n========\n>>>>>>>>", 0},
		"six":            {"<<<<<<\n======\n>>>>>>", 0},
		"other order":    {">>>>>>>\n=======\n<<<<<<<", 0},
		"heading":        {"Goals\n=======\n", 0},
		"indented":       {"  <<<<<<<\n  =======\n  >>>>>>>", 0},
		"begin only":     {"<<<<<<< a\n", 0},
		"without middle": {"<<<<<<< a\n>>>>>>> b", 0},
	} {
		t.Run(name, func(t *testing.T) {
			if got := conflict(tc.text); got != tc.line {
				t.Errorf("got line %d, want %d", got, tc.line)
			}
		})
	}
}

func TestProblemsLocate(t *testing.T) {
	d := pacer()
	d.TestCases[0].Checks[0].Value = nil
	parsed, err := DecodeJSON(d.JSON())
	if err != nil {
		t.Fatal(err)
	}
	ps := d.Problems().Locate(parsed[0].Doc)
	if want := parsed[0].Doc.Find("testCases[0].checks[0]").Pos; len(ps) != 1 || ps[0].Pos != want || want == (jsondoc.Pos{}) {
		t.Errorf("got %v, want it at %v", ps, want)
	}
}
