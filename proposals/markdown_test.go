package proposals

import (
	"strings"
	"testing"

	"toolcrib/internal/shortrun"
	"toolcrib/registry/jsondoc"
)

const minimal = `---
type: new
subject: tool:user/x
baseVersion: 0
name: X
---
`

func TestDecodeMarkdownRefuses(t *testing.T) {
	for name, tc := range map[string]struct{ text, want string }{
		"no front matter":     {"# Hello", "T108 $ (line 1, column 1): expected front matter"},
		"no end":              {"---\ntype: new\n", "T108 $ (line 1, column 1): unterminated front matter"},
		"no YAML":             {"---\ntype: [\n---\n", "T108 $ (line 2, column 1): not valid YAML"},
		"type":                {"---\ntype: create\n---\n", "T108 type (line 2, column 7): expected one of new, modify"},
		"twice":               {"---\nname: a\nname: b\n---\n", "T101 definition.name (line 3, column 1): duplicate key"},
		"key of the proposal": {"---\ntype: new\ntype: new\n---\n", "T108 type (line 3, column 1): duplicate key"},
		"nested anchor":       {"---\nsubject: tool:user/x\napproval:\n  tier: &a x\n---\n", "T101 definition.approval.tier (line 4, column 9): YAML anchors"},
		"misspelt key":        {"---\nsubject: tool:user/x\nbase_version: 1\n---\n", `T108 base_version (line 3, column 1): unknown key`},
		"unknown key":         {"---\nsubject: tool:user/x\npromt: y\n---\n", `T101 definition.promt (line 3, column 1): unknown key`},
		"null":                {"---\nsubject: tool:user/x\nname:\n---\n", "T101 definition.name (line 3, column 6): expected a string, got null"},
		"number for a name":   {"---\nsubject: tool:user/x\nname: 12\n---\n", "T101 definition.name (line 3, column 7): expected a string, got a number"},
		"no subject":          {"---\nname: x\n---\n", "T101 definition (line 2, column 1): cannot be read, because the subject is missing or wrong; the subject determines the kind of the definition"},
		"section no subject":  {"---\ntype: new\n---\n\n## Soul\n\na\n", "T101 definition (line 7, column 1): cannot be read, because the subject is missing or wrong; the subject determines the kind of the definition"},
		"section twice":       {minimal + "\n## Rationale\n\na\n\n## Rationale\n\nb\n", "T108 $ (line 12, column 1): duplicate section"},
		"stray text":          {minimal + "\nHello.\n", "T108 $ (line 8, column 1): text before the first section"},
		"key and section":     {"---\nsubject: tool:user/x\nprompt: a\n---\n\n## Prompt\n\nb\n", "T101 definition.prompt (line 8, column 1): is in both the front matter and a section"},
		"two rationales":      {"---\nrationale: a\n---\n\n## Rationale\n\nb\n", "T103 rationale (line 7, column 1): is in both the front matter and a section"},

		"prose for examples":   {minimal + "\n## Examples\n\nCheck it.\n", `T104 examples (line 10, column 1): expected "- " before an example`},
		"unindented line":      {minimal + "\n## Examples\n\n- a\nb\n", `T104 examples (line 11, column 1): expected "- " before an example`},
		"examples of numbers":  {minimal + "\n## Examples\n\n```yaml\n- a\n- 1\n```\n", "T104 examples[1] (line 12, column 3): expected a string, got a number"},
		"examples in a map":    {minimal + "\n## Examples\n\n```yaml\na: 1\n```\n", "T104 examples (line 11, column 1): expected a list, got an object"},
		"broken block":         {minimal + "\n## Examples\n\n```yaml\n- [\n```\n", "T104 examples (line 11, column 1): not valid YAML"},
		"tag in a block":       {minimal + "\n## Examples\n\n```yaml\n- !!str 1\n```\n", "T104 examples[0] (line 11, column 3): YAML tags"},
		"text behind a block":  {minimal + "\n## Examples\n\n```yaml\n- a\n```\n- b\n", "T104 examples (line 13, column 1): unexpected text after the block"},
		"block without an end": {minimal + "\n## Test cases\n\n### a\n\n```yaml\ninput: a\n", "T105 testCases[0] (line 12, column 1): the block has no end; expected a line with ```"},

		"prose for test cases": {minimal + "\n## Test cases\n\nNone yet.\nReally.\n", `T105 testCases (line 10, column 1): expected a heading "### "`},
		"prose after a block":  {minimal + "\n## Test cases\n\n### a\n\n```yaml\ninput: a\n```\nb\n", `T105 testCases (line 15, column 1): expected a heading "### "`},
		"another language":     {minimal + "\n## Test cases\n\n### a\n\n```json\n{}\n```\n", "T105 testCases (line 12, column 1): expected a heading"},
		"name twice":           {minimal + "\n## Test cases\n\n### a\n\n```yaml\nname: b\n```\n", "T105 testCases[0].name (line 13, column 7): the heading already contains the name of the test case"},
		"list in a case":       {minimal + "\n## Test cases\n\n### a\n\n```yaml\n- b\n```\n", "T105 testCases[0] (line 13, column 1): expected the keys input, expect, output and checks, got a list"},
		"key of a case":        {minimal + "\n## Test cases\n\n### a\n\n```yaml\nexpected: pass\n```\n", "T105 testCases[0].expected (line 13, column 1): unknown key"},
		"check of a case":      {minimal + "\n## Test cases\n\n### a\n### b\n\n```yaml\nchecks:\n  - type: max_chars\n    value: many\n```\n", "T105 testCases[1].checks[0].value (line 16, column 12): expected a number for a max_chars check, got a string"},
	} {
		t.Run(name, func(t *testing.T) {
			got := decodeProblems(t, "x.md", tc.text)
			if !strings.Contains(got, tc.want) {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
			if n := strings.Count(got, "\n"); n > 0 {
				t.Errorf("%d problems too many: %s", n, got)
			}
		})
	}
}

func TestDecodeMarkdownWrittenByHand(t *testing.T) {
	const text = "\ufeff---\r\n# a comment\r\ntype: modify\r\nsubject: tool:user/x\r\nbaseVersion: 3\r\nkind: prompt\r\nchangeSet: '2026'\r\n---\r\n" +
		"## PROMPT\r\n\r\nDo it.\r\n\r\n## Soul\r\n\r\nis a line of the prompt here.\r\n" +
		"## examples\r\n* one\r\n\r\n-   two\r\n    deeper\r\n\r\n  more  \r\n\r\n" +
		"## Test Cases\r\n### slow is named\r\n```yml\r\ninput: a: b\r\n```\r\n###\tsecond \r\n````yaml\r\nchecks: [{type: evidence}]\r\n````\r\n## Rationale\r\n"
	_, err := DecodeMarkdown([]byte(text))
	if err == nil || !strings.Contains(err.Error(), "not valid YAML") {
		t.Fatalf("got %v; a colon in a bare YAML value has to be refused", err)
	}
	p, err := DecodeMarkdown([]byte(strings.Replace(text, "a: b", `"a: b"`, 1)))
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"baseVersion":3,"changeSet":"2026",` +
		`"definition":{"id":"x","kind":"prompt","prompt":"Do it.\n\n## Soul\n\nis a line of the prompt here."},` +
		`"examples":["one","two\n  deeper\n\nmore"],"subject":"tool:user/x",` +
		`"testCases":[{"input":"a: b","name":"slow is named"},{"checks":[{"type":"evidence"}],"name":"second"}],"type":"modify"}`
	if got := string(p.Draft.Canonical()); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestMarkdownListsInOneBlock(t *testing.T) {
	p, err := DecodeMarkdown([]byte(minimal + "\n## Examples\n\n```yaml\n```\n\n## Test cases\n\n```yaml\n- name: a\n- expect: fail\n```\n"))
	if err != nil {
		t.Fatal(err)
	}
	if d := p.Draft; d.Examples != nil || len(d.TestCases) != 2 || d.TestCases[0].Name != "a" || d.TestCases[1].Expect != ExpectFail {
		t.Errorf("got %s", d.JSON())
	}
}

func TestIDFollowsFromTheSubject(t *testing.T) {
	for name, tc := range map[string]struct{ front, want string }{
		"left out":      {"subject: tool:user/x\nname: X", "x"},
		"written":       {"subject: tool:user/x\nname: X\nid: y", "y"},
		"written empty": {"subject: tool:user/x\nname: X\nid: ''", ""},
		"no definition": {"subject: tool:user/x", ""},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := DecodeMarkdown([]byte("---\n" + tc.front + "\n---\n"))
			if err != nil || p.Draft.Definition.ID() != tc.want {
				t.Errorf("got %q, %v, want %q", p.Draft.Definition.ID(), err, tc.want)
			}
			if name == "no definition" && !p.Draft.Definition.IsZero() {
				t.Error("a file without keys of a definition has a definition")
			}
		})
	}
}

func TestPlacesOfProblemsInMarkdown(t *testing.T) {
	d := pacer()
	d.Definition.Tool.Prompt = "a\n<<<<<<< b\n=======\n>>>>>>> c"
	d.Examples[1] = "check the pacing of story/scenes/scn-harbour.MD"
	d.TestCases[1].Checks = nil
	text, err := d.Markdown()
	if err != nil {
		t.Fatal(err)
	}
	p, err := DecodeMarkdown(text)
	if err != nil {
		t.Fatal(err)
	}
	line := func(part string) int {
		before, _, _ := strings.Cut(string(text), part)
		return strings.Count(before, "\n") + 1
	}
	want := map[string]jsondoc.Pos{
		"definition.prompt":   {Line: line("a\n<<<<<<<"), Column: 1},
		"examples[1]":         {Line: line("- check the"), Column: 1},
		"testCases[1].checks": {Line: line("### no advice"), Column: 1},
	}
	ps := p.Problems()
	if len(ps) != len(want) {
		t.Errorf("got %v", ps)
	}
	for _, problem := range ps {
		if problem.Pos != want[problem.Path] {
			t.Errorf("%s: want %v", problem, want[problem.Path])
		}
	}
}

func TestFencesAreLongerThanTheirBlock(t *testing.T) {
	shortrun.OneGoroutine(t)
	d := pacer()
	d.TestCases[0].Input = "a\n" + strings.Repeat("`", 500_000) + "\n```"
	text, err := d.Markdown()
	if err != nil {
		t.Fatal(err)
	}
	if p, err := DecodeMarkdown(text); err != nil || !same(p.Draft, d) {
		t.Errorf("the decoded draft differs: %v", err)
	}
}

func TestMarkdownRefusesWhatItCouldNotRead(t *testing.T) {
	shortrun.OneGoroutine(t)
	d := pacer()
	d.Rationale = strings.Repeat("a", 1<<20) + "\n" // cannot be a section and is too long for front matter
	if _, err := d.Markdown(); err == nil {
		t.Error("wrote front matter that is too long")
	}
	d = pacer()
	d.TestCases[0].Input = strings.Repeat("a", 1<<20)
	if _, err := d.Markdown(); err == nil {
		t.Error("wrote a block that is too long")
	}
}
