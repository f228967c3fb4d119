package registry_test

import (
	"strings"
	"testing"

	"toolcrib/registry"
)

// toolEdit is a change of a complete action tool with the expected problems.
type toolEdit struct {
	name string
	edit func(*registry.Tool)
	want []string
}

func expectToolProblems(t *testing.T, edits []toolEdit) {
	t.Helper()
	for _, tt := range edits {
		t.Run(tt.name, func(t *testing.T) {
			tool := actionTool()
			tt.edit(&tool)
			expectProblems(t, tool.Problems("d"), tt.want...)
		})
	}
}

func TestApprovalProblems(t *testing.T) {
	approval := func(tier, def registry.ApprovalTier) func(*registry.Tool) {
		return func(x *registry.Tool) { x.Approval = &registry.Approval{Tier: tier, Default: def} }
	}
	expectToolProblems(t, []toolEdit{
		{"auto", approval("auto_approve", ""), nil},
		{"asking", approval("requires_approval", ""), nil},
		{"configurable, default auto", approval("user_configurable", "auto_approve"), nil},
		{"configurable, default asking", approval("user_configurable", "requires_approval"), nil},
		{"configurable without default", approval("user_configurable", ""), []string{"d.approval.default: missing; expected auto_approve or requires_approval"}},
		{"configurable by default configurable", approval("user_configurable", "user_configurable"), []string{"d.approval.default: expected auto_approve or requires_approval"}},
		{"default without choice", approval("auto_approve", "auto_approve"), []string{"d.approval.default: only the tier user_configurable"}},
		{"no tier", approval("", "never"), []string{"d.approval.tier: missing; expected auto_approve, requires_approval or user_configurable", "d.approval.default: expected"}},
		{"unknown tier", approval("sometimes", ""), []string{`d.approval.tier: got "sometimes"`}},
	})
}

func TestTagProblems(t *testing.T) {
	tag := func(tag registry.Tag) func(*registry.Tool) { return func(x *registry.Tool) { x.Tag = &tag } }
	expectToolProblems(t, []toolEdit{
		{"tag with the default pattern", tag(registry.Tag{Prefix: "SEARCH", ArgGroups: []string{"query"}}), nil},
		{"tag with one unnamed group", tag(registry.Tag{Prefix: "SEARCH"}), nil},
		{"tag without argument", tag(registry.Tag{Prefix: "STATUS", ArgPattern: `now`}), nil},
		{"tag with two groups", tag(registry.Tag{Prefix: "READ", ArgPattern: `(\S+)(?: (\d+))?`, ArgGroups: []string{"path", "line"}, Example: "READ: a.md 3"}), nil},
		{"tag without prefix", tag(registry.Tag{Example: "x"}), []string{"d.tag.prefix: missing"}},
		{"tag with an odd prefix", tag(registry.Tag{Prefix: "A\nB"}), []string{"d.tag.prefix: expected a single line"}},
		{"tag with a padded prefix", tag(registry.Tag{Prefix: " A"}), []string{"d.tag.prefix: expected a single line"}},
		{"tag with a long prefix", tag(registry.Tag{Prefix: strings.Repeat("A", 65)}), []string{"d.tag.prefix: got 65"}},
		{"tag with a broken pattern", tag(registry.Tag{Prefix: "A", ArgPattern: "(\u202e"}), []string{`d.tag.argPattern: RE2 syntax: error parsing regexp: missing closing ): ` + "`(\\u202e`"}},
		{"tag with a look-ahead", tag(registry.Tag{Prefix: "A", ArgPattern: `(?=a)`}), []string{"d.tag.argPattern: RE2 syntax"}},
		{"tag with a repetition bomb", tag(registry.Tag{Prefix: "A", ArgPattern: `((((a{99}){99}){99}){99})`}), []string{"d.tag.argPattern: RE2 syntax"}},
		{"tag with a long pattern", tag(registry.Tag{Prefix: "A", ArgPattern: strings.Repeat("a", 2_049)}), []string{"d.tag.argPattern: got 2049"}},
		{"tag with unnamed groups", tag(registry.Tag{Prefix: "A", ArgPattern: `(a)(b)`}), []string{"d.tag.argGroups: 2 groups (got 0)"}},
		{"tag with too many names", tag(registry.Tag{Prefix: "A", ArgGroups: []string{"x", "y"}}), []string{"d.tag.argGroups: 1 groups (got 2)"}},
		{"tag with odd names", tag(registry.Tag{Prefix: "A", ArgPattern: `(a)(b)(c)`, ArgGroups: []string{"x", "x", "1"}}), []string{"d.tag.argGroups[1]: duplicates d.tag.argGroups[0]", "d.tag.argGroups[2]: expected a name"}},
	})
}

func TestLimitsProblems(t *testing.T) {
	limits := func(cooldown, daily int) func(*registry.Tool) {
		return func(x *registry.Tool) {
			x.Limits = &registry.Limits{CooldownSeconds: cooldown, DailyLimit: daily}
		}
	}
	expectToolProblems(t, []toolEdit{
		{"limits", limits(0, 1_000_000_000), nil},
		{"negative limits", limits(-1, 1_000_000_001), []string{"d.limits.cooldownSeconds: got -1", "d.limits.dailyLimit: expected 0 (no limit) to 1000000000"}},
	})
}

func TestProviderProblems(t *testing.T) {
	provider := func(p registry.Provider) func(*registry.Tool) { return func(x *registry.Tool) { x.Provider = &p } }
	expectToolProblems(t, []toolEdit{
		{"builtin", provider(registry.Provider{Type: "builtin", Name: "tasks.get"}), nil},
		{"builtin elsewhere", provider(registry.Provider{Type: "builtin", Server: "s", URL: "https://hub.example"}), []string{"d.provider.server: only for the type mcp", "d.provider.url: only for the type http"}},
		{"mcp", provider(registry.Provider{Type: "mcp", Server: "harbour", Name: "get-tides"}), nil},
		{"mcp without server", provider(registry.Provider{Type: "mcp"}), []string{"d.provider.server: missing"}},
		{"http", provider(registry.Provider{Type: "http", URL: "http://127.0.0.1:9000/run"}), nil},
		{"http without address", provider(registry.Provider{Type: "http"}), []string{"d.provider.url: missing"}},
		{"http with another scheme", provider(registry.Provider{Type: "http", URL: "file:///etc/passwd"}), []string{"d.provider.url: expected an http or https address"}},
		{"http without host", provider(registry.Provider{Type: "http", URL: "https:tides"}), []string{"d.provider.url: expected an http or https address"}},
		{"no provider type", provider(registry.Provider{Name: "x"}), []string{"d.provider.type: missing; expected builtin, mcp or http"}},
		{"unknown provider type", provider(registry.Provider{Type: "grpc", URL: "x"}), []string{"d.provider.type: expected builtin, mcp or http"}},
		{"long provider keys", provider(registry.Provider{Type: "mcp", Server: strings.Repeat("s", 257), Name: strings.Repeat("n", 257)}), []string{"d.provider.name: got 257", "d.provider.server: got 257"}},
	})
}

func TestSourceProblems(t *testing.T) {
	hash := strings.Repeat("0a", 32)
	source := func(s registry.Source) func(*registry.Tool) { return func(x *registry.Tool) { x.Source = &s } }
	expectToolProblems(t, []toolEdit{
		{"source", source(registry.Source{Type: "mcp", Ref: "harbour", Hash: hash}), nil},
		{"half a source", source(registry.Source{Type: "dream"}), []string{"d.source.type: expected file, mcp, openai or anthropic", "d.source.ref: missing", "d.source.hash: missing; expected the SHA-256"}},
		{"source with a loud hash", source(registry.Source{Type: "file", Ref: "a.json", Hash: strings.ToUpper(hash)}), []string{"d.source.hash: expected the SHA-256"}},
	})
}
