// This file defines the supported clients, and the locations and formats of their files.

package clients

import (
	"slices"
	"strings"

	"toolcrib/gateway/clients/spanedit"
)

// Scope specifies whether a file configures servers for all folders or for a project.
type Scope string

// User files apply to all folders, and Project files apply to a single project. Server.Project can limit a server in a
// User file to a project.
const (
	User    Scope = "user"
	Project Scope = "project"
)

// Client is an application that starts MCP servers.
type Client struct {
	ID, Name string
	Source   string // documentation of the client's files and keys
	places   []location
	dialect  dialect
	hooks    hookStyle
}

// location is a pattern for the paths of files that a client reads. The path begins with the name of a folder in
// braces, which Machine.folder resolves. "*" matches any name.
type location struct {
	path string
	keys [][]string // paths to the servers, the longest first; nil means dialect.keys
	// plugin is the number of folders from the file up to the folder of its plugin. It is 0 if the file does not belong
	// to a plugin.
	plugin int
	editor bool // the file is the package.json of an editor extension
}

func (l location) scope() Scope {
	if strings.HasPrefix(l.path, "{project}") {
		return Project
	}
	return User
}

// files returns a location for each path, with the keys of the client's dialect.
func files(paths ...string) []location {
	all := make([]location, len(paths))
	for i, p := range paths {
		all[i].path = p
	}
	return all
}

// dialect describes how a client's file represents servers.
type dialect struct {
	keys     [][]string // paths to the servers
	urlIsSSE bool       // a "url" without a type uses the SSE transport
	words    keyNames
	// off returns the names of the servers in parent that are disabled in another part of the file.
	off func(root, parent *spanedit.Node) []string
}

// keyNames contains the keys and types that the entries of a client use for URLs and commands. An empty field
// represents the default.
type keyNames struct {
	url, headers string // default "url" and "headers"
	command, env string // default "command" and "env"
	stdio        string // type of an entry with a command; default "stdio"
	array        bool   // the value of the command key is a list with the program and its arguments
}

var (
	servers = [][]string{{"mcpServers"}}
	usual   = dialect{keys: servers}
)

// All returns the clients, ordered by name.
func All() []Client { return slices.Clone(table) }

var table = []Client{
	{
		ID: "amp", Name: "Amp", Source: "https://ampcode.com/manual#configuration",
		dialect: dialect{keys: [][]string{{"amp.mcpServers"}}},
		places: files(
			"{home}/.config/amp/settings.json",
			"{home}/.config/amp/settings.jsonc",
			"{project}/.amp/settings.json",
			"{project}/.amp/settings.jsonc",
		),
	},
	{
		ID: "amazon-q", Name: "Amazon Q", Source: "https://docs.aws.amazon.com/amazonq/latest/qdeveloper-ug/mcp-ide.html, qdev-mcp.html",
		dialect: usual,
		places: files(
			"{home}/.aws/amazonq/mcp.json",
			"{home}/.aws/amazonq/default.json",
			"{home}/.aws/amazonq/agents/*.json",
			"{home}/.aws/amazonq/cli-agents/*.json",
			"{project}/.amazonq/mcp.json",
			"{project}/.amazonq/default.json",
			"{project}/.amazonq/cli-agents/*.json",
		),
	},
	{
		ID: "claude-code", Name: "Claude Code", Source: "https://code.claude.com/docs/en/mcp",
		dialect: dialect{
			keys: [][]string{{"projects", "*", "mcpServers"}, {"mcpServers"}},
			off:  func(_, parent *spanedit.Node) []string { return parent.Get("disabledMcpServers").Strs() },
		},
		places: append(files("{claude}/.claude.json", "{project}/.mcp.json"),
			// https://code.claude.com/docs/en/plugins-reference: .mcp.json may have the servers at its root.
			location{path: "{claude-home}/plugins/cache/*/*/*/.mcp.json", keys: [][]string{{"mcpServers"}, {}}, plugin: 1},
			location{path: "{claude-home}/plugins/cache/*/*/*/.claude-plugin/plugin.json", keys: servers, plugin: 2},
			location{path: localPlugin + "/.mcp.json", keys: [][]string{{"mcpServers"}, {}}, plugin: 1},
			location{path: localPlugin + "/.claude-plugin/plugin.json", keys: servers, plugin: 2},
			location{path: marketplaceFolder + "/.claude-plugin/marketplace.json", keys: [][]string{}, plugin: 2}),
		hooks: hookStyle{ // https://code.claude.com/docs/en/hooks
			event: "UserPromptSubmit", grouped: true, places: hookPlaces("{claude-home}/settings.json", "{project}/.claude/settings.json"),
		},
	},
	{ID: "claude-desktop", Name: "Claude Desktop", Source: "https://modelcontextprotocol.io/docs/develop/connect-local-servers", dialect: usual, places: files("{appdata}/Claude/claude_desktop_config.json")},
	{
		ID: "cline", Name: "Cline", Source: "https://docs.cline.bot/getting-started/config",
		dialect: dialect{keys: servers},
		places:  append(inVSCodeEditors("saoudrizwan.claude-dev/settings/cline_mcp_settings.json"), location{path: "{home}/.cline/data/settings/cline_mcp_settings.json"}),
	},
	{
		ID: "codex", Name: "Codex CLI", Source: "https://developers.openai.com/codex/mcp",
		dialect: dialect{keys: [][]string{{"mcp_servers"}}, words: keyNames{headers: "http_headers"}},
		places:  files("{codex}/config.toml", "{project}/.codex/config.toml"),
		hooks: hookStyle{ // https://developers.openai.com/codex/hooks; openai/codex codex-rs/hooks/src/engine/discovery.rs
			event: "UserPromptSubmit", grouped: true, places: hookPlaces("{codex}/hooks.json", "{project}/.codex/hooks.json"),
		},
	},
	{
		ID: "continue", Name: "Continue", Source: "https://docs.continue.dev/customize/deep-dives/mcp",
		dialect: usual,
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
		ID: "copilot-cli", Name: "GitHub Copilot CLI", Source: "https://docs.github.com/en/copilot/how-tos/copilot-cli/customize-copilot/add-mcp-servers",
		dialect: dialect{keys: servers, words: keyNames{stdio: "local"}},
		places:  files("{copilot}/mcp-config.json", "{project}/.github/mcp.json"),
	},
	{
		ID: "copilot-ide", Name: "GitHub Copilot in IDEs", Source: "https://docs.github.com/en/copilot/how-tos/provide-context/use-mcp-in-your-ide/extend-copilot-chat-with-mcp; github/github-mcp-server docs/installation-guides/install-other-copilot-ides.md",
		dialect: dialect{keys: [][]string{{"servers"}}},
		places: files( // JetBrains and Xcode, then Visual Studio
			"{local}/github-copilot/intellij/mcp.json",
			"{local}/github-copilot/xcode/mcp.json",
			"{home}/.mcp.json",
			"{project}/.mcp.json",
			"{project}/.vs/mcp.json",
		),
	},
	{
		ID: "crush", Name: "Crush", Source: "https://github.com/charmbracelet/crush#mcps",
		dialect: dialect{keys: [][]string{{"mcp"}}},
		places:  files("{local}/crush/crush.json", "{project}/.crush.json", "{project}/crush.json"),
	},
	{
		ID: "cursor", Name: "Cursor", Source: "https://cursor.com/docs/mcp",
		dialect: usual,
		places:  append(files("{home}/.cursor/mcp.json", "{project}/.cursor/mcp.json"), location{path: "{home}/.cursor/extensions/*/package.json", editor: true}),
		hooks: hookStyle{ // https://cursor.com/docs/agent/hooks
			event: "beforeSubmitPrompt", more: `,"failClosed":true`, version: `"version":1,`, places: hookPlaces("{home}/.cursor/hooks.json", "{project}/.cursor/hooks.json"),
		},
	},
	{
		ID: "gemini", Name: "Gemini CLI", Source: "https://github.com/google-gemini/gemini-cli/blob/main/docs/tools/mcp-server.md",
		dialect: dialect{
			keys: servers, urlIsSSE: true,
			off: func(root, _ *spanedit.Node) []string { return root.Get("mcp").Get("excluded").Strs() },
		},
		places: append(files("{gemini}/.gemini/settings.json", "{project}/.gemini/settings.json"),
			// https://geminicli.com/docs/extensions/reference
			location{path: "{gemini}/.gemini/extensions/*/gemini-extension.json", plugin: 1},
			location{path: "{project}/.gemini/extensions/*/gemini-extension.json", plugin: 1}),
	},
	{
		ID: "goose", Name: "Goose", Source: "https://block.github.io/goose/docs/guides/config-files",
		dialect: dialect{keys: [][]string{{"extensions"}}, words: keyNames{url: "uri", command: "cmd", env: "envs"}},
		places:  files("{unix}/goose/config.yaml", "{roaming}/Block/goose/config/config.yaml"),
	},
	{ID: "junie", Name: "Junie", Source: "https://www.jetbrains.com/help/junie/model-context-protocol-mcp.html", dialect: usual, places: files("{home}/.junie/mcp/mcp.json", "{project}/.junie/mcp/mcp.json")},
	{ID: "kiro", Name: "Kiro", Source: "https://kiro.dev/docs/mcp/configuration", dialect: usual, places: files("{home}/.kiro/settings/mcp.json", "{project}/.kiro/settings/mcp.json")},
	{
		ID: "lm-studio", Name: "LM Studio", Source: "https://lmstudio.ai/docs/app/mcp",
		dialect: usual,
		places: files(
			"{home}/.lmstudio/mcp.json",
			"{home}/.cache/lm-studio/mcp.json", // github.com/lmstudio-ai/lmstudio-bug-tracker/issues/1371
		),
	},
	{
		ID: "opencode", Name: "opencode", Source: "https://opencode.ai/docs/mcp-servers",
		// Version 2 has mcp.servers (opencode.ai/v2/docs/mcp-servers).
		dialect: dialect{keys: [][]string{{"mcp", "servers"}, {"mcp"}}, words: keyNames{env: "environment", stdio: "local", array: true}},
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
		ID: "qwen", Name: "Qwen Code", Source: "https://qwenlm.github.io/qwen-code-docs/en/users/features/mcp/",
		dialect: dialect{
			keys: servers, urlIsSSE: true,
			off: func(root, _ *spanedit.Node) []string { return root.Get("mcp").Get("excluded").Strs() },
		},
		places: files("{home}/.qwen/settings.json", "{project}/.qwen/settings.json", "{project}/.qwen/settings.local.json"),
	},
	{
		ID: "roo", Name: "Roo Code", Source: "https://docs.roocode.com/features/mcp/using-mcp-in-roo",
		dialect: dialect{keys: servers},
		places:  append(inVSCodeEditors("rooveterinaryinc.roo-cline/settings/mcp_settings.json"), location{path: "{project}/.roo/mcp.json"}),
	},
	{
		ID: "vscode", Name: "VS Code", Source: "https://code.visualstudio.com/docs/agents/reference/mcp-configuration",
		dialect: dialect{keys: [][]string{{"servers"}}},
		places:  vscode(),
	},
	{ID: "windsurf", Name: "Windsurf", Source: "https://docs.windsurf.com/windsurf/cascade/mcp", dialect: usual, places: append(files("{home}/.codeium/windsurf/mcp_config.json"), location{path: "{home}/.windsurf/extensions/*/package.json", editor: true})},
	{
		ID: "zed", Name: "Zed", Source: "https://zed.dev/docs/ai/mcp; folders: zed-industries/zed crates/paths/src/paths.rs",
		dialect: dialect{keys: [][]string{{"context_servers"}}},
		places:  files("{zed}/zed/settings.json", "{roaming}/Zed/settings.json", "{project}/.zed/settings.json"),
	},
}

// inVSCodeEditors returns the locations of a file that a VS Code extension writes below globalStorage: a location for
// each editor that is based on VS Code, and a location for the VS Code server.
func inVSCodeEditors(path string) []location {
	var all []location
	for _, editor := range []string{"Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf"} {
		all = append(all, location{path: "{appdata}/" + editor + "/User/globalStorage/" + path})
	}
	return append(all, location{path: "{home}/.vscode-server/data/User/globalStorage/" + path})
}

// vscode returns the locations of the files of VS Code. Since version 1.102, VS Code stores the servers of a user in the
// mcp.json of a profile. It still reads the servers in settings.json, where earlier versions stored them.
func vscode() []location {
	settings := [][]string{{"mcp", "servers"}}
	var all []location
	for _, folder := range []string{".vscode", ".vscode-insiders", ".vscode-oss", ".vscode-server"} {
		all = append(all, location{path: "{home}/" + folder + "/extensions/*/package.json", editor: true})
	}
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
