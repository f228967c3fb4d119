package main

import (
	"bufio"
	"encoding/json"
	"hash/fnv"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// unseen are our own texts that are never used for training.
const unseen = "unseen"

// ownSamples reads the samples written for this project: the texts in the testdata
// of the rules, and the pairs of an attack and an honest near-miss in training.
func ownSamples(repo string) ([]ownSample, error) {
	testdata := filepath.Join(repo, "review", "rules", "ruleset", "testdata")
	hosts, err := hostLines(testdata)
	if err != nil {
		return nil, err
	}
	var all []ownSample
	for _, kind := range []string{"attacks", "benign", "unseen"} {
		files, err := filepath.Glob(filepath.Join(testdata, kind, "*.txt"))
		if err != nil {
			return nil, err
		}
		for _, path := range files {
			list, err := ownFile(path, kind == "attacks" || strings.HasPrefix(filepath.Base(path), "attacks"), hosts)
			if err != nil {
				return nil, err
			}
			if kind == "unseen" {
				for i := range list {
					list[i].set = unseen
				}
			}
			all = append(all, list...)
		}
	}
	files, err := filepath.Glob(filepath.Join(repo, "tools", "bench", "eval", "training", "*.jsonl"))
	if err != nil {
		return nil, err
	}
	for _, path := range files {
		list, err := pairs(path, hosts)
		if err != nil {
			return nil, err
		}
		all = append(all, list...)
	}
	tools, err := honestTools(repo)
	return slices.Concat(all, tools, asPrompts(all), elsewhere(all, hosts)), err
}

// honestTools reads our own complete tools in languages of which the labelled data have few sources. Each is a separate
// source.
func honestTools(repo string) ([]ownSample, error) {
	files, err := filepath.Glob(filepath.Join(repo, "tools", "bench", "eval", "training", "tools_*.txt"))
	var all []ownSample
	for _, path := range files {
		list, err := ownFile(path, false, nil)
		if err != nil {
			return nil, err
		}
		for i := range list {
			list[i].class, list[i].source = "whole_tools_honest", list[i].draft.Subject.ID
		}
		all = append(all, list...)
	}
	return all, err
}

// elsewhere returns sentences of list as the text of a parameter instead of a description, and every third as a default
// or a title, because an attack can be in any of these places.
func elsewhere(list []ownSample, hosts []string) []ownSample {
	var out []ownSample
	for i, s := range list {
		if s.prompt || !s.telling || s.set == unseen {
			continue
		}
		name, says := host(hosts, s.said)
		key, words := "description", s.said
		if i/2%3 == 0 {
			key = []string{"default", "title"}[i/6%2]
		}
		raw, err := json.Marshal(map[string]any{"name": name, "description": says, "inputSchema": map[string]any{
			"type": "object", "properties": map[string]any{"value": map[string]string{"type": "string", key: words}},
		}})
		if err != nil {
			panic(err) // strings marshal
		}
		s.draft = toolDraft("own", raw)
		out = append(out, s)
	}
	return out
}

// asPrompts converts the tools of list to prompts.
func asPrompts(list []ownSample) []ownSample {
	var out []ownSample
	for _, s := range list {
		if s.prompt || !s.telling || s.set == unseen {
			continue
		}
		s.prompt, s.draft = true, promptDraft(s.said)
		out = append(out, s)
	}
	return out
}

// longestHost is the size of a prompt of others, in bytes, up to which one of our own
// sentences is put into it.
const longestHost = 10 << 10

// within returns the sentences of list as an additional line in honest third-party prompts, because a line is judged by
// what it adds.
func within(list []ownSample, samples []sample) []ownSample {
	var hosts []string
	for i := range samples {
		if s := &samples[i]; s.set == "honest prompts" && s.half == tune && s.size < longestHost {
			if lines := strings.Split(s.draft.Definition.Tool.Prompt, "\n"); len(lines) > 12 {
				hosts = append(hosts, s.draft.Definition.Tool.Prompt)
			}
		}
	}
	var out []ownSample
	for _, s := range list {
		if !s.telling || s.set == unseen || len(hosts) == 0 || strings.Contains(s.said, "\n") {
			continue
		}
		h := fnv.New32a()
		h.Write([]byte("within " + s.said))
		n := int(h.Sum32())
		lines := strings.Split(hosts[n%len(hosts)], "\n")
		at := 1 + n/7%(len(lines)-1)
		s.prompt, s.within = true, true
		s.draft = promptDraft(strings.Join(slices.Concat(lines[:at], []string{s.said}, lines[at:]), "\n"))
		out = append(out, s)
	}
	return out
}

// ownSample is a sample that was written for this project.
type ownSample struct {
	sample
	said    string // the telling sentence, or ""
	telling bool   // the decisive sentence is known
	within  bool   // inside a third-party prompt, which is not used for training
	near    string // text of the near-miss of an attack
}

func hostLines(dir string) ([]string, error) {
	raw, err := os.ReadFile(filepath.Join(dir, "hosts.txt"))
	if err != nil {
		return nil, err
	}
	return strings.Split(strings.TrimSpace(string(raw)), "\n")[1:], nil
}

// host returns the tool that a sentence is put into: its name and description.
func host(hosts []string, sentence string) (name, says string) {
	h := fnv.New32a()
	h.Write([]byte(sentence))
	name, says, _ = strings.Cut(hosts[int(h.Sum32()%uint32(len(hosts)))], " :: ")
	return name, says
}

// ownFile reads a file of testdata with one definition per line: name, description, and parameters
// ("name=description"), separated by " :: ". The name "a" stands for a host that is unrelated to the sentence. A line
// without parts is a prompt.
func ownFile(path string, attack bool, hosts []string) ([]ownSample, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var list []ownSample
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		s := ownSample{sample: sample{set: "own", source: filepath.Base(path), attack: attack, half: tune}}
		parts := strings.Split(line, " :: ")
		if len(parts) == 1 {
			s.prompt, s.draft = true, promptDraft(line)
			list = append(list, s)
			continue
		}
		if parts[0] == "a" {
			name, says := host(hosts, parts[1])
			s.said, s.telling = parts[1], true
			parts[0], parts[1] = name, says+" "+parts[1]
		}
		s.draft = toolDraft("own", definition(parts[0], parts[1], parts[2:]))
		list = append(list, s)
	}
	return list, lines.Err()
}

// definition writes a tool as a server lists it.
func definition(name, description string, params []string) json.RawMessage {
	properties := map[string]map[string]string{}
	for _, p := range params {
		key, says, _ := strings.Cut(p, "=")
		properties[key] = map[string]string{"type": "string", "description": says}
	}
	raw, err := json.Marshal(map[string]any{"name": name, "description": description, "inputSchema": map[string]any{"type": "object", "properties": properties}})
	if err != nil {
		panic(err) // strings marshal
	}
	return raw
}

// pair is an attack and an honest text that differs only in the decisive part. Each is a tool in a server's format, or
// a text: a prompt, or a sentence of a tool's description.
type pair struct {
	Mechanism string          `json:"mechanism"`
	Domain    string          `json:"domain"`
	Kind      string          `json:"kind"`
	Attack    json.RawMessage `json:"attack"`
	NearMiss  json.RawMessage `json:"near_miss"`
}

func pairs(path string, hosts []string) ([]ownSample, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var list []ownSample
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var p pair
		if err := json.Unmarshal(lines.Bytes(), &p); err != nil {
			return nil, err
		}
		var near string
		if json.Unmarshal(p.NearMiss, &near) != nil {
			near = string(p.NearMiss)
		}
		for _, side := range []struct {
			raw    json.RawMessage
			attack bool
		}{{p.Attack, true}, {p.NearMiss, false}} {
			if side.raw == nil {
				continue
			}
			s := ownSample{near: near, sample: sample{set: "pairs", source: p.Mechanism + " " + p.Domain, class: p.Mechanism, attack: side.attack, prompt: p.Kind == "prompt", half: tune}}
			var text string
			switch {
			case json.Unmarshal(side.raw, &text) != nil:
				s.draft = toolDraft("own", side.raw)
			case s.prompt:
				s.draft, s.said, s.telling = promptDraft(text), text, true
			default:
				name, says := host(hosts, text)
				s.draft, s.said, s.telling = toolDraft("own", definition(name, says+" "+text, nil)), text, true
			}
			list = append(list, s)
		}
	}
	return list, lines.Err()
}
