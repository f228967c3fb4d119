package registry_test

import (
	"encoding/json"
	"strings"
	"testing"

	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
)

func decode(t *testing.T, kind registry.Kind, text string) registry.Definition {
	t.Helper()
	d, err := registry.DecodeDefinition(kind, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestEqualContentHasOneHash has groups of texts with the same meaning.
func TestEqualContentHasOneHash(t *testing.T) {
	for _, group := range []struct {
		kind  registry.Kind
		texts []string
	}{
		{registry.KindTool, []string{
			`{"id":"a","kind":"action","limits":{"dailyLimit":10},"inputSchema":{"type":"object","maxProperties":1}}`,
			`{"inputSchema":{"maxProperties":1.0,"type":"object"},"limits":{"cooldownSeconds":0,"dailyLimit":1e1},"kind":"action","id":"\u0061"}`,
			`{"id":"a","kind":"action","status":"active","aliases":[],"annotations":{},"availability":{"localOnly":false},"approval":{},"guidance":{},"provider":{},"source":{},"deferLoading":false,"limits":{"dailyLimit":10},"inputSchema":{"type":"object","maxProperties":1},"goals":""}`,
		}},
		{registry.KindTool, []string{`{"tag":{"prefix":"A"}}`, `{"tag":{"prefix":"A","argGroups":[]}}`}},
		{registry.KindAgent, []string{
			`{"id":"a","allowList":"code_gen"}`,
			`{"id":"a","allowList":{"name":"code_gen"},"status":"active","channelGuidance":{},"categories":[],"sessionOpen":{}}`,
		}},
		{registry.KindAgent, []string{
			`{"allowList":["get_tides"]}`,
			`{"allowList":{"tools":["get_tides"],"categories":[],"tier":[]}}`,
		}},
	} {
		first := decode(t, group.kind, group.texts[0])
		for _, text := range group.texts[1:] {
			if d := decode(t, group.kind, text); d.Hash() != first.Hash() {
				t.Errorf("%s\ndiffers from\n%s", d.Canonical(), first.Canonical())
			}
		}
	}
}

// TestOtherContentHasAnotherHash has texts with different meanings.
func TestOtherContentHasAnotherHash(t *testing.T) {
	seen := map[string]string{}
	for _, text := range []string{
		`{}`, `{"id":"a"}`, `{"id":"b"}`, `{"name":"a"}`, `{"status":"deactivated"}`, `{"annotations":{"readOnly":false}}`, `{"annotations":{"readOnly":true}}`,
		`{"inputSchema":{}}`, `{"inputSchema":{"x":9007199254740993}}`, `{"inputSchema":{"x":9007199254740992}}`, `{"prompt":"é"}`, `{"prompt":"e\u0301"}`,
		`{"prompt":"a\n"}`, `{"prompt":"a"}`, `{"aliases":["a","b"]}`, `{"aliases":["b","a"]}`,
	} {
		d := decode(t, registry.KindTool, text)
		if other, ok := seen[d.Hash()]; ok {
			t.Errorf("%s and %s have the same hash", text, other)
		}
		seen[d.Hash()] = text
	}
}

func TestDecodeAllowList(t *testing.T) {
	for text, want := range map[string]string{
		`{"allowList":"code_gen"}`:                            `"code_gen"`,
		`{"allowList":["b","a"]}`:                             `{"tools":["b","a"]}`,
		`{"allowList":{"name":"mine","tools":["a"]}}`:         `{"name":"mine","tools":["a"]}`,
		`{"allowList":{"categories":["web"],"tier":["low"]}}`: `{"categories":["web"],"tier":["low"]}`,
	} {
		b, err := json.Marshal(decode(t, registry.KindAgent, text).Agent.AllowList)
		if err != nil || string(b) != want {
			t.Errorf("%s becomes %s, %v", text, b, err)
		}
	}
	for text, want := range map[string]string{
		`{"allowList":""}`:             "allowList (line 1, column 14): expected the name of an allow-list, a list of tool ids or an object",
		`{"allowList":null}`:           "allowList (line 1, column 14): expected the name of",
		`{"allowList":7}`:              "allowList (line 1, column 14): expected the name of",
		`{"allowList":[1]}`:            "allowList[0] (line 1, column 15): expected a string, got a number",
		`{"allowList":{"tool":["a"]}}`: `allowList.tool (line 1, column 15): unknown key; did you mean "tools"?`,
	} {
		if _, err := registry.DecodeDefinition(registry.KindAgent, []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

func TestDefinition(t *testing.T) {
	var none registry.Definition
	if !none.IsZero() || none.ID() != "" || none.Name() != "" || none.Canonical() != nil || none.Hash() != "" {
		t.Error("an empty definition is not zero")
	}
	tool := decode(t, registry.KindTool, `{"id":"a","name":"A"}`)
	agent := decode(t, registry.KindAgent, `{"id":"b","name":"B","status":"deactivated"}`)
	if tool.Kind() != registry.KindTool || tool.ID() != "a" || tool.Name() != "A" || tool.Status() != registry.Active {
		t.Errorf("tool: %+v", tool)
	}
	if agent.Kind() != registry.KindAgent || agent.ID() != "b" || agent.Name() != "B" || agent.Status() != registry.Deactivated {
		t.Errorf("agent: %+v", agent)
	}
	off := tool.WithStatus(registry.Deactivated)
	if off.Status() != registry.Deactivated || tool.Status() != registry.Active {
		t.Error("a copy has another status, and only it")
	}
	if on := off.WithStatus(registry.Active); on.Hash() != tool.Hash() {
		t.Errorf("changed twice: %s", on.Canonical())
	}
	if on := agent.WithStatus(registry.Active); on.Status() != registry.Active || agent.Status() != registry.Deactivated {
		t.Error("a copy has another status, and only it")
	}
}

func FuzzDefinition(f *testing.F) {
	for _, text := range []string{
		`{"id":"a","kind":"prompt","name":"A","scope":"file","usageNotes":"u","goals":"g","guardrails":"r","prompt":"p","approval":{"tier":"auto_approve"}}`,
		`{"id":"a","kind":"action","inputSchema":{"b":1e2,"a":[null]},"tag":{"prefix":"A","argPattern":"(.+)","argGroups":["x"]},"provider":{"type":"http","url":"http://x"}}`,
		`{"id":"a","allowList":["x"],"channelGuidance":{"web":"w"},"sessionOpen":{"returning":"r"},"timezone":"Europe/Berlin"}`,
	} {
		f.Add(true, []byte(text))
		f.Add(false, []byte(text))
	}
	f.Fuzz(func(t *testing.T, isTool bool, data []byte) {
		kind := registry.KindAgent
		if isTool {
			kind = registry.KindTool
		}
		d, err := registry.DecodeDefinition(kind, data)
		if err == nil {
			err = d.Problems(jsondoc.Root).Err()
			again, err := registry.DecodeDefinition(kind, d.Canonical())
			if err != nil || again.Hash() != d.Hash() {
				t.Fatalf("%s was decoded as %s, %v", d.Canonical(), again.Canonical(), err)
			}
		}
		if err != nil {
			for _, r := range err.Error() {
				if r < ' ' || r > '~' {
					t.Fatalf("the error contains %U: %q", r, err)
				}
			}
		}
	})
}
