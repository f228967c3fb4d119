package demo

import (
	"strings"
	"testing"

	"toolcrib/cli/output"
	"toolcrib/history/diff"
	"toolcrib/internal/visible"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/shipped"
	"toolcrib/testdata"
)

// demoDrafts reads all proposals of the demonstration, by file.
func demoDrafts(t *testing.T) map[string][]proposals.Parsed {
	t.Helper()
	files, err := testdata.Demo.ReadDir("demo")
	if err != nil {
		t.Fatal(err)
	}
	drafts := map[string][]proposals.Parsed{}
	for _, f := range files {
		text, err := testdata.Demo.ReadFile("demo/" + f.Name())
		if err != nil {
			t.Fatal(err)
		}
		if !visible.Clean(string(text)) {
			t.Errorf("%s holds hidden characters; write them as escapes", f.Name())
		}
		if drafts[f.Name()], err = proposals.DecodeFile(f.Name(), text); err != nil {
			t.Errorf("%v", err)
		}
	}
	return drafts
}

func TestDemoFilesAreWholeAndUsed(t *testing.T) {
	used := map[string]bool{}
	for _, act := range story {
		for _, step := range act.steps {
			for _, arg := range strings.Fields(step.words) {
				used[arg] = true
			}
		}
	}
	for name, parsed := range demoDrafts(t) {
		if !used[name] {
			t.Errorf("%s is part of no step", name)
		}
		for _, p := range parsed {
			if problems := p.Problems(); len(problems) > 0 {
				t.Errorf("%s: %v", name, problems)
			}
		}
	}
}

// TestDemoChangesOfShippedDefinitions checks that the demonstration changes exactly the listed parts of shipped
// definitions. If those are edited, the demonstration's copies must be edited as well.
func TestDemoChangesOfShippedDefinitions(t *testing.T) {
	drafts := demoDrafts(t)
	for name, want := range map[string]string{
		"assistant_telegram.md":     "channelGuidance.telegram",
		"delete_tasks_unasked.json": "approval.tier approval.default",
		"set_project_comma.json":    "description",
	} {
		draft := drafts[name][0].Draft
		var paths []string
		for _, f := range diff.Definitions(shippedDefinition(t, draft.Subject), draft.Definition) {
			paths = append(paths, f.Path)
		}
		if got := strings.Join(paths, " "); got != want {
			t.Errorf("%s changes %s, want %s", name, got, want)
		}
	}
	hidden := drafts["set_project_comma.json"][0].Draft.Definition.Tool.Description
	for _, what := range []string{"\u200b", "\u202e", "\U000e006d"} {
		if !strings.Contains(hidden, what) {
			t.Errorf("the description does not hold %+q", what)
		}
	}
}

func shippedDefinition(t *testing.T, s registry.Subject) registry.Definition {
	t.Helper()
	for _, d := range append(shipped.Assistant(), shipped.Agents()...) {
		if d.ID() == s.ID && d.Kind() == s.Kind {
			return d
		}
	}
	t.Fatalf("%s is not shipped", s)
	return registry.Definition{}
}

func TestShellWord(t *testing.T) {
	for word, want := range map[string]string{
		"list": "list", "a/b-c_d.md": "a/b-c_d.md", "#1": "'#1'", "": "''", "two words": "'two words'", "it's": `'it'\''s'`, "$HOME": "'$HOME'",
	} {
		if got := output.ShellWord(word); got != want {
			t.Errorf("shellWord(%q) = %s, want %s", word, got, want)
		}
	}
}
