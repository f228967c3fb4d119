package mdfile_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/mdfile"
)

const toolFile = `---
id: scene_pacer
kind: prompt
name: Scene Pacer
scope: file
inputSchema:
  type: object
  properties:
    path: {type: string, description: "Where: the scene"}
approval: {tier: auto_approve}
---

## Usage Notes

When a scene drags.

## Prompt

Read it.

\## Goals

Not a section.
`

func TestDecodeTool(t *testing.T) {
	d, err := mdfile.DecodeDefinition(registry.KindTool, []byte(toolFile))
	if err != nil {
		t.Fatal(err)
	}
	want := registry.Tool{
		ID: "scene_pacer", Kind: registry.PromptTool, Name: "Scene Pacer", Scope: registry.ScopeFile,
		UsageNotes:  "When a scene drags.",
		Prompt:      "Read it.\n\n## Goals\n\nNot a section.",
		InputSchema: json.RawMessage(`{"properties":{"path":{"description":"Where: the scene","type":"string"}},"type":"object"}`),
		Approval:    &registry.Approval{Tier: registry.AutoApprove},
	}
	if !reflect.DeepEqual(*d.Tool, want) {
		t.Errorf("got %+v, want %+v", *d.Tool, want)
	}
}

const agentFile = `---
id: assistant
name: Assistant
channelGuidance:
  web: ""
sessionOpen: {returning: Welcome back.}
---

## Soul

Be kind.

## Session open: bootstrap

Say hello.

## Channel: telegram

Short.
## Channel: Not One

Still telegram.
`

func TestDecodeAgent(t *testing.T) {
	d, err := mdfile.DecodeDefinition(registry.KindAgent, []byte(agentFile))
	if err != nil {
		t.Fatal(err)
	}
	want := registry.Agent{
		ID: "assistant", Name: "Assistant", Soul: "Be kind.",
		ChannelGuidance: map[string]string{"web": "", "telegram": "Short.\n## Channel: Not One\n\nStill telegram."},
		SessionOpen:     &registry.SessionOpen{Bootstrap: "Say hello.", Returning: "Welcome back."},
	}
	if !reflect.DeepEqual(*d.Agent, want) {
		t.Errorf("got %+v, want %+v", *d.Agent, want)
	}
}

func TestDecodeReports(t *testing.T) {
	for name, tt := range map[string]struct {
		kind       registry.Kind
		text, want string
	}{
		"unknown key":         {registry.KindTool, "---\nusage_notes: x\n---\n", `usage_notes (line 2, column 1): unknown key; use "usageNotes"`},
		"wrong type":          {registry.KindTool, "---\nname: 12\n---\n", "name (line 2, column 7): expected a string, got a number"},
		"null":                {registry.KindTool, "---\nname:\n---\n", "name (line 2, column 6): expected a string, got null"},
		"text twice":          {registry.KindTool, "---\ngoals: x\n---\n## Goals\n\ny\n", "goals (line 6, column 1): is in both the front matter and a section"},
		"channel twice":       {registry.KindAgent, "---\nchannelGuidance: {web: x}\n---\n## channel: web\ny\n", "channelGuidance.web (line 5, column 1): is in both the front matter and a section"},
		"section in a string": {registry.KindAgent, "---\nsessionOpen: x\n---\n## Session open: returning\ny\n", "sessionOpen (line 2, column 14): expected an object, got a string"},
		"agent's section":     {registry.KindTool, "---\nid: x\n---\n## Soul\ny\n", "text before the first section"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := mdfile.DecodeDefinition(tt.kind, []byte(tt.text))
			var ps jsondoc.Problems
			if !errors.As(err, &ps) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

func TestGatherLeavesOtherSections(t *testing.T) {
	titles := mdfile.DefinitionTitles(registry.KindTool, "Rationale")
	f, err := mdfile.Parse([]byte("---\nid: x\n---\n## Goals\ng\n## Rationale\nr\n## Prompt\n"), titles)
	if err != nil {
		t.Fatal(err)
	}
	rest, ps := mdfile.InsertSections(registry.KindTool, f.Front, "definition", f.Sections)
	if ps != nil || len(rest) != 1 || rest[0].Title != "Rationale" || rest[0].Text != "r" {
		t.Errorf("rest = %+v, %v", rest, ps)
	}
	if got := string(jsondoc.Canonical(f.Front)); got != `{"goals":"g","id":"x"}` {
		t.Errorf("definition = %s", got)
	}
}

func TestEncodeNothing(t *testing.T) {
	if b, err := mdfile.EncodeDefinition(registry.Definition{}); !errors.Is(err, mdfile.ErrFormat) {
		t.Errorf("got %q, %v", b, err)
	}
}

// FuzzDefinition writes and reads definitions with any text in every place, and
// compares the canonical JSON.
func FuzzDefinition(f *testing.F) {
	for _, s := range []string{"", "x", "## Prompt\n\n\\## Goals", "\n x \n", "a\r\nb", "web", "## Channel: web", "yes", "# h\n\n```\n## Soul\n```"} {
		f.Add(s, "web")
		f.Add("x", s)
	}
	f.Fuzz(func(t *testing.T, s, key string) {
		if !utf8.ValidString(s+key) || strings.Contains(s+key, "\x00") || utf8.RuneCountInString(key) > 1_024 {
			return
		}
		schema, err := jsondoc.Marshal(map[string]any{key: s})
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range []registry.Definition{
			{Tool: &registry.Tool{ID: s, UsageNotes: s, Goals: s, Guardrails: s, Prompt: s, Description: s, InputSchema: schema, Guidance: map[string]string{key: s}}},
			{Agent: &registry.Agent{
				Name: s, Soul: s, PromptTemplate: s, OperatingModel: s, InteractionLearning: s, Onboarding: s,
				ChannelGuidance: map[string]string{key: s, "web": s}, SessionOpen: &registry.SessionOpen{Bootstrap: s},
			}},
		} {
			// Values with the same meaning as an absent key become absent.
			d, err := registry.DecodeDefinition(d.Kind(), d.Canonical())
			if err != nil {
				t.Fatal(err)
			}
			text, err := mdfile.EncodeDefinition(d)
			if err != nil {
				t.Fatal(err)
			}
			back, err := mdfile.DecodeDefinition(d.Kind(), text)
			if err != nil {
				t.Fatalf("%v in\n%s", err, text)
			}
			if back.Hash() != d.Hash() {
				t.Errorf("got %s\nwant %s\nfrom\n%s", back.Canonical(), d.Canonical(), text)
			}
		}
	})
}
