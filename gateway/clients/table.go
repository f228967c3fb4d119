package clients

import (
	"slices"
	"strings"
)

// Scope is whom a file's servers are for.
type Scope string

// The scopes of a file. A server with a Project narrows it further.
const (
	User    Scope = "user"
	Project Scope = "project"
)

// Client is an application that starts MCP servers.
type Client struct {
	ID, Name string
	Source   string // the documentation that its places and keys are taken from
	places   []location
	dialect  dialect
}

// location is a file, or several, that a client reads. The path begins with a
// folder in braces (Machine.folder); a "*" in it stands for any name.
type location struct {
	path string
	keys [][]string // where the servers are, the longest first; default: the dialect's
}

func (l location) scope() Scope {
	if strings.HasPrefix(l.path, "{project}") {
		return Project
	}
	return User
}

// files are locations with the keys of the dialect.
func files(paths ...string) []location {
	all := make([]location, len(paths))
	for i, p := range paths {
		all[i].path = p
	}
	return all
}

// dialect is how a client writes its servers.
type dialect struct {
	keys [][]string // where the servers are in the file
	// members returns the fields of an entry, in the order to write them.
	members  func(Entry) []member
	urlIsSSE bool
	// off returns the names of servers that are switched off elsewhere in the
	// file, for the servers below an object.
	off func(root, parent *node) []string
}

type member struct {
	name  string
	value any // string, bool or []string
}

var servers = [][]string{{"mcpServers"}}

// plain writes an entry as most clients have it; typed names the transport too.
func plain(e Entry) []member { return []member{{"command", e.Command}, {"args", e.Args}} }

func typed(e Entry) []member { return append([]member{{"type", "stdio"}}, plain(e)...) }

func opencodeLocal(e Entry) []member {
	return []member{{"type", "local"}, {"command", append([]string{e.Command}, e.Args...)}, {"enabled", true}}
}

// All returns the clients in the order of their names.
func All() []Client { return slices.Clone(table) }

var table = []Client{
	{
		ID: "amp", Name: "Amp", Source: "https://ampcode.com/manual#configuration",
		dialect: dialect{keys: [][]string{{"amp.mcpServers"}}, members: plain},
		places: files(
			"{home}/.config/amp/settings.json",
			"{home}/.config/amp/settings.jsonc",
			"{project}/.amp/settings.json",
			"{project}/.amp/settings.jsonc",
		),
	},
	{
		ID: "claude-code", Name: "Claude Code", Source: "https://code.claude.com/docs/en/mcp",
		dialect: dialect{
			keys: [][]string{{"projects", "*", "mcpServers"}, {"mcpServers"}}, members: typed,
			off: func(_, parent *node) []string { return parent.get("disabledMcpServers").strings() },
		},
		places: files("{claude}/.claude.json", "{project}/.mcp.json"),
	},
	{
		ID: "claude-desktop", Name: "Claude Desktop", Source: "https://modelcontextprotocol.io/docs/develop/connect-local-servers",
		dialect: dialect{keys: servers, members: plain},
		places:  files("{appdata}/Claude/claude_desktop_config.json"),
	},
	{
		ID: "cline", Name: "Cline", Source: "https://docs.cline.bot/getting-started/config",
		dialect: dialect{keys: servers, members: typed},
		places:  append(inEditors("saoudrizwan.claude-dev/settings/cline_mcp_settings.json"), location{path: "{home}/.cline/data/settings/cline_mcp_settings.json"}),
	},
	{
		ID: "codex", Name: "Codex CLI", Source: "https://developers.openai.com/codex/mcp",
		dialect: dialect{keys: [][]string{{"mcp_servers"}}, members: plain},
		places:  files("{codex}/config.toml", "{project}/.codex/config.toml"),
	},
	{
		ID: "continue", Name: "Continue", Source: "https://docs.continue.dev/customize/deep-dives/mcp",
		dialect: dialect{keys: servers, members: plain},
		places: files(
			"{home}/.continue/config.yaml",
			"{home}/.continue/mcpServers/*.yaml",
			"{home}/.continue/mcpServers/*.yml",
			"{home}/.continue/mcpServers/*.json",
			"{project}/.continue/mcpServers/*.yaml",
			"{project}/.continue/mcpServers/*.yml",
			"{project}/.continue/mcpServers/*.json",
		),
	},
	{
		ID: "cursor", Name: "Cursor", Source: "https://cursor.com/docs/mcp",
		dialect: dialect{keys: servers, members: plain},
		places:  files("{home}/.cursor/mcp.json", "{project}/.cursor/mcp.json"),
	},
	{
		ID: "gemini", Name: "Gemini CLI", Source: "https://github.com/google-gemini/gemini-cli/blob/main/docs/tools/mcp-server.md",
		dialect: dialect{
			keys: servers, members: plain, urlIsSSE: true,
			off: func(root, _ *node) []string { return root.get("mcp").get("excluded").strings() },
		},
		places: files("{gemini}/.gemini/settings.json", "{project}/.gemini/settings.json"),
	},
	{
		ID: "lm-studio", Name: "LM Studio", Source: "https://lmstudio.ai/docs/app/mcp",
		dialect: dialect{keys: servers, members: plain},
		places: files(
			"{home}/.lmstudio/mcp.json",
			"{home}/.cache/lm-studio/mcp.json", // github.com/lmstudio-ai/lmstudio-bug-tracker/issues/1371
		),
	},
	{
		ID: "opencode", Name: "opencode", Source: "https://opencode.ai/docs/mcp-servers",
		// Version 2 has mcp.servers (opencode.ai/v2/docs/mcp-servers).
		dialect: dialect{keys: [][]string{{"mcp", "servers"}, {"mcp"}}, members: opencodeLocal},
		places: files(
			"{xdg}/opencode/opencode.json",
			"{xdg}/opencode/opencode.jsonc",
			"{opencode}",
			"{project}/opencode.json",
			"{project}/opencode.jsonc",
			"{project}/.opencode/opencode.json",
			"{project}/.opencode/opencode.jsonc",
		),
	},
	{
		ID: "roo", Name: "Roo Code", Source: "https://docs.roocode.com/features/mcp/using-mcp-in-roo",
		dialect: dialect{keys: servers, members: plain},
		places:  append(inEditors("rooveterinaryinc.roo-cline/settings/mcp_settings.json"), location{path: "{project}/.roo/mcp.json"}),
	},
	{
		ID: "vscode", Name: "VS Code", Source: "https://code.visualstudio.com/docs/agents/reference/mcp-configuration",
		dialect: dialect{keys: [][]string{{"servers"}}, members: typed},
		places:  vscode(),
	},
	{
		ID: "windsurf", Name: "Windsurf", Source: "https://docs.windsurf.com/windsurf/cascade/mcp",
		dialect: dialect{keys: servers, members: plain},
		places:  files("{home}/.codeium/windsurf/mcp_config.json"),
	},
	{
		ID: "zed", Name: "Zed", Source: "https://zed.dev/docs/ai/mcp; folders: zed-industries/zed crates/paths/src/paths.rs",
		dialect: dialect{keys: [][]string{{"context_servers"}}, members: plain},
		places:  files("{zed}/settings.json", "{project}/.zed/settings.json"),
	},
}

// inEditors returns where an extension of VS Code keeps a file, in every editor
// that is built on it.
func inEditors(path string) []location {
	var all []location
	for _, editor := range []string{"Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf"} {
		all = append(all, location{path: "{appdata}/" + editor + "/User/globalStorage/" + path})
	}
	return append(all, location{path: "{home}/.vscode-server/data/User/globalStorage/" + path})
}

// vscode returns the files of VS Code. Since 1.102 it keeps the servers of a
// user in mcp.json of the profile; before, and still read, in the settings.
func vscode() []location {
	settings := [][]string{{"mcp", "servers"}}
	var all []location
	for _, user := range []string{"{appdata}/Code/User", "{appdata}/Code - Insiders/User", "{appdata}/VSCodium/User", "{home}/.vscode-server/data/User"} {
		all = append(all,
			location{path: user + "/mcp.json"},
			location{path: user + "/profiles/*/mcp.json"},
			location{path: user + "/settings.json", keys: settings})
	}
	return append(all,
		location{path: "{project}/.vscode/mcp.json"},
		location{path: "{project}/.vscode/settings.json", keys: settings})
}
