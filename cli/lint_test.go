package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v4"

	"toolcrib/cli/command"
	"toolcrib/cli/lint"
	"toolcrib/cli/process"
	"toolcrib/internal/shortrun"
)

// lintAll runs toolcrib lint on a file with the given name.
func lintAll(t *testing.T, args []string, text string) (stdout, stderr string, code int) {
	t.Helper()
	var out, errs bytes.Buffer
	env := process.Env{
		Args: append([]string{"lint"}, args...), In: strings.NewReader(text), Out: &out, Err: &errs,
		Getenv: func(string) string { return "" }, Dir: t.TempDir(), Now: time.Now, NewID: func() string { return "" },
	}
	code = Main(t.Context(), env)
	return out.String(), errs.String(), code
}

func TestLintTakesEveryFormat(t *testing.T) {
	shortrun.OneGoroutine(t)
	const tool = `{"name":"execute_tool","description":"Runs a plan of the user.","inputSchema":{"type":"object","properties":{}}}`
	tests := map[string]string{
		"an MCP answer":     `{"tools":[` + tool + `]}`,
		"a result":          `{"result":{"tools":[` + tool + `]}}`,
		"one tool":          tool,
		"an array":          `[` + tool + `]`,
		"NDJSON of tools":   tool + "\n" + tool + "\n",
		"NDJSON of answers": `{"tools":[` + tool + `]}` + "\n" + `{"tools":[]}` + "\n",
		"OpenAI":            `[{"type":"function","function":{"name":"execute_tool","description":"Runs a plan.","parameters":{"type":"object","properties":{}}}}]`,
		"Anthropic":         `[{"name":"execute_tool","description":"Runs a plan.","input_schema":{"type":"object","properties":{}}}]`,
	}
	for name, text := range tests {
		t.Run(name, func(t *testing.T) {
			stdout, stderr, code := lintAll(t, []string{"-", "--json"}, text)
			if code != 0 && code != command.ExitFindings || stderr != "" || !strings.Contains(stdout, `"kind":"findings"`) || strings.Contains(stdout, lint.UnreadableRule) {
				t.Errorf("exit %d\n%s%s", code, stdout, stderr)
			}
		})
	}
}

func TestLintFindsInProposals(t *testing.T) {
	const proposal = `{"type":"new","subject":"tool:user/file_reader","baseVersion":0,
  "definition":{"kind":"prompt"},"rationale":"Why."}`
	stdout, _, code := lintAll(t, []string{"-"}, proposal)
	if code != command.ExitFindings || !strings.Contains(stdout, "-:1:26: block L101 (core-id)") || !strings.Contains(stdout, "T104") {
		t.Errorf("exit %d\n%s", code, stdout)
	}
	if stdout, stderr, code := lintAll(t, []string{"-"}, `{"type":`); code != command.ExitFindings || stderr != "" || !strings.Contains(stdout, "block T1") {
		t.Errorf("what cannot be read is a finding; exit %d\n%s%s", code, stdout, stderr)
	}
}

// TestLintKnowsToolsReadTogether lints an agent together with the tools in its list, in either order.
func TestLintKnowsToolsReadTogether(t *testing.T) {
	examples, err := filepath.Abs("../examples")
	if err != nil {
		t.Fatal(err)
	}
	agent, tool := filepath.Join(examples, "release_writer.md"), filepath.Join(examples, "commit_message.md")
	for _, args := range [][]string{{agent}, {agent, tool}, {tool, agent}} {
		stdout, stderr, code := lintAll(t, args, "")
		if found := strings.Contains(stdout, "A108"); found != (len(args) == 1) {
			t.Errorf("%v: exit %d\n%s%s", args, code, stdout, stderr)
		}
	}
}

func TestLintSeverityAndUsage(t *testing.T) {
	for _, args := range [][]string{{"-", "--format", "xml"}, {"-", "--fail-on", "never"}, {}} {
		if stdout, stderr, code := lintAll(t, args, "{}"); code != command.ExitUsage || stdout != "" || stderr == "" {
			t.Errorf("%v: exit %d\n%s%s", args, code, stdout, stderr)
		}
	}
}

// TestLintComparesWithEarlierTools checks that each tool is compared with the ones before it, regardless of parallelism.
func TestLintComparesWithEarlierTools(t *testing.T) {
	shortrun.OneGoroutine(t)
	const text = "Reads the tide tables of a harbour and says when a ship of the given draught may pass the bar in daylight."
	var in strings.Builder
	for i := range 600 {
		fmt.Fprintf(&in, `{"type":"function","function":{"name":"get_tides_%03d","description":%q,"parameters":{"type":"object","properties":{}}}}`+"\n", i, text)
	}
	stdout, _, code := lintAll(t, []string{"-"}, in.String())
	found := map[int]int{}
	for _, line := range strings.Split(stdout, "\n") {
		var at, column, other int
		if n, _ := fmt.Sscanf(line, "-:%d:%d: warn O102 (like-live-tool): 100%% of the text is also in tool:user/get_tides_%03d.", &at, &column, &other); n != 3 {
			continue
		}
		if found[at]++; other >= at-1 {
			t.Errorf("line %d is held against a later one: %s", at, line)
		}
	}
	for at := range 600 {
		if want := min(at, 3); found[at+1] != want {
			t.Errorf("line %d: %d likenesses, want %d", at+1, found[at+1], want)
		}
	}
	if code != command.ExitFindings {
		t.Errorf("exit %d", code)
	}
}

// preCommitHooks returns the commands that pre-commit runs for the hooks of the repository, by id: the words of the
// entry and the arguments.
func preCommitHooks(t *testing.T) map[string][]string {
	t.Helper()
	text, err := os.ReadFile("../.pre-commit-hooks.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var hooks []struct {
		ID    string
		Entry string
		Args  []string
	}
	if err := yaml.Unmarshal(text, &hooks); err != nil || len(hooks) != 3 {
		t.Fatalf("%+v, %v", hooks, err)
	}
	all := map[string][]string{}
	for _, h := range hooks {
		all[h.ID] = append(strings.Fields(h.Entry), h.Args...)
	}
	return all
}

// TestPreCommitHooks runs the pre-commit hooks as pre-commit does: with the entry, the arguments, and the files. TestFilesInGit
// tests the hook that checks files.
func TestPreCommitHooks(t *testing.T) {
	shortrun.NeedsLong(t)
	shortrun.OneGoroutine(t)
	hooks := preCommitHooks(t)
	s := newScene(t)
	s.run(t, append(hooks["toolcrib-lint"][1:], "proposals/pacer.md")...)
	s.run(t, hooks["toolcrib-check"][1:]...)
}
