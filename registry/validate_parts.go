package registry

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"toolcrib/registry/jsondoc"
)

// maxLimit is the largest cooldown or daily limit: 30 years of seconds.
const maxLimit = 1_000_000_000

// The longest texts in the objects of a tool, in characters.
const (
	maxTagPrefix   = 64
	maxTagPattern  = 1_000
	maxTagExample  = 1_000
	maxTagGroups   = 64
	maxProviderKey = 256
	maxProviderURL = 2_048
	maxSourceRef   = 2_048
)

func (a Approval) check(outer *checker, key string) {
	c := outer.at(key)
	defer outer.join(c)
	requireOneOf(c, "tier", a.Tier, AutoApprove, RequiresApproval, UserConfigurable)
	if a.Tier == UserConfigurable {
		requireOneOf(c, "default", a.Default, AutoApprove, RequiresApproval)
		return
	}
	if a.Default != "" && (a.Tier == AutoApprove || a.Tier == RequiresApproval) {
		c.add("default", "only a user_configurable tier has a default; leave the key out")
		return
	}
	oneOf(c, "default", a.Default, AutoApprove, RequiresApproval)
}

// validArgGroup reports whether name can name an argument.
func validArgGroup(name string) bool {
	return madeOf(name, lower+upper+"_", lower+upper+digits+"_")
}

func (t Tag) check(outer *checker, key string) {
	c := outer.at(key)
	defer outer.join(c)
	c.require("prefix", t.Prefix, "the word before the colon of a tag line")
	c.text("prefix", t.Prefix, maxTagPrefix)
	if t.Prefix != strings.TrimSpace(t.Prefix) || strings.ContainsAny(t.Prefix, "\r\n\v\f\u0085\u2028\u2029") {
		c.add("prefix", "expected one line without white space around it")
	}
	c.text("example", t.Example, maxTagExample)
	c.names("argGroups", t.ArgGroups, maxTagGroups, validArgGroup, `a name of letters, digits and "_"`)
	if len(t.ArgPattern) > maxTagPattern { // the size bounds the work of compiling
		c.add("argPattern", "has %d bytes; expected at most %d", len(t.ArgPattern), maxTagPattern)
		return
	}
	groups := 1 // of the default pattern
	if t.ArgPattern != "" {
		re, err := regexp.Compile(t.ArgPattern)
		if err != nil {
			c.add("argPattern", "expected a regular expression in RE2 syntax: %s", jsondoc.Printable(err.Error()))
			return
		}
		groups = re.NumSubexp()
	}
	// A single group needs no name: there is only one argument it can be.
	if groups != len(t.ArgGroups) && (len(t.ArgGroups) > 0 || groups > 1) {
		c.add("argGroups", "expected a name for each group of the pattern: it has %d, named are %d", groups, len(t.ArgGroups))
	}
}

func (l Limits) check(outer *checker, key string) {
	c := outer.at(key)
	defer outer.join(c)
	c.between("cooldownSeconds", l.CooldownSeconds)
	c.between("dailyLimit", l.DailyLimit)
}

func (c *checker) between(key string, v int) {
	if v < 0 || v > maxLimit {
		c.add(key, "expected 0 (no limit) to %d, got %d", maxLimit, v)
	}
}

func (p Provider) check(outer *checker, key string) {
	c := outer.at(key)
	defer outer.join(c)
	requireOneOf(c, "type", p.Type, ProviderBuiltin, ProviderMCP, ProviderHTTP)
	c.text("name", p.Name, maxProviderKey)
	c.text("server", p.Server, maxProviderKey)
	c.text("url", p.URL, maxProviderURL)
	switch p.Type {
	case ProviderMCP:
		c.require("server", p.Server, "the name of the MCP server that runs the tool")
	case ProviderHTTP:
		c.require("url", p.URL, "the http or https address of the hub that runs the tool")
		if u, err := url.Parse(p.URL); p.URL != "" && (err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https") {
			c.add("url", "expected an http or https address, got %s", jsondoc.Quote(p.URL))
		}
	case ProviderBuiltin:
	default:
		return // the fields of an unknown type are unknown
	}
	if p.Type != ProviderMCP && p.Server != "" {
		c.add("server", "belongs to type mcp only; leave the key out")
	}
	if p.Type != ProviderHTTP && p.URL != "" {
		c.add("url", "belongs to type http only; leave the key out")
	}
}

// The types of Source.
const (
	SourceFile      = "file"
	SourceMCP       = "mcp"
	SourceOpenAI    = "openai"
	SourceAnthropic = "anthropic"
)

func (s Source) check(outer *checker, key string) {
	c := outer.at(key)
	defer outer.join(c)
	requireOneOf(c, "type", s.Type, SourceFile, SourceMCP, SourceOpenAI, SourceAnthropic)
	c.require("ref", s.Ref, "what was imported: a file, a server or a list")
	c.text("ref", s.Ref, maxSourceRef)
	if len(s.Hash) != 64 || !madeOf(s.Hash, digits+"abcdef", digits+"abcdef") {
		c.add("hash", "%s the SHA-256 of the raw bytes as 64 lower-case hex digits", expectedOr(s.Hash))
	}
}

// expectedOr begins a message about a value that is absent or wrong.
func expectedOr(value string) string {
	if value == "" {
		return "missing; expected"
	}
	return fmt.Sprintf("got %s, expected", jsondoc.Quote(value))
}
