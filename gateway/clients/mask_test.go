package clients

import (
	"fmt"
	"strings"
	"testing"
)

// secrets lists the secrets in the fixtures; the other list has texts next to them that must stay readable.
var (
	secrets = []string{
		"4f1c", "lin_api_1234567890", "ghp_16", "lovelace", "BSAabc123", `"abc"`, "ada:secret", "ctx7sk-0000",
		"no-warnings", "us-east-1", "it''s a secret", "two", "plain words", "hf_abcdefghijkl", "9b2f6c1e", "t0", "ghp_0000", "debug",
		"q-5ecret", "t0p5ecret", "goose-5ecret", "qw3n",
	}
	open = []string{
		"@upstash/context7-mcp", "db.example/engine", "mcp.linear.example", "SQLITE_KEY", "${TRACKER_TOKEN}", "FIGMA_TOKEN",
		"${input:key}", "Authorization", "/home/ada/notes.db", "mcp-sqlite", "actions.zapier.example", "--api-key",
	}
)

func TestMaskedShowsNoSecret(t *testing.T) {
	for system := range systems {
		t.Run(system, func(t *testing.T) {
			var texts, servers strings.Builder
			for _, f := range furnished(t, system).Find() {
				text := f.Masked()
				if len(text) == 0 {
					t.Errorf("%s: nothing is shown", f.Path)
				}
				texts.Write(text)
				for _, s := range f.Servers {
					fmt.Fprintln(&servers, shown(s.Masked()))
				}
			}
			for _, secret := range secrets {
				if strings.Contains(texts.String(), secret) {
					t.Errorf("the text of a file shows %s", secret)
				}
				if strings.Contains(servers.String(), secret) {
					t.Errorf("a server shows %s", secret)
				}
			}
			for _, word := range open[:len(open)-2] {
				if !strings.Contains(texts.String(), word) {
					t.Errorf("the text of a file does not show %s", word)
				}
			}
		})
	}
}

// TestMaskedFile compares complete masked texts, including comments that contain secrets.
func TestMaskedFile(t *testing.T) {
	for _, tc := range []struct{ client, path, data, want string }{
		{
			"cursor", "mcp.json",
			"// a // b\n{\"mcpServers\": { /* K=1 */ \"x\": {\"command\": \"c\", // tok\n\"args\": [\"--token\", \"t\", \"-v\"], \"env\": {\"A\": \"\", \"B\": 7}}}, \"y\": \"z\"} // c",
			"// ***\n{\"mcpServers\": { /* *** */ \"x\": {\"command\": \"c\", // ***\n\"args\": [\"--token\", \"***\", \"-v\"], \"env\": {\"A\": \"\", \"B\": \"***\"}}}, \"y\": \"z\"} // ***",
		},
		{
			"codex", "config.toml",
			"# a\n[mcp_servers.x] # k\ncommand = 'c'\nenv.K = '''v\nw''' # k\n# b\n[mcp_servers.x.http_headers]\nA = \"b\"\n[y]\nz = 'z' # c",
			"# ***\n[mcp_servers.x] # ***\ncommand = 'c'\nenv.K = \"***\" # ***\n# ***\n[mcp_servers.x.http_headers]\nA = \"***\"\n[y]\nz = 'z' # ***",
		},
		{
			"continue", "config.yaml",
			"# a\nmcpServers:\n  - name: x # k\n    command: c\n    apiKey: s\n    env:\n      # k\n      A: \"b\\\n        c\"\n      D: e\n        f\n      G: >-\n        h\n\n        # i\n      J: 'k'\nrules: [] # c\n",
			"# ***\nmcpServers:\n  - name: x # ***\n    command: c\n    apiKey: \"***\"\n    env:\n      # ***\n      A: \"***\"\n      D: \"***\"\n      G: \"***\"\n      J: \"***\"\nrules: [] # ***\n",
		},
	} {
		f := parsed(t, tc.client, tc.path, []byte(tc.data))
		if got := string(f.Masked()); got != tc.want {
			t.Errorf("%s is shown as\n%s\nwant\n%s", tc.path, got, tc.want)
		}
	}
}

func TestMaskArgument(t *testing.T) {
	for _, tc := range []struct{ previous, arg, want string }{
		{"", "npx", "npx"},
		{"-y", "@modelcontextprotocol/server-sequential-thinking@2025.7.1", "@modelcontextprotocol/server-sequential-thinking@2025.7.1"},
		{"--api-key", "k", "***"},
		{"--api-key=k", "next", "next"},
		{"", "--api-key=k", "--api-key=***"},
		{"--header", "Authorization: Bearer x", "Authorization: ***"},
		{"-e", "GITHUB_TOKEN=ghp_x", "GITHUB_TOKEN=***"},
		{"-e", "GITHUB_TOKEN", "GITHUB_TOKEN"},
		{"", "https://u:p@h/x?k=v&w#f", "https://***@h/x?k=***&***#***"},
		{"", "postgres://h/db", "postgres://h/db"},
		{"", "sk-proj-abcdefgh12345678", "***"},
		{"", "6f9619ff-8b86-d011-b42d-00c04fc964ff", "***"},
		{"", "https://mcp.zapier.com/api/mcp/s/NjY4k2Q3mZ/mcp", "https://mcp.zapier.com/api/mcp/s/***/mcp"},
		{"", "https://mcp.example.com/fc-0a1b2c3d4e5f/v2/mcp", "https://mcp.example.com/***/v2/mcp"},
		{"", "https://api.example.com/v1beta1/2025-06-18/server-everything/mcp", "https://api.example.com/v1beta1/2025-06-18/server-everything/mcp"},
		{"", "AC0123456789/SKabc:topsecret", "***"},
		{"", "ACf00/SKb4r:s3cret", "***"},
		{"", "ghcr.io/github/github-mcp-server:v1.2.3", "ghcr.io/github/github-mcp-server:v1.2.3"},
		{"", "mcp/postgres16:latest-alpine", "mcp/postgres16:latest-alpine"},
		{"", "averyveryverylongwordwithoutdigits", "averyveryverylongwordwithoutdigits"},
	} {
		if got := maskArgument(tc.previous, tc.arg); got != tc.want {
			t.Errorf("%q behind %q is shown as %q, want %q", tc.arg, tc.previous, got, tc.want)
		}
	}
}
