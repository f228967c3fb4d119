package clients

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"toolcrib/gateway/clients/spanedit"
)

// plugin reads a file of a plugin or of an extension: whether its client uses it, and the
// servers of an extension that no file lists.
func (f *File) plugin() (used bool) {
	if f.at.editor {
		return f.extension()
	}
	root := f.Path
	for range f.at.plugin {
		root = filepath.Dir(root)
	}
	f.Variables = map[string]string{ // code.claude.com/docs/en/plugins-reference, geminicli.com/docs/extensions/reference
		"${CLAUDE_PLUGIN_ROOT}": root, "${extensionPath}": root, "${/}": string(filepath.Separator), "${pathSeparator}": string(filepath.Separator),
	}
	_, below, _ := strings.Cut(filepath.ToSlash(root), "/plugins/cache/")
	names := strings.Split(below, "/")
	if len(names) != 3 { // of another client than Claude Code
		return true
	}
	home := f.machine.folder("claude-home")
	id := names[1] + "@" + names[0]
	var installed struct {
		Plugins map[string][]struct {
			Path string `json:"installPath"`
		} `json:"plugins"`
	}
	if data, err := os.ReadFile(filepath.Join(home, "plugins", "installed_plugins.json")); err == nil && json.Unmarshal(data, &installed) == nil && len(installed.Plugins[id]) > 0 {
		for _, p := range installed.Plugins[id] {
			used = used || p.Path == "" || strings.HasSuffix(filepath.ToSlash(filepath.Clean(p.Path)), "/"+below)
		}
		if !used {
			return false // an older version that Claude Code keeps
		}
	}
	off := false
	for _, name := range []string{filepath.Join(home, "settings.json"), filepath.Join(f.machine.Project, ".claude", "settings.json"), filepath.Join(f.machine.Project, ".claude", "settings.local.json")} {
		var settings struct {
			Enabled map[string]bool `json:"enabledPlugins"`
		}
		data, err := os.ReadFile(name)
		if err != nil || !filepath.IsAbs(name) || json.Unmarshal(data, &settings) != nil {
			continue
		}
		if enabled, said := settings.Enabled[id]; said {
			off = !enabled // the nearest file counts
		}
	}
	for i := range f.Servers {
		f.Servers[i].Disabled = f.Servers[i].Disabled || off
	}
	return true
}

// contributions are the keys with which the package.json of an extension announces what
// agents of the editor get, and words for it
// (code.visualstudio.com/api/references/contribution-points).
var contributions = []struct{ key, words string }{
	{"mcpServerDefinitionProviders", "MCP servers"},
	{"languageModelTools", "tools"},
	{"chatSkills", "skills"},
	{"chatInstructions", "instructions"},
	{"chatPromptFiles", "prompts"},
	{"chatAgents", "agents"},
}

// extension adds a server that stands for what an extension brings, and reports false where
// it brings nothing.
func (f *File) extension() bool {
	f.Servers, f.Problems = nil, nil
	if f.doc.Root == nil {
		return false
	}
	var brings []string
	for _, c := range contributions {
		if n := f.doc.Root.Get("contributes").Get(c.key); n != nil && (len(n.Items) > 0 || len(n.Fields) > 0) {
			brings = append(brings, c.words)
		}
	}
	if len(brings) == 0 {
		return false
	}
	f.Servers = []Server{{
		Name: f.doc.Root.Get("name").Str(), node: &spanedit.Node{},
		Refused: "an extension brings " + strings.Join(slices.Compact(brings), ", ") + " that no file of the client lists, so toolcrib can neither guard nor compare them",
	}}
	return true
}
