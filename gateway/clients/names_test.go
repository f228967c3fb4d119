package clients

import (
	"fmt"
	"strings"
	"testing"
)

// named formats the names of the servers in files, in the order of Entries.
func named(t *testing.T, known map[string]Server, files ...File) string {
	t.Helper()
	var all []string
	for _, e := range Entries(files, known) {
		word := fmt.Sprintf("%s/%s=%s", e.File.Client, e.Server().Name, e.Name)
		if e.Fault != "" {
			word += "!"
		}
		all = append(all, word)
	}
	return strings.Join(all, " ")
}

// TestNames checks that entries that start the same server share a name, and that different servers have different
// names.
func TestNames(t *testing.T) {
	file := func(client, path, entries string) File {
		return parsed(t, client, path, []byte(`{"mcpServers":{`+entries+`}}`))
	}
	const memory, token, other, guarded = `"memory":{"command":"npx","args":["m"]}`, `"memory":{"command":"npx","args":["m"],"env":{"T":"2"}}`, `"Memory":{"command":"uvx"}`, `"memory":{"command":"toolcrib","args":["guard","graph","--","npx","m"]}`
	project := file("claude-code", "/p/.mcp.json", other)
	for _, tc := range []struct {
		want  string
		files []File
		known map[string]Server
	}{
		{"cursor/memory=memory kiro/memory=memory", []File{file("cursor", "m.json", memory), file("kiro", "m.json", token)}, nil},
		{"cursor/memory=memory kiro/Memory=memory_2", []File{file("cursor", "m.json", memory), file("kiro", "m.json", other)}, nil},
		{"cursor/memory=memory kiro/graph=memory", []File{file("cursor", "m.json", memory), file("kiro", "m.json", strings.Replace(memory, "memory", "graph", 1))}, nil},
		// projects' files do not affect the names in users' files
		{"cursor/memory=memory claude-code/Memory=memory_2", []File{project, file("cursor", "m.json", memory)}, nil},
		// names already in a file are kept, wherever they are
		{"cursor/memory=graph kiro/memory=graph", []File{file("cursor", "m.json", memory), file("kiro", "m.json", guarded)}, nil},
		{"cursor/graph=graph_2 kiro/memory=graph", []File{file("cursor", "m.json", `"graph":{"command":"other"}`), file("kiro", "m.json", guarded)}, nil},
		// so are names from the configuration
		{"cursor/memory=memory_2", []File{file("cursor", "m.json", memory)}, map[string]Server{"memory": {Command: "uvx"}}},
		{"cursor/memory=notes", []File{file("cursor", "m.json", memory)}, map[string]Server{"notes": {Command: "npx", Args: []string{"m"}}}},
		// if a user gave two servers the same name, the second is renamed
		{"cursor/memory=graph kiro/b=b", []File{file("cursor", "m.json", guarded), file("kiro", "m.json", `"b":{"command":"toolcrib","args":["guard","graph","--","other"]}`)}, nil},
		// another version of the same package is the same server (G35)
		{"cursor/memory=graph kiro/b=graph", []File{file("cursor", "m.json", strings.Replace(guarded, `"m"]`, `"@s/m@1.2"]`, 1)), file("kiro", "m.json", `"b":{"command":"toolcrib","args":["guard","graph","--","npx","@s/m@2"]}`)}, nil},
		{"cursor/memory=graph", []File{file("cursor", "m.json", strings.Replace(guarded, `"m"]`, `"m@2.0.1"]`, 1))}, map[string]Server{"graph": {Command: "npx", Args: []string{"m"}}}},
		// servers that cannot be guarded do not reserve names
		{"cursor/a=a! kiro/a=a", []File{file("cursor", "m.json", `"a":{"type":"sse","url":"https://h"}`), file("kiro", "m.json", `"a":{"command":"a"}`)}, nil},
		// servers are distinguished by their addresses, not by their secrets
		{
			"cursor/a=a kiro/a=a qwen/a=a_2", []File{
				file("cursor", "m.json", `"a":{"command":"a","args":["--token","1"]}`), file("kiro", "m.json", `"a":{"command":"a","args":["--token","2"]}`),
				file("qwen", "m.json", `"a":{"httpUrl":"https://h/s/NjY4k2Q3mZ1"}`),
			}, nil,
		},
		{"cursor/a=a kiro/a=a_2", []File{file("cursor", "m.json", `"a":{"url":"https://h/s/NjY4k2Q3mZ1?k=1"}`), file("kiro", "m.json", `"a":{"url":"https://h/s/NjY4k2Q3mZ2?k=2"}`)}, nil},
		{"cursor/a=a kiro/a=a_2 kiro/A=a_3", []File{file("cursor", "m.json", `"a":{"command":"1"}`), file("kiro", "m.json", `"a":{"command":"2"},"A":{"command":"3"}`)}, nil},
	} {
		if got := named(t, tc.known, tc.files...); got != tc.want {
			t.Errorf("%s\nwant %s", got, tc.want)
		}
		// Names do not depend on the order in which servers are guarded.
		files := tc.files
		for i := len(files) - 1; i >= 0 && !strings.Contains(tc.want, "!"); i-- {
			for _, e := range Entries(files, tc.known) {
				if e.File == &files[i] && e.State() == Open {
					files[i], _ = files[i].Guard(prefix, map[int]string{e.Index: e.Name})
					break
				}
			}
			if got := named(t, tc.known, files...); got != tc.want {
				t.Errorf("once %s is guarded: %s\nwant %s", files[i].Client, got, tc.want)
			}
		}
	}
}

// TestNameOfAPluginServer checks that a plugin's server keeps its recorded name, also if part of the plugin's path
// looks like a key and is masked in the record.
func TestNameOfAPluginServer(t *testing.T) {
	const root = "/h/.claude/plugins/cache/quay/tides/6b70f99f769f0c1e6b70f99f769f0c1e6b70f99f"
	f := parsed(t, "claude-code", root+"/.mcp.json", []byte(`{"mcpServers":{"far":{"command":"node","args":["${CLAUDE_PLUGIN_ROOT}/far.mjs"]}}}`))
	f.Variables = map[string]string{"${CLAUDE_PLUGIN_ROOT}": root}
	record := Server{Command: "node", Args: []string{root + "/far.mjs"}}.Masked()
	if got := named(t, map[string]Server{"far": record}, f); got != "claude-code/far=far" {
		t.Errorf("%s, recorded as %v", got, record.Args)
	}
}
