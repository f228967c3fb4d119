package clients

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

const hookWords = "/opt/toolcrib check --files --hook "

// hookFile returns the user's file of a client with the given text; an empty text means that the file does not exist.
func hookFile(t *testing.T, client, text string) (Machine, File) {
	t.Helper()
	m := Machine{OS: runtime.GOOS, Home: t.TempDir(), Getenv: func(string) string { return "" }, Inspect: inspect}
	list := m.Hooks(client)
	if len(list) != 1 || !list[0].missing {
		t.Fatalf("%s: %+v", client, list)
	}
	if text == "" {
		return m, list[0]
	}
	name := list[0].Path
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
	return m, m.Hooks(client)[0]
}

// commands returns the commands that a client runs for a prompt, parsed as the client does.
func commands(t *testing.T, client string, data []byte) []string {
	t.Helper()
	type command struct{ Type, Command string }
	var grouped struct {
		Hooks struct {
			UserPromptSubmit []struct{ Hooks []command }
			Before           []command `json:"beforeSubmitPrompt"`
		}
	}
	if err := json.Unmarshal(data, &grouped); err != nil {
		t.Fatalf("%s: %v\n%s", client, err, data)
	}
	var all []string
	for _, g := range grouped.Hooks.UserPromptSubmit {
		for _, c := range g.Hooks {
			if c.Type != "command" {
				t.Errorf("%s: type %q", client, c.Type)
			}
			all = append(all, c.Command)
		}
	}
	for _, c := range grouped.Hooks.Before {
		all = append(all, c.Command)
	}
	return all
}

// TestHooksGoAsTheyCame adds a hook to files in the styles of people and programs. Clients must be able to read it,
// and removing it must restore the original bytes.
func TestHooksGoAsTheyCame(t *testing.T) {
	texts := []string{
		"{}", "{ }\n", "{\n}\n", `{"model":"opus"}`, "{\n  \"model\": \"opus\",\n  \"permissions\": {\"allow\": []}\n}\n", "{\r\n\t\"model\": \"opus\"\r\n}\r\n",
		`{"hooks":{}}`, "{\n  \"hooks\": {\n  },\n  \"a\": 1\n}", `{"hooks":{"EVENT":[]},"a":1}`, `{"hooks":{"EVENT":[ ] , "Stop":[]}}`,
		`{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"x"}]}]}}`, "{\n    \"hooks\": {\n        \"Stop\": [\n            1\n        ]\n    }\n}",
		"{\n  \"hooks\": {\n    \"EVENT\": [\n      {\n        \"matcher\": \"\",\n        \"hooks\": [\n          {\"type\": \"command\", \"command\": \"toolcribber\"}\n        ]\n      }\n    ]\n  }\n}\n",
		`{"version":1,"hooks":{"EVENT":[{"type":"command","command":"a"},{"type":"command","command":"toolcrib check --files"}]}}`,
	}
	for client, event := range map[string]string{"claude-code": "UserPromptSubmit", "codex": "UserPromptSubmit", "cursor": "beforeSubmitPrompt"} {
		for _, text := range append(texts, "") {
			text = strings.ReplaceAll(text, "EVENT", event)
			m, f := hookFile(t, client, text)
			after, why := f.Hook(hookWords + client)
			if why != "" {
				t.Errorf("%s %q: %s", client, text, why)
				continue
			}
			if err := f.Write(after.Data(), false); err != nil {
				t.Fatal(err)
			}
			now := m.Hooks(client)[0]
			found := 0
			for _, c := range commands(t, client, now.Data()) {
				if strings.HasPrefix(c, hookWords+client) && strings.HasSuffix(c, " || exit 2") {
					found++
				}
			}
			if found != 1 || !now.Hooked() || f.Hooked() {
				t.Errorf("%s %q: found %d in\n%s", client, text, found, now.Data())
			}
			back, why := now.Unhook()
			if why != "" || string(back.Data()) != text {
				t.Errorf("%s: %s: was\n%s\nand is\n%s", client, why, text, back.Data())
			}
			if err := now.Write(back.Data(), false); err != nil {
				t.Fatal(err)
			}
			if _, err := os.Stat(f.Path); (text == "") != os.IsNotExist(err) {
				t.Errorf("%s %q: %v", client, text, err)
			}
		}
	}
}

// TestHooksStayForTheRest edits the file after the hook was added.
func TestHooksStayForTheRest(t *testing.T) {
	_, f := hookFile(t, "claude-code", "{\n  \"a\": 1\n}\n")
	hooked, why := f.Hook(hookWords + "claude-code")
	if why != "" {
		t.Fatal(why)
	}
	mine := `{"type":"command","command":"mine"}`
	command := `"command": "` + hookWords + `claude-code || exit 2"`
	for _, c := range []struct{ name, old, changed, want string }{
		{"a member before", `"a": 1,`, `"a": 1, "b": [2],`, "{\n  \"a\": 1, \"b\": [2]\n}\n"},
		{"a member behind", "\n  }\n}\n", "\n  },\n  \"c\": 3\n}\n", "{\n  \"a\": 1,\n  \"c\": 3\n}\n"},
		{"another event", "\n    ]\n", "\n    ],\n    \"Stop\": []\n", "{\n  \"a\": 1,\n  \"hooks\": {\n    \"Stop\": []\n  }\n}\n"},
		{"another group", "\n      }\n    ]", "\n      }, {\"hooks\":[" + mine + "]}\n    ]", "{\n  \"a\": 1,\n  \"hooks\": {\n    \"UserPromptSubmit\": [\n      {\"hooks\":[" + mine + "]}\n    ]\n  }\n}\n"},
		{"a group before", "\"UserPromptSubmit\": [\n", "\"UserPromptSubmit\": [{\"hooks\":[" + mine + "]},\n", "{\n  \"a\": 1,\n  \"hooks\": {\n    \"UserPromptSubmit\": [{\"hooks\":[" + mine + "]}\n    ]\n  }\n}\n"},
		{"another command", "\n          }\n        ]", "\n          }, " + mine + "\n        ]", "{\n  \"a\": 1,\n  \"hooks\": {\n    \"UserPromptSubmit\": [\n      {\n        \"hooks\": [\n          " + mine + "\n        ]\n      }\n    ]\n  }\n}\n"},
		{"a timeout", command, command + `, "timeout": 5`, "{\n  \"a\": 1\n}\n"},
		{"another program", "/opt/toolcrib", "'/opt/my tools/toolcrib-2'", "{\n  \"a\": 1\n}\n"},
		{"a database", "--hook claude-code", "--hook claude-code --db /x.db", "{\n  \"a\": 1\n}\n"},
		{"not ours any more", "toolcrib check", "toolcrib lint", ""},
	} {
		text := strings.Replace(string(hooked.Data()), c.old, c.changed, 1)
		if text == string(hooked.Data()) {
			t.Fatalf("%s: nothing changed in\n%s", c.name, text)
		}
		now := f.With([]byte(text))
		now.missing = false
		back, why := now.Unhook()
		if c.want == "" {
			c.want = text
		}
		if why != "" || string(back.Data()) != c.want {
			t.Errorf("%s: %s: want\n%s\nand got\n%s", c.name, why, c.want, back.Data())
		}
	}
}

// TestHookIsReplaced checks that a hook with an outdated command is replaced, and that removing it still restores the
// original bytes.
func TestHookIsReplaced(t *testing.T) {
	for client, event := range map[string]string{"claude-code": "UserPromptSubmit", "codex": "UserPromptSubmit", "cursor": "beforeSubmitPrompt"} {
		for _, text := range []string{"{}", `{"hooks":{}}`, `{"hooks":{"EVENT":[]},"a":1}`, `{"hooks":{"Stop":[]}}`} {
			text = strings.ReplaceAll(text, "EVENT", event)
			_, f := hookFile(t, client, text)
			if f.HookCommand() != "" {
				t.Errorf("%s %q: has the hook %q", client, text, f.HookCommand())
			}
			old, why := f.Hook(hookWords + client)
			if why != "" || old.HookCommand() != hookWords+client {
				t.Fatalf("%s %q: %s, the hook is %q", client, text, why, old.HookCommand())
			}
			now, why := old.Hook(old.HookCommand() + " --db '/a b.db'")
			if why != "" || now.HookCommand() != hookWords+client+" --db '/a b.db'" || len(commands(t, client, now.Data())) != 1 {
				t.Errorf("%s %q: %s\n%s", client, text, why, now.Data())
			}
			if back, why := now.Unhook(); why != "" || string(back.Data()) != text {
				t.Errorf("%s: %s: was\n%s\nand is\n%s", client, why, text, back.Data())
			}
		}
	}
}

// TestHooksAreRefused checks that no hook is added if the client would not read it or if that is unknown.
func TestHooksAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		"{ // mine\n}": "not plain JSON", "{\"a\":1,}": "not plain JSON", "\ufeff{}": "not plain JSON", " ": "not plain JSON", "[": "", "[]": "do not have the form", `{"hooks":[]}`: "do not have the form",
		`{"hooks":{"UserPromptSubmit":{}}}`: "do not have the form", `{"hooks":{},"hooks":{}}`: "duplicate keys for hooks", `{"hooks":{"UserPromptSubmit":[],"UserPromptSubmit":[]}}`: "duplicate keys for hooks",
	} {
		_, f := hookFile(t, "claude-code", text)
		if after, why := f.Hook(hookWords + "claude-code"); why == "" || !strings.Contains(why, want) || string(after.Data()) != text {
			t.Errorf("%q: %q\n%s", text, why, after.Data())
		}
	}
	m, f := hookFile(t, "cursor", "")
	after, _ := f.Hook(hookWords + "cursor")
	if err := errors.Join(os.MkdirAll(filepath.Dir(f.Path), 0o755), os.WriteFile(f.Path, []byte("{}"), 0o600)); err != nil {
		t.Fatal(err)
	}
	if err := f.Write(after.Data(), false); !errors.Is(err, ErrChanged) {
		t.Errorf("a file that came in between was written over: %v", err)
	}
	if err := errors.Join(os.Remove(f.Path), os.Symlink("nowhere", f.Path)); err != nil {
		t.Skip(err)
	}
	if f := m.Hooks("cursor")[0]; f.hookProblem() != "broken symbolic link" {
		t.Errorf("%q", f.hookProblem())
	}
}
