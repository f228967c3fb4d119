package cli

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"toolcrib/cli/command"
	"toolcrib/cli/settings"
)

// installPrograms adds the programs that the documents assume to the reader's path: an editor, a package runner, and a
// model.
func (r *docRunner) installPrograms() {
	r.t.Helper()
	r.env = append(r.env, "RUNNER_TEMP="+r.bin)
	// Without this program, the example of revise would wait in the developer's editor.
	r.program("vi", `sed -e 's/Name each passage/Slow is what takes more than a page. Name each passage/' "$1" > edited && mv edited "$1"`)
	r.program("npx", `exec mcp-fixture "$HOME/served.json"`)
	r.write(filepath.Join(r.home, "served.json"), `[{"name":"read_graph","description":"Read the whole graph of what is known.","inputSchema":{"type":"object"}}]`)
	r.program("generate", `cat "$HOME/generated"`)
	for _, name := range []string{"ask_the_model", "tell_the_model", "tell_the_model_why", "ask_the_user"} {
		r.program(name, "echo \"$0 $*\"")
	}
	r.write("answer.txt", "There is nothing to call.\n")
	r.write("my-application", "#!/bin/sh\nexec toolcrib export --format mcp --agent assistant\n")
	if err := os.Chmod(filepath.Join(r.dir, "my-application"), 0o700); err != nil {
		r.t.Fatal(err)
	}
}

// hasFiles creates a repository with an AGENTS.md and two skills for the reader.
func (r *docRunner) hasFiles() {
	r.t.Helper()
	r.write(filepath.Join(r.dir, ".git", "HEAD"), "ref: refs/heads/main\n")
	r.write("AGENTS.md", "# Rules\n\nRun the tests before you commit.\n")
	for _, name := range []string{"pdf", "notes"} {
		r.write(filepath.Join(".claude", "skills", name, "SKILL.md"), "---\nname: "+name+"\ndescription: Read "+name+" when the user names them.\n---\n\nRead one page at a time.\n")
	}
}

// takesExamples copies the examples of the repository for the reader, including the first one of the tour.
func (r *docRunner) takesExamples() {
	r.t.Helper()
	if err := os.CopyFS(filepath.Join(r.dir, "examples"), os.DirFS("../examples")); err != nil {
		r.t.Fatal(err)
	}
	text, err := os.ReadFile("../examples/commit_message.md")
	if err != nil {
		r.t.Fatal(err)
	}
	r.write("commit_message.md", string(text))
}

// scene is a folder with a database that contains objects of all kinds, and with the files that the help texts use.
type scene struct {
	*docRunner
	ids map[string][]string // objects that an id can stand for, by kind
}

// stands returns the kinds of objects that the ids in the examples of commands stand for. The default is a proposal
// that waits for the user.
func stands() map[string]string {
	return map[string]string{
		"toolcrib revise": "pacer", "toolcrib submit": "draft", "toolcrib rebase": "stale", "toolcrib waive": "found", "toolcrib unwaive": "waived",
		"toolcrib calls": "call", "toolcrib calls show": "call", "toolcrib calls approve": "call", "toolcrib calls refuse": "call",
		"toolcrib tokens": "token", "toolcrib tokens revoke": "token",
	}
}

func newScene(t *testing.T) scene {
	t.Helper()
	s := scene{docRunner: newReader(t), ids: map[string][]string{}}
	s.env = append(s.env, "TOOLCRIB_DB="+filepath.Join(s.dir, "toolcrib.db"))
	sample, err := os.ReadFile("../testdata/scripts/sample.json")
	if err != nil {
		t.Fatal(err)
	}
	vary := func(name string, pairs ...string) string {
		s.write(name, strings.NewReplacer(pairs...).Replace(string(sample)))
		return name
	}
	// scene_pacer has two versions; pacer.md would become the third.
	s.run(t, "propose", vary("one.json"))
	s.run(t, "approve", "#1")
	modified := []string{`"type": "new"`, `"type": "modify"`, `"baseVersion": 0`, `"baseVersion": 1`}
	s.run(t, "propose", vary("two.json", append(modified, "drags or hurries", "drags, or hurries")...))
	s.keep(t, "stale", vary("stale.json", append(modified, "Use it on one", "Use it on a")...))
	s.keep(t, "stale", vary("stale2.json", append(modified, "Do not rewrite", "Never rewrite")...))
	s.run(t, "approve", "#2")
	modified[3] = `"baseVersion": 2`
	s.keep(t, "pacer", vary("three.json", append(modified, "every day", "every week")...))
	s.run(t, "show", s.ids["pacer"][0], "--source", "pacer.md")
	s.write("pacer.md", strings.ReplaceAll(s.read(t, "pacer.md"), "is slower than", "runs slower than"))
	for _, name := range []string{"harbour", "island", "storm"} {
		s.keep(t, "waiting", vary(name+".json", "scene_pacer", name+"_pacer"))
		s.keep(t, "found", vary(name+"_old.json", "scene_pacer", name+"_keeper", `"scope": "file",`, `"scope": "file", "aliases": ["save_memory"],`))
		vary(name+"_set.json", "scene_pacer", name+"_set", `"rationale"`, `"changeSet": "rollout", "rationale"`)
	}
	s.run(t, "propose", "harbour_set.json", "island_set.json")
	s.keep(t, "draft", vary("draft.json", "scene_pacer", "quay_pacer"), "--draft")
	s.keep(t, "waived", vary("lagoon.json", "scene_pacer", "lagoon_keeper", `"scope": "file",`, `"scope": "file", "aliases": ["save_memory"],`))
	s.run(t, "waive", s.ids["waived"][0], "N103", "--note", "Old prompts still say it.")
	s.files(t)
	s.calls(t)
	s.tokens(t)
	return s
}

// files writes the files that the examples read.
func (s scene) files(t *testing.T) {
	t.Helper()
	for name, text := range map[string]string{
		"novel/toolcrib.toml": "project = \"novel\"\nworkspace = \".\"\n",
		"remark.txt":          "Which harbour is meant?\n", "reasons.txt": "Say what counts as slow.\n",
		"call.json": `{"tool": "get_tasks", "args": {}, "nonce": "7f3a"}`,
		"args.json": `{"tasks": [{"title": "Read the proofs"}]}`, "proposals/pacer.md": s.read(t, "pacer.md"),
		"registry.json":   `{"tools": ["get_task"], "agents": [{"id": "helper", "name": "Helper", "tools": ["get_task", "recall"]}]}`,
		"tracker.json":    `{"tools": [{"name": "list_issues", "description": "List the issues of a project.", "inputSchema": {"type": "object"}}]}`,
		"github.json":     `{"tools": [{"name": "list_releases", "description": "List the releases of a repository, newest first.", "inputSchema": {"type": "object"}}]}`,
		"assessment.json": `{"revision": 1, "recommendation": "needs_changes", "comment": "Look again.", "findings": []}`,
	} {
		s.write(name, text)
	}
	if err := os.Mkdir(filepath.Join(s.dir, "dist"), 0o700); err != nil {
		t.Fatal(err)
	}
	s.run(t, "export", "--format", "lock", "--output", "toolcrib.lock")
	for _, name := range []string{"tools.json", "dist/tools.json"} {
		s.run(t, "export", "--format", "openai", "--agent", "assistant", "--output", name)
	}
}

// tokens creates a token for each example that revokes one.
func (s scene) tokens(t *testing.T) {
	t.Helper()
	for range 2 {
		var doc struct{ Token struct{ ID string } }
		if err := json.Unmarshal([]byte(s.run(t, "tokens", "create", "assistant", "--json")), &doc); err != nil {
			t.Fatal(err)
		}
		s.ids["token"] = append(s.ids["token"], doc.Token.ID)
	}
}

// calls creates calls that wait for the user.
func (s scene) calls(t *testing.T) {
	t.Helper()
	s.run(t, "calls", "policy", "create_tasks", "requires_approval")
	for _, title := range []string{"Call the printer", "Read the proofs", "Buy paper"} {
		waits := s.inside("exec", "create_tasks", "--agent", "assistant", "--args", `{"tasks": [{"title": "`+title+`"}]}`, "--json")
		id := documentedID.FindString(waits.stderr)
		if id == "" {
			t.Fatalf("no call waits: %s", waits.stderr)
		}
		s.ids["call"] = append(s.ids["call"], id)
	}
	s.run(t, "calls", "policy", "create_tasks", "default")
}

// keep proposes a file and records the proposal by its kind.
func (s scene) keep(t *testing.T, kind, file string, flags ...string) {
	t.Helper()
	printed := s.run(t, append([]string{"propose", file}, flags...)...)
	name, _, _ := strings.Cut(printed, " ") // the number, or the id of a draft
	s.ids[kind] = append(s.ids[kind], strings.TrimPrefix(name, "#"))
}

func (s scene) run(t *testing.T, args ...string) string {
	t.Helper()
	done := s.inside(args...)
	if done.status != command.ExitOK {
		t.Fatalf("toolcrib %s: exit status %d\n%s", strings.Join(args, " "), done.status, done.stderr)
	}
	return done.stdout
}

func (s scene) read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(s.dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// enter copies the scene for a reader.
func (s scene) enter(r *docRunner) {
	r.t.Helper()
	if err := os.CopyFS(r.dir, os.DirFS(s.dir)); err != nil {
		r.t.Fatal(err)
	}
	db := filepath.Join(r.dir, "toolcrib.db")
	if err := os.Chmod(db, 0o600); err != nil {
		r.t.Fatal(err)
	}
	r.env = append(r.env, "TOOLCRIB_DB="+db)
	r.write(filepath.Join(r.home, ".config", "toolcrib", settings.ConfigName), "[servers.memory]\ncommand = [\"npx\"]\n[views]\nmine = \"author:mara state:open\"\n")
	r.write(filepath.Join(r.home, "generated"), strings.ReplaceAll(s.read(r.t, "one.json"), "scene_pacer", "generated_pacer"))
}

// hasClients creates the configuration of clients that start servers for the reader, through the guard if wrapped is
// set.
func (r *docRunner) hasClients(wrapped bool) {
	r.t.Helper()
	for _, file := range []string{".cursor/mcp.json", ".claude.json", ".config/Claude/claude_desktop_config.json"} {
		r.write(filepath.Join(r.home, file), `{"mcpServers": {"memory": {"command": "npx"}, "github": {"command": "npx", "args": ["-y", "github"]}}}`)
	}
	if wrapped {
		r.must("toolcrib wrap --yes")
	}
}

// toJSON decodes every document of a block.
func toJSON(b block, into any) error {
	dec := json.NewDecoder(strings.NewReader(strings.Join(b.lines, "\n")))
	for {
		if err := dec.Decode(into); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// examplePrefix matches the beginning of ids of proposals and calls in examples.
var examplePrefix = regexp.MustCompile(`\b0199f3\b|\b4\b`)
