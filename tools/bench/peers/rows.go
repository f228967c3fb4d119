package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

// row is one labelled tool or prompt.
type row struct {
	id     string
	source string
	tool   json.RawMessage // nil for a prompt
	text   string          // of a prompt, or every string of a tool
}

// set is rows of one label.
type set struct {
	name   string
	honest bool
	rows   []row
}

// read reads the labelled rows below a folder.
func read(data string) ([]set, error) {
	sets := []set{
		{name: "honest tools warned about", honest: true},
		{name: "honest prompts warned about", honest: true},
		{name: "explicit attacks in tools found"},
		{name: "disguised attacks in tools found"},
		{name: "subtle attacks in tools found"},
		{name: "malicious prompts found"},
	}
	for i, file := range []string{
		"honest/tools.jsonl", "honest/prompts.jsonl", "rules/malicious_tools.jsonl", "rules/derived_obfuscated_tools.jsonl", "rules_subtle/attacks.jsonl", "rules/malicious_prompts.jsonl",
	} {
		var err error
		if sets[i].rows, err = readRows(filepath.Join(data, filepath.FromSlash(file)), fmt.Sprintf("r%d", i)); err != nil {
			return nil, err
		}
	}
	return sets, nil
}

// readRows reads a file of JSON lines; the ids are a prefix and the line.
func readRows(file, prefix string) ([]row, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var list []row
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var doc struct {
			Source json.RawMessage `json:"source"`
			Tool   json.RawMessage `json:"tool"`
			Text   string          `json:"text"`
		}
		if err := json.Unmarshal(lines.Bytes(), &doc); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, len(list)+1, err)
		}
		r := row{id: fmt.Sprintf("%sx%d", prefix, len(list)), source: string(doc.Source), tool: doc.Tool, text: doc.Text}
		if r.tool != nil {
			var tool any
			if err := json.Unmarshal(r.tool, &tool); err != nil {
				return nil, fmt.Errorf("%s:%d: %w", file, len(list)+1, err)
			}
			r.text = strings.Join(texts(tool), "\n\n")
		}
		list = append(list, r)
	}
	return list, lines.Err()
}

// texts returns every string of a JSON value, keys in the order of the alphabet.
func texts(v any) []string {
	var list []string
	switch v := v.(type) {
	case string:
		list = append(list, v)
	case []any:
		for _, item := range v {
			list = append(list, texts(item)...)
		}
	case map[string]any:
		keys := make([]string, 0, len(v))
		for k := range v {
			keys = append(keys, k)
		}
		sort.Strings(keys)
		for _, k := range keys {
			list = append(list, texts(v[k])...)
		}
	}
	return list
}

// fewRows is the minimum number of rows of a separate source; smaller ones are combined.
const fewRows = 5

// share returns the share of the rows that were found: of honest rows the mean over
// their sources, so that no large source decides it.
func (s set) share(found map[string]bool) float64 {
	bySource := map[string][]row{}
	for _, r := range s.rows {
		source := ""
		if s.honest {
			source = r.source
		}
		bySource[source] = append(bySource[source], r)
	}
	var pooled []row
	sum, n := 0.0, 0
	add := func(rows []row) {
		hits := 0
		for _, r := range rows {
			if found[r.id] {
				hits++
			}
		}
		sum, n = sum+float64(hits)/float64(len(rows)), n+1
	}
	for _, rows := range bySource {
		if len(rows) < fewRows {
			pooled = append(pooled, rows...)
			continue
		}
		add(rows)
	}
	if len(pooled) > 0 {
		add(pooled)
	}
	return sum / float64(max(1, n))
}
