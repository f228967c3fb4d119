package wire_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/wire"
)

const promptEntry = `{"name":"weather","title":"Weather","description":"Asks.","icons":[{"src":"x"}],"arguments":[{"name":"city","description":"The city.","required":true},{"name":"mood","x":"y"}]}`

func answer(text string) json.RawMessage {
	return []byte(`{"_meta":{"at":1},"resultType":"complete","messages":[{"role":"user","content":{"type":"text","text":` + string(jsondoc.Canonical(jsondoc.NewString(text))) + `}},{"role":"assistant","content":{"type":"image","data":"aGk=","mimeType":"image/png"}}]}`)
}

func prompt(t *testing.T) []byte {
	t.Helper()
	raw, err := wire.NewPrompt([]byte(promptEntry), []wire.PromptAnswer{
		{With: []string{"city", "mood"}, Result: answer("Is it {{mood}} in {{city}}?")},
		{With: []string{"city"}, Result: answer("How is it in {{city}}?")},
	})
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func TestServerTextCoversItsAnswers(t *testing.T) {
	text, err := wire.ReadServerText(prompt(t))
	if err != nil || string(text.Entry) != promptEntry {
		t.Fatal(err, string(text.Entry))
	}
	bonn := map[string]string{"city": "Bonn", "mood": "sunny", "other": "?"}
	for name, test := range map[string]struct {
		args   map[string]string
		result json.RawMessage
		want   bool
	}{
		"both arguments":               {bonn, answer("Is it sunny in Bonn?"), true},
		"the one that is required":     {map[string]string{"city": "Bonn"}, answer("How is it in Bonn?"), true},
		"an empty argument":            {map[string]string{"city": "Bonn"}, answer("Is it  in Bonn?"), true},
		"a placeholder as a value":     {map[string]string{"city": "{{mood}}", "mood": "sunny"}, answer("Is it sunny in {{mood}}?"), true},
		"a value that is filled again": {map[string]string{"city": "{{mood}}", "mood": "sunny"}, answer("Is it sunny in sunny?"), false},
		"the value of another":         {bonn, answer("Is it sunny in Rome?"), false},
		"another text":                 {bonn, answer("Is it sunny in Bonn? Mail me."), false},
		"another image":                {bonn, json.RawMessage(strings.Replace(string(answer("Is it sunny in Bonn?")), "aGk=", "aGo=", 1)), false},
		"another role":                 {bonn, json.RawMessage(strings.Replace(string(answer("Is it sunny in Bonn?")), `"user"`, `"assistant"`, 1)), false},
		"one more member":              {bonn, json.RawMessage(strings.Replace(string(answer("Is it sunny in Bonn?")), `"type":"text"`, `"type":"text","a":1`, 1)), false},
		"a description":                {bonn, json.RawMessage(strings.Replace(string(answer("Is it sunny in Bonn?")), `{`, `{"description":"Do it.",`, 1)), false},
		"no messages":                  {bonn, json.RawMessage(`{}`), false},
		"no JSON":                      {bonn, json.RawMessage(`{`), false},
	} {
		if got := text.Covers(test.args, test.result); got != test.want {
			t.Errorf("%s: covers %t", name, got)
		}
	}
}

func TestServerTextAsATool(t *testing.T) {
	doc, err := wire.Decode([]byte(`{"serverInfo":{"name":"sky"},"tools":[],"texts":[` + string(prompt(t)) + `,` + string(wire.NewInstructions("Be brief.")) + `]}`))
	if err != nil || !doc.Texts || len(doc.Items) != 2 {
		t.Fatal(err, doc.Texts, len(doc.Items))
	}
	got := doc.Items[0].ApplyTo(registry.Tool{})
	want := registry.Tool{
		Kind: registry.ServerText, Name: "Weather", Description: "Asks.",
		Prompt: "[with city, mood]\nIs it {{mood}} in {{city}}?\n" + `{"content":{"data":"aGk=","mimeType":"image/png","type":"image"},"role":"assistant"}` +
			"\n\n[with city]\nHow is it in {{city}}?\n" + `{"content":{"data":"aGk=","mimeType":"image/png","type":"image"},"role":"assistant"}`,
		InputSchema: []byte(`{"properties":{"city":{"description":"The city.","type":"string"},"mood":{"type":"string","x":"y"}},"required":["city"],"type":"object"}`),
	}
	if string(registry.Definition{Tool: &got}.Canonical()) != string(registry.Definition{Tool: &want}.Canonical()) {
		t.Errorf("got %s", registry.Definition{Tool: &got}.Canonical())
	}
	if rest := string(jsondoc.Canonical(doc.Items[0].Unread(got))); rest != `{"entry":{"icons":[{"src":"x"}]}}` {
		t.Errorf("Unread returned %s", rest)
	}
	instructions := doc.Items[1].ApplyTo(registry.Tool{})
	if doc.Items[1].Name != wire.InstructionsName || instructions.Prompt != "Be brief." || instructions.Kind != registry.ServerText {
		t.Errorf("instructions are %+v", instructions)
	}
	if _, left, err := wire.Encode(wire.OpenAI, []wire.Listed{{Tool: registry.Tool{ID: "sky_instructions", Kind: registry.ServerText}}}); err != nil || !slices.Equal(left, []string{"1 text tools: sky_instructions"}) {
		t.Errorf("left: %q, %v", left, err)
	}
}

// TestOddServerTexts has documents that were written by hand.
func TestOddServerTexts(t *testing.T) {
	for _, raw := range []string{
		`{"name":"prompts/x","prompt":{"name":"x"},"answers":[{"with":1}]}`,
		`{"name":"prompts/x","prompt":[],"answers":{}}`,
		`{"name":"prompts/x","prompt":{"arguments":[{"name":"a"},{"name":"a"}],"title":{}},"answers":[{"messages":{}},{"with":["a"],"messages":[1]}]}`,
		`{"name":"instructions","instructions":{}}`,
		`{"name":"y"}`,
	} {
		it, err := wire.ReadItem(wire.MCPText, []byte(raw))
		if err != nil {
			t.Fatal(err)
		}
		_ = it.Problems() // must not panic
		it.Rest(it.ApplyTo(registry.Tool{}))
		it.Unread(registry.Tool{})
		if text, err := wire.ReadServerText([]byte(raw)); err == nil && text.Covers(nil, answer("x")) {
			t.Errorf("%s covers anything", raw)
		}
	}
}
