package proposals

import (
	"errors"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"toolcrib/internal/shortrun"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/mdfile"
)

// FuzzDecodeFile checks that nothing panics, that errors are safe to print, and
// that decoded drafts survive both formats.
func FuzzDecodeFile(f *testing.F) {
	shortrun.OneGoroutine(f)
	for _, d := range goldens() {
		f.Add(d.JSON())
		md, err := d.Markdown()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(md)
	}
	f.Add([]byte(`{"type":"new"}[{"subject":"agent:user/x","definition":{"allowList":["a"]}}]`))
	f.Add([]byte("---\nsubject: tool:user/x\n---\n\n## Examples\n\n* a\n\n  b\n\n## Test cases\n\n###\n\n### c\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		parsed, err := DecodeFile("", data)
		for _, p := range parsed {
			safe(t, p.Problems().String())
		}
		if err == nil {
			for _, p := range parsed {
				roundTrip(t, p.Draft)
			}
			return
		}
		var bad *DecodeError
		if !errors.As(err, &bad) || len(bad.Problems) == 0 {
			t.Fatalf("got %T %v, want a DecodeError with problems", err, err)
		}
		safe(t, err.Error())
	})
}

// FuzzTexts uses any texts in all fields.
func FuzzTexts(f *testing.F) {
	shortrun.OneGoroutine(f)
	f.Add("a", "b", "c")
	f.Add("", " ", "\n")
	f.Add("two\nlines", "- bullet", "```yaml\n- a\n```")
	f.Add("## Prompt", "\\## Examples", "### a\n---\n")
	f.Add("trailing \n", "\ttab", "CR\r\nLF")
	f.Add("null", "true", "1e3")
	f.Add("key: value", "# comment", "\ufeff\u2028\u0085\u202e\U000e0041")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		for _, s := range []string{a, b, c} {
			if !utf8.ValidString(s) || strings.ContainsRune(s, 0) {
				t.Skip("a text that decoders refuse")
			}
		}
		value, err := jsondoc.Marshal(map[string]any{"default": a, "enum": []string{b, c}, "null": nil})
		if err != nil {
			t.Fatal(err)
		}
		d := Draft{
			Type:      Modify,
			Subject:   toolSubject("x"),
			Rationale: a,
			Examples:  []string{b, c, a},
			TestCases: []TestCase{
				{Name: c, Input: a, Output: &b, Checks: []Check{{Type: CheckJSONSchema, Value: value}}},
				{Name: a, Input: b, Expect: ExpectFail},
			},
			ChangeSet: b,
			Definition: registry.Definition{Tool: &registry.Tool{
				ID: c, Name: a, UsageNotes: b, Goals: c, Prompt: a + "\n" + b, Description: c,
				InputSchema: value, Aliases: []string{a, b}, Guidance: map[string]string{"web": c},
				Tag: &registry.Tag{Prefix: a, Example: b},
			}},
		}
		roundTrip(t, d)
		d.Subject.Kind = registry.KindAgent
		d.Definition = registry.Definition{Agent: &registry.Agent{
			ID: "x", Name: b, Soul: a, PromptTemplate: b, Onboarding: c,
			ChannelGuidance: map[string]string{"web": a, "telegram": b},
			SessionOpen:     &registry.SessionOpen{Bootstrap: c, Returning: "x" + a},
			AllowList:       &registry.AllowList{Name: a, Tools: []string{b}},
			Categories:      []string{c},
		}}
		roundTrip(t, d)
	})
}

// roundTrip encodes d in both formats and decodes it again.
func roundTrip(t *testing.T, d Draft) {
	t.Helper()
	text := d.JSON()
	parsed, err := DecodeJSON(text)
	if err != nil || len(parsed) != 1 || !same(parsed[0].Draft, d) {
		t.Fatalf("the decoded JSON differs: %v\n%s", err, text)
	}
	if string(parsed[0].Draft.JSON()) != string(text) {
		t.Fatalf("JSON is written differently the second time:\n%s\n%s", text, parsed[0].Draft.JSON())
	}
	md, err := d.Markdown()
	if errors.Is(err, mdfile.ErrFormat) {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	p, err := DecodeMarkdown(md)
	if err != nil || !same(p.Draft, d) {
		t.Fatalf("the decoded Markdown differs: %v\n%s\n%s", err, md, p.Draft.JSON())
	}
	again, err := p.Draft.Markdown()
	if err != nil || string(again) != string(md) {
		t.Fatalf("Markdown is written differently the second time: %v\n%s\n%s", err, md, again)
	}
}

// safe fails if a message contains characters that could deceive a terminal or a
// reader.
func safe(t *testing.T, message string) {
	t.Helper()
	for _, r := range message {
		if !unicode.IsPrint(r) {
			t.Fatalf("a message contains U+%04X: %q", r, message)
		}
	}
}
