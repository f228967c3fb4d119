// This file reads and writes prompt registries in the v0 file format.

package registry

import (
	"fmt"
	"slices"

	"toolcrib/internal/lists"
	"toolcrib/registry/jsondoc"
)

// V0File is a prompt registry in the v0 file format: a JSON object with a list of
// prompt tools under the key "prompts". The maintainer of the file chooses the order of
// the list.
type V0File struct {
	Prompts []V0Prompt `json:"prompts"`

	rest []jsondoc.Member // other keys, which are not part of the format
}

// BindJSON implements jsondoc.Binder. It retains unknown keys.
func (f *V0File) BindJSON(n *jsondoc.Node, path string) jsondoc.Problems {
	type object V0File
	known := *n
	known.Members, f.rest = nil, nil
	for _, m := range n.Members {
		if m.Key == "prompts" {
			known.Members = append(known.Members, m)
			continue
		}
		f.rest = append(f.rest, m)
	}
	return jsondoc.Bind(&known, path, (*object)(f))
}

// V0Prompt is a prompt of a V0File. Its times are texts in their original format.
type V0Prompt struct {
	ID         string `json:"id"`
	Name       string `json:"name"`
	Archetype  string `json:"archetype"`
	Scope      string `json:"scope"`
	UsageNotes string `json:"usageNotes"`
	Goals      string `json:"goals"`
	Guardrails string `json:"guardrails"`
	Prompt     string `json:"prompt"`
	CreatedAt  string `json:"createdAt"`
	UpdatedAt  string `json:"updatedAt"`

	keys []string         // all keys of the prompt in their original order
	rest []jsondoc.Member // members whose key is unknown or whose value is null
}

// v0Keys are the keys of a prompt in the order of the format.
var v0Keys = [...]string{"id", "name", "archetype", "scope", "usageNotes", "goals", "guardrails", "prompt", "createdAt", "updatedAt"}

// BindJSON implements jsondoc.Binder. It retains unknown keys, because existing files
// contain additional keys. A key with the value null is treated as missing.
func (p *V0Prompt) BindJSON(n *jsondoc.Node, path string) jsondoc.Problems {
	type object V0Prompt
	if n.Kind != jsondoc.Object {
		return jsondoc.Bind(n, path, (*object)(p))
	}
	known := &jsondoc.Node{Kind: jsondoc.Object, Pos: n.Pos}
	p.keys, p.rest = make([]string, len(n.Members)), nil
	for i, m := range n.Members {
		p.keys[i] = m.Key
		switch {
		case !slices.Contains(v0Keys[:], m.Key), m.Value.Kind == jsondoc.Null:
			p.rest = append(p.rest, m)
		default:
			known.Members = append(known.Members, m)
		}
	}
	return jsondoc.Bind(known, path, (*object)(p))
}

// UnknownKeys returns the keys of p that are not part of the format.
func (p V0Prompt) UnknownKeys() []string {
	var keys []string
	for _, m := range p.rest {
		if !slices.Contains(v0Keys[:], m.Key) {
			keys = append(keys, m.Key)
		}
	}
	return keys
}

// DecodeV0 parses a v0 file and retains unknown keys. The error is a jsondoc.Problems
// with all values of the wrong type and all duplicate ids. DecodeV0 does not check
// whether prompts are complete; call Problems on the Tool of each prompt.
func DecodeV0(data []byte) (V0File, error) {
	n, err := jsondoc.Parse(data, jsondoc.DefaultLimits)
	if err != nil {
		return V0File{}, err
	}
	var f V0File
	ps := jsondoc.Bind(n, jsondoc.Root, &f)
	if n.Kind == jsondoc.Object && n.Get("prompts") == nil {
		ps.Add("prompts", "missing; expected a list of prompts")
	}
	first := map[string]int{}
	for i, p := range f.Prompts {
		if j, ok := first[p.ID]; ok && p.ID != "" {
			ps.Add(fmt.Sprintf("prompts[%d].id", i), "duplicates prompts[%d].id", j)
			continue
		}
		first[p.ID] = i
	}
	if len(ps) > 0 {
		return V0File{}, ps.Locate(n)
	}
	return f, nil
}

// Encode returns f as JSON, indented by two spaces. A prompt from DecodeV0 has its
// original keys in their original order. Other prompts have all keys of the format.
func (f V0File) Encode() []byte {
	prompts := jsondoc.NewArray(lists.Map(f.Prompts, V0Prompt.Node)...)
	return jsondoc.Indent(jsondoc.NewObject(append([]jsondoc.Member{{Key: "prompts", Value: prompts}}, f.rest...)...))
}

// Node returns the JSON tree of p that Encode writes.
func (p V0Prompt) Node() *jsondoc.Node {
	values := map[string]string{}
	for i, value := range [len(v0Keys)]string{p.ID, p.Name, p.Archetype, p.Scope, p.UsageNotes, p.Goals, p.Guardrails, p.Prompt, p.CreatedAt, p.UpdatedAt} {
		values[v0Keys[i]] = value
	}
	n := jsondoc.NewObject()
	for _, key := range p.keys {
		if i := slices.IndexFunc(p.rest, func(m jsondoc.Member) bool { return m.Key == key }); i >= 0 {
			n.Members = append(n.Members, p.rest[i])
			continue
		}
		n.Set(key, jsondoc.NewString(values[key]))
	}
	for _, key := range v0Keys {
		if p.keys == nil || values[key] != "" {
			n.Set(key, jsondoc.NewString(values[key]))
		}
	}
	return n
}

// Tool returns the prompt tool that p defines. The result has no times.
func (p V0Prompt) Tool() Tool {
	return Tool{
		ID: p.ID, Kind: PromptTool, Name: p.Name, Archetype: p.Archetype, Scope: Scope(p.Scope),
		UsageNotes: p.UsageNotes, Goals: p.Goals, Guardrails: p.Guardrails, Prompt: p.Prompt,
	}
}

// NewV0Prompt returns t as a V0Prompt with the given times. It also returns the keys of
// t that the format cannot represent. If t is not a prompt tool, these keys include
// "kind".
func NewV0Prompt(t Tool, createdAt, updatedAt string) (p V0Prompt, lost []string) {
	p = V0Prompt{
		ID: t.ID, Name: t.Name, Archetype: t.Archetype, Scope: string(t.Scope),
		UsageNotes: t.UsageNotes, Goals: t.Goals, Guardrails: t.Guardrails, Prompt: t.Prompt,
		CreatedAt: createdAt, UpdatedAt: updatedAt,
	}
	n, err := jsondoc.FromValue(t)
	if err != nil {
		panic(fmt.Sprintf("registry: a decoded tool does not marshal: %v", err))
	}
	for _, m := range n.Members {
		if m.Key == "kind" && t.Kind == PromptTool || slices.Contains(v0Keys[:], m.Key) {
			continue
		}
		lost = append(lost, m.Key)
	}
	return p, lost
}
