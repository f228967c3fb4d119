package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/shipped"
	"toolcrib/registry/wire"
	"toolcrib/review/intake"
	"toolcrib/review/rules"
)

// Halves of the sources.
const (
	tune = "tune"
	held = "held"
)

// sample is one labelled definition or prompt.
type sample struct {
	set, id      string
	source       string // a package, repository or server; never split between halves
	half         string
	class        string // mechanism, category or transform
	prompt       bool   // a prompt, not a tool
	attack, hard bool
	measured     bool             // never used for training
	draft        *proposals.Draft // nil when import skips it
	clean        *proposals.Draft // the draft before an attack was inserted, or nil if unknown
	raw          []byte           // the JSON of a tool, which an import pins
	size         int              // bytes of the prompt
}

// change returns a fresh change of the sample for the rules to look at.
func (s *sample) change() *rules.Change {
	return &rules.Change{Isolated: true, World: rules.Memory(nil), Draft: *s.draft, Source: s.raw}
}

// half returns the half that a source is in.
func half(source string) string {
	h := fnv.New32a()
	h.Write([]byte(source))
	if h.Sum32()>>16%2 == 0 {
		return tune
	}
	return held
}

// file is a file of labelled rows. Honest rows of families that frames were written against always belong to the tune
// set; rows for measurement only are never used for training.
type file struct {
	path, set              string
	prompt                 bool
	attack, seen, measured bool
}

var corpusFiles = []file{
	{path: "honest/tools.jsonl", set: "honest tools"},
	{path: "honest/prompts.jsonl", set: "honest prompts", prompt: true},
	{path: "honest/hard_lines.jsonl", set: "hard lines"},
	{path: "rules/benign_tools.jsonl", set: "honest tools, seen", seen: true},
	{path: "rules/benign_change_pairs.jsonl", set: "honest changes, seen", seen: true},
	{path: "rules/benign_prompts.jsonl", set: "honest prompts, seen", prompt: true, seen: true},
	{path: "rules/malicious_tools.jsonl", set: "explicit", attack: true},
	{path: "rules/derived_obfuscated_tools.jsonl", set: "disguised", attack: true},
	{path: "rules/malicious_prompts.jsonl", set: "malicious prompts", prompt: true, attack: true},
	{path: "rules_subtle/attacks.jsonl", set: "by mechanism", attack: true},
	{path: "unseen/tools.jsonl", set: "unseen tools", measured: true},
	{path: "unseen/prompts.jsonl", set: "unseen prompts", prompt: true, measured: true},
	{path: "unseen/skills.jsonl", set: "unseen poisoned skills", prompt: true, attack: true, measured: true},
	{path: "unseen/attacks.jsonl", set: "unseen attacks", attack: true, measured: true},
	{path: "unseen/malicious_prompts.jsonl", set: "unseen malicious prompts", prompt: true, attack: true, measured: true},
}

// row is a line of a file, in any of their forms.
type row struct {
	ID        string          `json:"id"`
	Source    json.RawMessage `json:"source"`
	Category  string          `json:"category"`
	Mechanism string          `json:"mechanism"`
	Transform string          `json:"transform"`
	Payload   string          `json:"payload_from"`
	Why       string          `json:"why"`
	Kind      string          `json:"kind"`
	Text      string          `json:"text"`
	Clean     string          `json:"clean"`
	Tool      json.RawMessage `json:"tool"`
	After     json.RawMessage `json:"after"`
}

// from names the source of a row.
func (r *row) from() string {
	var name string
	if json.Unmarshal(r.Source, &name) == nil && name != "" {
		return name
	}
	var at struct{ Repo, Path string }
	if json.Unmarshal(r.Source, &at) == nil && at.Repo != "" {
		if _, part, ok := strings.Cut(at.Path, "#"); ok && strings.Contains(at.Path, "tools.json") {
			return at.Repo + "#" + part
		}
		return at.Repo
	}
	return cmp.Or(r.Why, r.Mechanism, "none")
}

// loadCorpus reads every labelled file under dir that is there.
func loadCorpus(dir string) ([]sample, error) {
	var all []sample
	halves := map[string]string{} // of payloads
	for _, f := range corpusFiles {
		err := eachRow(filepath.Join(dir, filepath.FromSlash(f.path)), func(r *row) error {
			s := f.sample(r, halves)
			all = append(all, s)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	servers, err := loadServers(filepath.Join(dir, "mcp"))
	return slices.Concat(all, servers, shippedSamples()), err
}

// shippedSamples are the definitions that toolcrib brings along.
func shippedSamples() []sample {
	var all []sample
	for _, d := range slices.Concat(shipped.Core(), shipped.Assistant(), shipped.Agents()) {
		draft := &proposals.Draft{Type: proposals.New, Subject: registry.Subject{Kind: d.Kind(), Layer: registry.LayerGlobal, ID: d.ID()}, Definition: d}
		prompt := d.Tool == nil || d.Tool.Kind != registry.ActionTool
		all = append(all, sample{set: "shipped", id: d.ID(), source: "shipped " + d.ID(), half: tune, prompt: prompt, draft: draft})
	}
	return all
}

func (f file) sample(r *row, halves map[string]string) sample {
	s := sample{
		set: f.set, id: r.ID, source: r.from(), attack: f.attack, measured: f.measured || f.set == "by mechanism", hard: f.set == "hard lines",
		class: cmp.Or(r.Mechanism, r.Transform, r.Category, r.Why), prompt: f.prompt || f.set == "hard lines" && r.Kind == "prompt",
	}
	switch {
	case f.seen:
		s.half = tune
	case f.set == "by mechanism", f.measured && f.attack:
		s.half = held
	case r.Payload != "":
		s.half = cmp.Or(halves[r.Payload], half(s.source))
	default:
		s.half = half(s.source)
	}
	halves[r.ID] = s.half
	if s.prompt {
		s.draft, s.size = promptDraft(r.Text), len(r.Text)
		if r.Clean != "" {
			s.clean = promptDraft(r.Clean)
		}
	} else {
		raw := r.Tool
		if raw == nil {
			raw = r.After
		}
		s.draft, s.raw = toolDraft(s.source, raw), raw
	}
	return s
}

func eachRow(path string, do func(*row) error) error {
	f, err := os.Open(path)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 16<<20)
	for n := 1; lines.Scan(); n++ {
		if strings.TrimSpace(lines.Text()) == "" {
			continue
		}
		var r row
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return fmt.Errorf("%s, line %d: %w", path, n, err)
		}
		if err := do(&r); err != nil {
			return err
		}
	}
	return lines.Err()
}

// loadServers reads answers of tools/list; the versions of a package are one
// source.
func loadServers(dir string) ([]sample, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return nil, err
	}
	var all []sample
	for _, path := range files {
		raw, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		var answer struct{ Tools []json.RawMessage }
		if err := json.Unmarshal(raw, &answer); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		name := strings.TrimSuffix(filepath.Base(path), ".json")
		for _, t := range answer.Tools {
			s := sample{set: "servers, seen", id: name, source: name[:max(0, strings.LastIndexByte(name, '@'))], class: name, half: tune, draft: toolDraft(name, t), raw: t}
			all = append(all, s)
		}
	}
	return all, nil
}

// toolDraft makes the proposal that an import of the tool from a server makes;
// nil when the import skips it.
func toolDraft(server string, raw json.RawMessage) *proposals.Draft {
	return listedDraft(server, []json.RawMessage{raw}, "")
}

// listedDraft makes the proposal that an import of a server makes of the tool of that
// name, "" for the first; nil when the import skips it.
func listedDraft(server string, tools []json.RawMessage, name string) *proposals.Draft {
	list, err := json.Marshal(map[string][]json.RawMessage{"tools": tools})
	if err != nil {
		return nil
	}
	doc, err := wire.Decode(list)
	if err != nil {
		return nil
	}
	for _, step := range intake.Plan(doc, intake.Origin{Label: registry.ServerName(server), Server: true, Layer: registry.LayerUser}, intake.Live{}) {
		if name == "" || step.Name == name {
			return step.Draft
		}
	}
	return nil
}

// promptDraft makes the proposal that lint makes of a plain text.
func promptDraft(text string) *proposals.Draft {
	return &proposals.Draft{
		Type:       proposals.New,
		Subject:    registry.Subject{Kind: registry.KindTool, Layer: registry.LayerUser, ID: "prompt"},
		Definition: registry.Definition{Tool: &registry.Tool{ID: "prompt", Kind: registry.PromptTool, Prompt: strings.ToValidUTF8(text, "\ufffd")}},
	}
}
