package rules

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolcrib/proposals"
	"toolcrib/registry"
)

// cases reads the definitions in a file of testdata: one a line, as name,
// description and parameters ("name=description") separated by " :: ". A name
// of "a" stands for a host that has nothing to do with the sentence after it.
func cases(t *testing.T, path string) []*Change {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var list []*Change
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		parts := strings.Split(line, " :: ")
		if len(parts) == 1 {
			list = append(list, promptChange(line))
			continue
		}
		if parts[0] == "a" {
			parts[0], parts[1] = "opening_hours", "Shows the opening hours of a shop. "+parts[1]
		}
		list = append(list, toolChange(parts[0], parts[1], parts[2:]...))
	}
	return list
}

func promptChange(prompt string) *Change {
	d := sample()
	d.Definition.Tool.Prompt = prompt
	return &Change{Draft: d}
}

func toolChange(name, description string, params ...string) *Change {
	properties := map[string]any{}
	for _, p := range params {
		key, text, _ := strings.Cut(p, "=")
		properties[key] = map[string]string{"type": "string", "description": text}
	}
	schema, err := json.Marshal(map[string]any{"type": "object", "properties": properties})
	if err != nil {
		panic(err)
	}
	return &Change{Draft: proposals.Draft{
		Type: proposals.New,
		Definition: registry.Definition{Tool: &registry.Tool{
			ID: name, Kind: registry.ActionTool, Name: name, Description: description, InputSchema: schema,
		}},
	}}
}

// caught returns the findings of the S and P families, with their severities.
func caught(t *testing.T, c *Change) []Finding {
	t.Helper()
	var found []Finding
	for _, r := range append(security(), protocol()...) {
		fs, err := r.Check(context.Background(), c)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range fs {
			f.Rule = r.ID
			f.Severity = r.Severity
			found = append(found, f)
		}
	}
	return found
}

func TestAttacksAreFound(t *testing.T) {
	files, err := filepath.Glob("testdata/attacks/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	for _, file := range files {
		all, missed := 0, 0
		for _, c := range cases(t, file) {
			all++
			hit := false
			for _, f := range caught(t, c) {
				hit = hit || f.Severity.Rank() >= Warn.Rank()
			}
			if !hit {
				missed++
				t.Logf("%s: not found: %s: %s %s", filepath.Base(file), c.Draft.Definition.Tool.ID, c.Draft.Definition.Tool.Description, c.Draft.Definition.Tool.InputSchema)
			}
		}
		t.Logf("%s: %d of %d found", filepath.Base(file), all-missed, all)
		least := 80 // percent
		if strings.Contains(file, "_more") || strings.Contains(file, "_third") {
			least = 33 // paraphrases that were written after the rules and are not caught up with yet
		}
		if 100*(all-missed) < least*all {
			t.Errorf("%s: only %d of %d found", filepath.Base(file), all-missed, all)
		}
	}
}

func TestHonestTextPasses(t *testing.T) {
	files, err := filepath.Glob("testdata/benign/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	for _, file := range files {
		for _, c := range cases(t, file) {
			for _, f := range caught(t, c) {
				if f.Severity.Rank() >= Warn.Rank() {
					t.Errorf("%s: %s %s %s: %q", filepath.Base(file), c.Draft.Definition.Tool.ID, f.Rule, f.Path, f.Passage)
				}
			}
		}
	}
}
