package wire_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"toolcrib/registry"
	"toolcrib/registry/wire"
)

func TestDecodeDetectsTheFormat(t *testing.T) {
	for _, c := range []struct {
		text   string
		format wire.Format
		names  string
	}{
		{`{"tools":[{"name":"a","inputSchema":{}}]}`, wire.MCP, "a"},
		{`{"tools":[]}`, wire.MCP, ""},
		{`{"result":{"tools":[{"name":"a"},{"name":"b","inputSchema":{}}]}}`, wire.MCP, "a b"},
		{`[{"type":"function","function":{"name":"a"}}]`, wire.OpenAI, "a"},
		{`[{"type":"function","name":"a","parameters":{}}]`, wire.OpenAI, "a"},
		{`{"functions":[{"name":"a"}]}`, wire.OpenAI, "a"},
		{`{"tools":[{"type":"function","function":{"name":"a"}},{"type":"code_interpreter"}]}`, wire.OpenAI, "a"},
		{`[{"name":"a","input_schema":{}}]`, wire.Anthropic, "a"},
		{`{"prompts":[{"id":"a"}]}`, wire.V0, "a"},
		{`["a","b"]`, wire.Names, "a b"},
		{`{"schema":1,"kind":"export","tools":[]}`, wire.Toolcrib, ""},
	} {
		doc, err := wire.Decode([]byte(c.text))
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		var names []string
		for _, it := range doc.Items {
			names = append(names, it.Name)
		}
		if got := strings.Join(names, " "); doc.Format != c.format || got != c.names {
			t.Errorf("%s is %s with %q, want %s with %q", c.text, doc.Format, got, c.format, c.names)
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	for _, text := range []string{`{}`, `[]`, `7`, `[7]`, `{"tools":{}}`} {
		if _, err := wire.Decode([]byte(text)); !errors.Is(err, wire.ErrFormat) {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, text := range []string{
		`{"tools":[{"name":"a"}],"tools":[]}`, `{"tools":[{"name":"a"}],"d":"\ud83d"}`, `{"tools":[{"name":"a","d":"\ud83d"}]} x`,
		`{"kind":"export","tools":[{"subject":"tool:user/a"}]}`, `{"kind":"export","tools":[{"subject":"agent:user/a","definition":{}}]}`,
	} {
		if _, err := wire.Decode([]byte(text)); err == nil || errors.Is(err, wire.ErrFormat) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestDecodeSkips leaves out single entries of a list, and names each with its reason (G24).
func TestDecodeSkips(t *testing.T) {
	doc, err := wire.Decode([]byte(`{"protocolVersion":"x","unread":[{"name":"u","reason":"is not valid JSON","detail":"d"}],"tools":[
		{"name":"a"},null,"text",{"inputSchema":{}},{"name":"a","title":"A"},{"name":"a"},{"name":"b","type":"function"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	var names, skipped []string
	for _, it := range doc.Items {
		names = append(names, it.Name)
	}
	for _, s := range doc.Skipped {
		skipped = append(skipped, s.String())
	}
	if got := strings.Join(names, " "); doc.Format != wire.MCP || got != "a b" {
		t.Errorf("%s with %q", doc.Format, got)
	}
	want := []string{`"u" is not valid JSON: d`, "tools[1] is null, not a tool", "tools[2] is a string, not a tool", "tools[3] has no name", `"a" is listed twice with different definitions, so the second definition is ignored`}
	if !slices.Equal(skipped, want) {
		t.Errorf("skipped %q", skipped)
	}
}

// TestSalvage replaces entries that are no strict JSON, and keeps the places of the others.
func TestSalvage(t *testing.T) {
	answer := []byte("{\"a\":[1],\"tools\":[{\"name\":\"x\"},\n {\"name\":\"s\",\n\"d\":\"ü\\ud83d\"},{\"name\":\"y\",\"name\":\"z\"}, {\"name\":\"w\"}],\"b\":{}}")
	n, text, odd, ok := wire.ParseLenient(answer, "tools")
	if !ok || len(odd) != 2 || odd[1].Name != "s" || odd[2].Name != "z" || !strings.HasPrefix(odd[1].Detail, "d (line 3, column 7): ") {
		t.Errorf("%s %+v %v", text, odd, ok)
	}
	if w := n.Get("tools").Items[3]; w.Pos.Line != 3 || w.Pos.Column != 41 || bytes.Count(text, []byte("\n")) != 2 {
		t.Errorf("the last is at %+v in %q", w.Pos, text)
	}
	for _, broken := range []string{`{"tools":[{]}`, `{"tools":{}}`, `[]`, `{"tools":[]} x`} {
		if _, _, _, ok := wire.ParseLenient([]byte(broken), "tools"); ok {
			t.Errorf("%s is read", broken)
		}
	}
}

// TestDecodeSkipsWhatCannotBeRead decodes lists in which single entries break a rule for all JSON
// that toolcrib reads, or do not say what they are: the others are read (G24).
func TestDecodeSkipsWhatCannotBeRead(t *testing.T) {
	const good, anthropic, openAI = `{"name":"good","inputSchema":{}}`, `{"name":"good","input_schema":{}}`, `{"type":"function","function":{"name":"good","parameters":{}}}`
	deep := `{"name":"odd","inputSchema":` + strings.Repeat(`{"a":`, 130) + "1" + strings.Repeat("}", 131)
	for entry, want := range map[string]string{
		deep:                                "nested more than 126 levels deep",
		`{"name":"odd","d":"\ud83d"}`:       "unpaired surrogate",
		`{"name":"odd","d":1e99999}`:        "the number is out of range",
		`{"name":"odd","name":"odd"}`:       "duplicate key",
		"{\"name\":\"odd\",\"d\":\"\xff\"}": "not valid UTF-8",
		`{"name":"odd","` + strings.Repeat("k", 1025) + `":1}`:      "the key is longer",
		`{"name":"odd","d":[` + strings.Repeat("0,", 1<<20) + `0]}`: "more than 1048576 values",
		`null`:                      "[1]",
		"\"\xff\"":                  "[1] cannot be read",
		`{"description":"no name"}`: "has no name",
	} {
		for around, first := range map[string]string{
			"[%s,%s,%s]": good, `{"tools":[%s,%s,%s]}`: good, `{"jsonrpc":"2.0","result":{"tools":[%s,%s,%s]}}`: good,
			"[%s, %s, %s]": anthropic, "[%s , %s , %s]": openAI,
		} {
			doc, err := wire.Decode(fmt.Appendf(nil, around, first, entry, strings.Replace(first, "good", "last", 1)))
			if err != nil || len(doc.Items) != 2 || doc.Items[1].Name != "last" || len(doc.Skipped) != 1 {
				t.Errorf("%.60s in %s: %d items, %+v, %v", entry, around, len(doc.Items), doc.Skipped, err)
				continue
			}
			if got := doc.Skipped[0].String(); !strings.Contains(got, want) || len(got) > 300 || strings.Contains(entry, `"odd"`) && !strings.HasPrefix(got, `"odd" cannot be read: `) {
				t.Errorf("%.60s is skipped as %s", entry, got)
			}
			if at := doc.Skipped[0].Entry; string(at.Raw) != entry || !strings.HasSuffix(at.Path, "[1]") {
				t.Errorf("%.60s is at %s", entry, at.Path)
			}
		}
	}
}

func TestRawIsKeptByteByByte(t *testing.T) {
	const raw = `{ "name":"a",  "x-rate": 1.50, "inputSchema":{"type":"object"} }`
	doc, err := wire.Decode([]byte(`{"tools":[` + raw + `]}`))
	if err != nil {
		t.Fatal(err)
	}
	if got := string(doc.Items[0].Raw); got != raw {
		t.Errorf("kept %s", got)
	}
	same, err := wire.HashRaw([]byte(`{"inputSchema":{"type":"object"},"name":"a","x-rate":1.5}`))
	if err != nil || same != doc.Items[0].Hash() {
		t.Errorf("the hash depends on the order of keys: %v", err)
	}
	other, err := wire.HashRaw([]byte(`{"inputSchema":{"type":"object"},"name":"a","x-rate":2}`))
	if err != nil || other == doc.Items[0].Hash() {
		t.Errorf("the hash ignores an unknown key: %v", err)
	}
}

func TestAbsentHintsAreNotInvented(t *testing.T) {
	it, err := wire.ReadItem(wire.MCP, []byte(`{"name":"a","description":"A.","inputSchema":{"$schema":"x"},"annotations":{"destructiveHint":false}}`))
	if err != nil {
		t.Fatal(err)
	}
	yes := true
	tool := it.ApplyTo(registry.Tool{Annotations: &registry.Annotations{ReadOnly: &yes, RequiresConfirmation: &yes}, Category: "web"})
	a := tool.Annotations
	if a.ReadOnly != nil || a.Idempotent != nil || a.OpenWorld != nil || a.Destructive == nil || *a.Destructive || a.RequiresConfirmation == nil {
		t.Errorf("hints: %+v", *a)
	}
	if tool.Category != "web" || string(tool.InputSchema) != `{"$schema":"x"}` || tool.Kind != registry.ActionTool {
		t.Errorf("tool: %+v", tool)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"tools":[{"name":"a","inputSchema":{"type":"object"},"annotations":{"title":"A"}}]}`))
	f.Add([]byte(`[{"type":"function","function":{"name":"a"}}]`))
	f.Add([]byte(`{"prompts":[{"id":"a","name":7}]}`))
	f.Add([]byte(`{"kind":"export","tools":[{"subject":"tool:user/a","definition":{"id":"a"}}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		doc, err := wire.Decode(data)
		if err != nil {
			return
		}
		for _, it := range doc.Items {
			if doc.Format == wire.Names {
				continue
			}
			again, err := wire.ReadItem(doc.Format, it.Raw)
			if err != nil || again.Hash() != it.Hash() || again.Name != it.Name {
				t.Errorf("%s: cannot read it again: %v", it.Raw, err)
			}
			if len(it.Problems()) == 0 {
				it.Rest(registry.Tool{})
				it.ApplyTo(registry.Tool{})
			}
		}
	})
}

// TestKeysOfTheFile checks that keys of a file outside of its definitions are reported
// (C47).
func TestKeysOfTheFile(t *testing.T) {
	doc, err := wire.Decode([]byte(`{"version":3,"prompts":[{"id":"a","name":"A","version":7}],"note":"x"}`))
	if err != nil || !slices.Equal(doc.NotKept, []string{"version", "note"}) {
		t.Errorf("%q, %v", doc.NotKept, err)
	}
	doc, err = wire.Decode([]byte(`{"version":3,"tools":[]}`))
	if err != nil || !slices.Equal(doc.NotKept, []string{"version"}) {
		t.Errorf("%q, %v", doc.NotKept, err)
	}
}
