package settings

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"toolcrib/cli/process"
)

// ownSettings contains the settings that require trust in a project's file.
const ownSettings = `
[keys]
approve = ["a", "A"]
[views]
mine = "state:user_review"
[rules]
S101 = "block"
[servers.files]
command = ["files", "--read-only"]
env = ["HOME"]
set = { TOKEN = "mine" }
[gateway]
gate_url = "https://mine.example/gate"
gate_token_env = "GATE_TOKEN"
log_annotations = true
hub_token_env = { "mine.example" = "HUB_TOKEN" }
[model]
base_url = "https://mine.example/v1"
name = "mine"
api_key_env = "MODEL_KEY"
retries = 1
[[reviewers]]
name = "mine"
base_url = "https://mine.example/v1"
model = "mine"
api_key_env = "MODEL_KEY"
retries = 1
`

// withFiles returns an environment with a user's file and a project's file.
func withFiles(t *testing.T, own, project string) process.Env {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{".config/toolcrib/toolcrib.toml": own, "project/toolcrib.toml": project} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return process.Env{
		Dir: filepath.Join(dir, "project"), System: filepath.Join(dir, "system"), Account: func() process.Account { return process.Account{Home: dir} },
		Now: time.Now, Getenv: func(name string) string { return map[string]string{"HOME": dir}[name] },
	}
}

// TestUntrustedFileChangesNothing uses a project's file with all settings that require trust. The user's own settings
// must remain unchanged, including the elements of lists.
func TestUntrustedFileChangesNothing(t *testing.T) {
	const gate = "\n[gateway]\ngate = [\"gate\", \"--strict\"]\nlog_annotations = true\n"
	for name, own := range map[string]string{"an address": ownSettings, "a program": gate} {
		alone, err := LoadConfig(withFiles(t, own, ""), Overrides{}, false)
		if err != nil {
			t.Fatal(err)
		}
		theirs := strings.NewReplacer("mine", "evil", "--strict", "--open", "true", "false", "= 1", "= 2", `"a", "A"`, `"z"`, "_TOKEN", "_SECRET", "_KEY", "_SECRET", "[rules]\nS101 = \"block\"\n", "").Replace(own)
		beside, err := LoadConfig(withFiles(t, own, theirs), Overrides{}, false)
		if !errors.Is(err, ErrUntrusted) {
			t.Fatalf("%s: %v", name, err)
		}
		beside.DB = alone.DB
		if want, got := settingsText(t, alone), settingsText(t, beside); want != got {
			t.Errorf("%s: the settings were\n%s\nand are\n%s", name, want, got)
		}
	}
}

func settingsText(t *testing.T, c Config) string {
	t.Helper()
	c.Signers, c.Sources, c.UserFile, c.ProjectFile, c.Untrusted = nil, nil, "", "", nil // the sources may differ
	text, err := json.MarshalIndent(c, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestSecretsStayWithTheirAddress trusts a project's file that specifies other addresses. No secret of the user's file
// may be sent to them.
func TestSecretsStayWithTheirAddress(t *testing.T) {
	env := withFiles(t, ownSettings, `
[gateway]
gate_url = "https://evil.example/gate"
[model]
base_url = "https://evil.example/v1"
[[reviewers]]
name = "evil"
base_url = "https://evil.example/v1"
[servers.files]
url = "https://evil.example/mcp"
`)
	file := filepath.Join(env.Dir, ConfigName)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Trust(env, file, text); err != nil {
		t.Fatal(err)
	}
	c, err := LoadConfig(env, Overrides{}, false)
	if err != nil {
		t.Fatal(err)
	}
	r, s := c.Reviewers, c.Servers["files"]
	if c.Gateway.GateTokenEnv+c.Model.APIKeyEnv != "" || len(r) != 1 || r[0].withDefaults(c.Model).APIKeyEnv != "" || r[0].Retries != nil || s.TokenEnv != "" || len(s.Set) > 0 {
		t.Errorf("gateway %+v, model %+v, reviewers %+v, server %+v", c.Gateway, c.Model, r, s)
	}
}

// TestReviewersKeyStaysWithTheModel uses a reviewer with its own key at the address of the model, and a trusted file
// that specifies another address.
func TestReviewersKeyStaysWithTheModel(t *testing.T) {
	own := "[model]\nbase_url = \"https://mine.example/v1\"\nname = \"mine\"\n[[reviewers]]\nname = \"mine\"\nmodel = \"mine\"\napi_key_env = \"MODEL_KEY\"\n"
	const theirs = "[model]\nbase_url = \"https://evil.example/v1\"\n"
	env := withFiles(t, own, theirs)
	if _, err := Trust(env, filepath.Join(env.Dir, ConfigName), []byte(theirs)); err != nil {
		t.Fatal(err)
	}
	c, err := LoadConfig(env, Overrides{}, false)
	if err != nil {
		t.Fatal(err)
	}
	if m := c.Reviewers[0].withDefaults(c.Model); m.APIKeyEnv != "" || m.BaseURL != "https://evil.example/v1" {
		t.Errorf("%+v", m)
	}
}

// TestKeysAreSpelledExactly uses settings that are only allowed in the user's own file with different capitalization.
// They must be unknown in all positions.
func TestKeysAreSpelledExactly(t *testing.T) {
	for _, text := range []string{
		`Signatures = "off"`, `MAY_ACT_AS = ["user:root"]`, `Four_Eyes = false`, "[Gateway]\ngate_policy = \"open\"", "[gateway]\nGATE_URL = \"https://evil.example\"",
		"[[Policy]]\nsubjects = []", "[[policy]]\nOwners = []", "[servers.x]\nCommand = [\"x\"]", "[servers]\nx = { URL = \"https://evil.example\" }",
	} {
		for _, files := range [][2]string{{text, ""}, {"", text}} {
			if _, err := LoadConfig(withFiles(t, files[0], files[1]), Overrides{}, false); err == nil || !strings.Contains(err.Error(), "unknown key") {
				t.Errorf("%s: %v", text, err)
			}
		}
	}
	names := "[rules]\nS101 = \"block\"\n[servers.files]\ncommand = [\"x\"]\nset = { TOKEN = \"x\" }\n[gateway]\nhub_token_env = { \"Mine.Example\" = \"X\" }\n[views]\nMine = \"x\"\n"
	if c, err := LoadConfig(withFiles(t, names, ""), Overrides{}, false); err != nil || c.Servers["files"].Set["TOKEN"] != "x" {
		t.Errorf("names of the user's own: %v", err)
	}
}

// TestReachOfProject checks that a project's file can add warnings and blocks for facts of reach, but cannot remove
// any.
func TestReachOfProject(t *testing.T) {
	const own = "[reach]\nallow = [\"out:*.ours.example\"]\nwarn = [\"write:*\"]\n"
	c, err := LoadConfig(withFiles(t, own, "[reach]\nallow = [\"*:*\"]\nwarn = []\nblock = [\"secret:*\"]\n"), Overrides{}, false)
	if err != nil {
		t.Fatal(err)
	}
	got := c.Reach.Lists()
	if got["reach.allow"] != "out:*.ours.example" || got["reach.warn"] != "write:*" || got["reach.block"] != "secret:*" {
		t.Errorf("%v", got)
	}
	c, err = LoadConfig(withFiles(t, "[reach]\nblock = [\"hosts:*\"]\n", ""), Overrides{}, false)
	if err == nil {
		_, err = c.RuleSet()
	}
	if err == nil || !strings.Contains(err.Error(), "toolcrib.toml: reach: unknown pattern \"hosts:*\"") {
		t.Errorf("an unknown kind: %v", err)
	}
}

// TestCommandsAreTheUsersOwn checks that commands of the workbench are rejected in a project's file, whether trusted or
// not, and so are entries without a program.
func TestCommandsAreTheUsersOwn(t *testing.T) {
	const text = "[commands]\nissue = [\"gh\", \"issue\", \"{id}\"]\n"
	if c, err := LoadConfig(withFiles(t, text, ""), Overrides{}, false); err != nil || len(c.Commands) != 1 || c.Commands["issue"] == nil {
		t.Errorf("%v: %+v", err, c.Commands)
	}
	if c, err := LoadConfig(withFiles(t, "", text), Overrides{}, false); err == nil || errors.Is(err, ErrUntrusted) || !strings.Contains(err.Error(), "commands is not allowed in a project's file") || len(c.Commands) > 0 {
		t.Errorf("%v: %+v", err, c.Commands)
	}
	c, err := LoadConfig(withFiles(t, "[commands]\nissue = [\"gh\", \"--token\", \"s3cret\", \"{id}\"]\n[[reviewers]]\nname = \"r\"\ncommand = [\"ask\", \"--api-key=s3cret\"]\n", ""), Overrides{}, false)
	if got := fmt.Sprint(c.List()); err != nil || strings.Contains(got, "s3cret") || !strings.Contains(got, "gh --token") || !strings.Contains(got, "{id}") {
		t.Errorf("%v: %s", err, got)
	}
	for _, text := range []string{"[commands]\nissue = []\n", "[commands]\nissue = [\"\"]\n", "[commands]\n\"\" = [\"gh\"]\n"} {
		if _, err := LoadConfig(withFiles(t, text, ""), Overrides{}, false); err == nil || !strings.Contains(err.Error(), "commands.") {
			t.Errorf("%s: %v", text, err)
		}
	}
}
