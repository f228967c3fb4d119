package ruleset

import (
	"bufio"
	"cmp"
	"context"
	"hash/fnv"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolcrib/internal/shortrun"
	"toolcrib/review/rules"
	"toolcrib/review/rules/rulestest"
)

// cases reads the definitions in a file of testdata. Each line contains a name, a description, and
// parameters ("name=description"), separated by " :: ". The name "a" is replaced by an unrelated
// tool of hosts.txt.
func cases(t *testing.T, path string) []*rules.Change {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	raw, err := os.ReadFile("testdata/hosts.txt")
	if err != nil {
		t.Fatal(err)
	}
	hosts := strings.Split(strings.TrimSpace(string(raw)), "\n")[1:]
	var list []*rules.Change
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		parts := strings.Split(line, " :: ")
		if len(parts) == 1 {
			list = append(list, rulestest.PromptChange(line))
			continue
		}
		if parts[0] == "a" {
			h := fnv.New32a()
			h.Write([]byte(parts[1]))
			name, says, _ := strings.Cut(hosts[int(h.Sum32()%uint32(len(hosts)))], " :: ")
			parts[0], parts[1] = name, says+" "+parts[1]
		}
		list = append(list, rulestest.ToolChange(parts[0], parts[1], parts[2:]...))
	}
	return list
}

// caught returns the findings of the S and P families with their severities.
func caught(t *testing.T, c *rules.Change) []rules.Finding {
	t.Helper()
	var found []rules.Finding
	for _, r := range append(family("S"), family("P")...) {
		fs, err := r.Check(context.Background(), c)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range fs {
			f.Rule = r.ID
			f.Severity = cmp.Or(f.Severity, r.Severity)
			found = append(found, f)
		}
	}
	return found
}

func TestAttacksAreFound(t *testing.T) {
	shortrun.OneGoroutine(t)
	files, err := filepath.Glob("testdata/attacks/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	total, found := 0, 0
	for _, file := range files {
		all, missed := 0, 0
		for _, c := range cases(t, file) {
			all++
			hit := false
			for _, f := range caught(t, c) {
				hit = hit || f.Severity.Rank() >= rules.Warn.Rank()
			}
			if !hit {
				missed++
				t.Logf("%s: not found: %s: %s %s", filepath.Base(file), c.Draft.Definition.Tool.ID, c.Draft.Definition.Tool.Description, c.Draft.Definition.Tool.InputSchema)
			}
		}
		t.Logf("%s: %d of %d found", filepath.Base(file), all-missed, all)
		if 100*(all-missed) < 60*all {
			t.Errorf("%s: only %d of %d found", filepath.Base(file), all-missed, all)
		}
		total, found = total+all, found+all-missed
	}
	if 100*found < 91*total {
		t.Errorf("only %d of %d found", found, total)
	}
}

// TestHonestTextPasses checks that no rule but S139 fires on benign texts, and that S139, which is
// statistical, fires on a limited share: on few definitions, and on more of the sentences in an
// unrelated tool, which may also deviate from the purpose of the tool (S121).
func TestHonestTextPasses(t *testing.T) {
	shortrun.OneGoroutine(t)
	files, err := filepath.Glob("testdata/benign/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	for _, file := range files {
		all, alarms := 0, 0
		base := filepath.Base(file)
		alone := base == "sentences.txt" || base == "plain.txt"
		for _, c := range cases(t, file) {
			all++
			weighed := false
			for _, f := range caught(t, c) {
				switch {
				case f.Severity.Rank() < rules.Warn.Rank():
				case f.Rule == "S139", f.Rule == "S121" && alone:
					weighed = true
					t.Logf("%s: %s %s: %q", filepath.Base(file), c.Draft.Definition.Tool.ID, f.Message, f.Passage)
				default:
					t.Errorf("%s: %s %s %s: %q", filepath.Base(file), c.Draft.Definition.Tool.ID, f.Rule, f.Path, f.Passage)
				}
			}
			if weighed {
				alarms++
			}
		}
		t.Logf("%s: S139 warns of %d of %d", base, alarms, all)
		most := 2 // in percent
		if alone {
			most = 3
		}
		if 100*alarms > most*all {
			t.Errorf("%s: S139 warns of %d of %d", base, alarms, all)
		}
	}
}
