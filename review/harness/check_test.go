package harness

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"toolcrib/proposals"
)

// object is a JSON schema in a table.
type object = map[string]any

const call = `{"tool":"file_reader","args":{"file_path":"a.md"},"nonce":"k3j9"}`

// checkCases lists answers that satisfy a check and answers that violate it.
var checkCases = []struct {
	kind   proposals.CheckType
	value  any
	holds  []string
	breaks []string
}{
	{
		proposals.CheckJSONOnly, nil,
		[]string{`{}`, ` [1, 2]` + "\n", `"text"`, `null`, `{"a":{"b":"` + "```" + `"}}`},
		[]string{"", "plain", "Here: {}", "{} done", "{}{}", "```json\n{}\n```", "\u200b{}", `{"a":1,"a":2}`, `{'a':1}`, `{"a":1,}`, strings.Repeat("[", 100) + strings.Repeat("]", 100)},
	},
	{
		proposals.CheckNoFences, nil,
		[]string{"", "plain", "`code`", "a ``` b", "``\nx\n``", "~~struck~~", `{"a":"` + "```" + `"}`},
		[]string{"```\nx\n```", "Text\n  ```go\nx", "~~~\nx\n~~~", "- ```\n  x", "> ```", "1. ~~~", "> - ```json", "x\n\t```"},
	},
	{
		proposals.CheckToolCall, nil,
		[]string{call, "```json\n" + call + "\n```", "\ufeff" + call + "\n"},
		[]string{"", "I call it.", call + call, "Sure: " + call, `{"tool":"x","args":{}}`, `{"tool":"x","args":[],"nonce":"n"}`},
	},
	{
		proposals.CheckJSONSchema,
		object{"type": "object", "required": []string{"name"}, "properties": object{"age": object{"type": "integer", "minimum": 0}}},
		[]string{`{"name":"x"}`, "```json\n{\"name\":\"x\",\"age\":3}\n```", "\n{\"name\":1}"},
		[]string{"", "x", `{}`, `[]`, `{"name":"x","age":-1}`, `{"name":"x"} and more`},
	},
	{
		proposals.CheckContains, "slow",
		[]string{"slow", "The scene is slow."},
		[]string{"", "Slow", "s low", "sl\u200bow"},
	},
	{
		proposals.CheckNotContains, "secret",
		[]string{"", "Secret", "se cret"},
		[]string{"secret", "the secrets", "se\u200bcret", "ｓecret", "secre\u2060t"},
	},
	{
		proposals.CheckMatches, `(?m)^Verdict: (READY|NOT READY)$`,
		[]string{"Verdict: READY", "x\nVerdict: NOT READY\ny"},
		[]string{"", "verdict: READY", "Verdict: READY."},
	},
	{
		proposals.CheckMaxChars, 5,
		[]string{"", "12345", "äöüßé", "👩\u200d🚀ab"},
		[]string{"123456", "12345\n"},
	},
}

func TestChecks(t *testing.T) {
	for _, tt := range checkCases {
		t.Run(string(tt.kind), func(t *testing.T) {
			c := checkOf(t, tt.kind, tt.value)
			for _, text := range tt.holds {
				if reason, err := (answer{text: text}).check(c); reason != "" || err != nil {
					t.Errorf("%q: got %q, %v", text, reason, err)
				}
			}
			for _, text := range tt.breaks {
				reason, err := answer{text: text}.check(c)
				if reason == "" || err != nil {
					t.Errorf("%q: holds, %v", text, err)
				}
				safe(t, reason)
			}
		})
	}
}

func TestEveryCheckIsKnown(t *testing.T) {
	for _, kind := range proposals.CheckTypes() {
		if _, err := (answer{text: "x"}).check(proposals.Check{Type: kind}); err != nil && strings.Contains(err.Error(), "no such check") {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

func TestChecksThatCanNotBeEvaluated(t *testing.T) {
	endless := object{"$ref": "#"}
	tests := []struct {
		name string
		c    proposals.Check
		text string
	}{
		{"unknown", checkOf(t, "regex", "x"), "x"},
		{"no value", checkOf(t, proposals.CheckContains, nil), "x"},
		{"other value", checkOf(t, proposals.CheckContains, 7), "x"},
		{"empty text", checkOf(t, proposals.CheckContains, ""), "x"},
		{"empty text not", checkOf(t, proposals.CheckNotContains, ""), "x"},
		{"no pattern", checkOf(t, proposals.CheckMatches, ""), "x"},
		{"bad pattern", checkOf(t, proposals.CheckMatches, "("), "x"},
		{"look ahead", checkOf(t, proposals.CheckMatches, "(?=x)"), "x"},
		{"long pattern", checkOf(t, proposals.CheckMatches, strings.Repeat("x", 1_001)), "x"},
		{"no limit", checkOf(t, proposals.CheckMaxChars, 0), "x"},
		{"half a limit", checkOf(t, proposals.CheckMaxChars, 1.5), "x"},
		{"no schema", checkOf(t, proposals.CheckJSONSchema, nil), "{}"},
		{"invalid schema", checkOf(t, proposals.CheckJSONSchema, object{"type": "thing"}), "{}"},
		{"endless schema", checkOf(t, proposals.CheckJSONSchema, endless), "{}"},
		{"schema of a file", checkOf(t, proposals.CheckJSONSchema, object{"$ref": "file:///etc/passwd"}), "{}"},
		{"broken value", proposals.Check{Type: proposals.CheckContains, Value: json.RawMessage(`"`)}, "x"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			reason, err := answer{text: tt.text}.check(tt.c)
			if err == nil {
				t.Fatalf("got %q and no error", reason)
			}
			safe(t, err.Error())
		})
	}
}

// FuzzChecks runs checks of all types on arbitrary text. The reason of a failure must be safe to print.
func FuzzChecks(f *testing.F) {
	f.Add("- The scene drags [a.md:3-9].\n\n| a | b |\n|--|--|\n| x | y |", "The \"scene\"", "drags")
	f.Add(call, "", "\u202e")
	f.Add("Tool result: {\"a\":[1,2]}\n```\nx", "x\ny\nz", "(a|b)*")
	f.Add(`{"findings":[{"text":"it is slow","path":"a.md","line":3}]}`, "in", "x")
	f.Fuzz(func(t *testing.T, text, input, value string) {
		a := answer{text: text, input: input}
		quoted, err := json.Marshal(strings.ToValidUTF8(value, "?"))
		if err != nil {
			t.Fatal(err)
		}
		for _, kind := range proposals.CheckTypes() {
			c := proposals.Check{Type: kind}
			switch kind {
			case proposals.CheckContains, proposals.CheckNotContains, proposals.CheckMatches:
				c.Value = quoted
			case proposals.CheckMaxChars:
				c.Value = json.RawMessage(`10`)
			case proposals.CheckJSONSchema:
				c.Value = json.RawMessage(`{"type":"object","additionalProperties":{"type":"string"}}`)
			case proposals.CheckJSONOnly, proposals.CheckNoFences, proposals.CheckToolCall, proposals.CheckEvidence, proposals.CheckNoFakeToolUse:
			}
			reason, err := a.check(c)
			safe(t, reason)
			if err != nil {
				safe(t, err.Error())
			}
		}
		if joined := strings.Join(slices.Collect(sentences(text)), ""); len(joined) > len(text) {
			t.Fatalf("the sentences of %q are longer than it", text)
		}
	})
}
