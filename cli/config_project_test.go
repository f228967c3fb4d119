package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// withFiles returns the environment of a user's file and a project's.
func withFiles(t *testing.T, own, project string) Env {
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
	return Env{
		Dir: filepath.Join(dir, "project"), System: filepath.Join(dir, "system"), Account: func() Account { return Account{Home: dir} },
		Now: time.Now, Getenv: func(name string) string { return map[string]string{"HOME": dir}[name] },
	}
}

// TestKeysAreSpelledExactly has settings of the user's own file alone in another
// case: they are unknown, wherever they stand.
func TestKeysAreSpelledExactly(t *testing.T) {
	for _, text := range []string{
		`Signatures = "off"`, `MAY_ACT_AS = ["user:root"]`, `Four_Eyes = false`, "[Gateway]\ngate_policy = \"open\"", "[gateway]\nGATE_URL = \"https://evil.example\"",
		"[[Policy]]\nsubjects = []", "[[policy]]\nOwners = []", "[servers.x]\nCommand = [\"x\"]", "[servers]\nx = { URL = \"https://evil.example\" }",
	} {
		for _, files := range [][2]string{{text, ""}, {"", text}} {
			if _, err := loadConfig(withFiles(t, files[0], files[1]), globalFlags{}); err == nil || !strings.Contains(err.Error(), "unknown key") {
				t.Errorf("%s: %v", text, err)
			}
		}
	}
	names := "[rules]\nS101 = \"block\"\n[servers.files]\ncommand = [\"x\"]\nset = { TOKEN = \"x\" }\n[gateway]\nhub_token_env = { \"Mine.Example\" = \"X\" }\n[views]\nMine = \"x\"\n"
	if c, err := loadConfig(withFiles(t, names, ""), globalFlags{}); err != nil || c.Servers["files"].Set["TOKEN"] != "x" {
		t.Errorf("names of the user's own: %v", err)
	}
}
