// This file defines tools, their settings, and their names.

package registry

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"
	"github.com/clipperhouse/uax29/v2/graphemes"
	"github.com/clipperhouse/uax29/v2/sentences"
	"golang.org/x/text/unicode/norm"

	"toolcrib/registry/jsondoc"
)

// Tool is the content of a tool. The canonical JSON omits optional fields that have
// their zero value.
type Tool struct {
	// Every kind: the id in the subject. Lower-case words of letters and digits joined by
	// "_"; never changes.
	ID string `json:"id,omitempty"`
	// Tools, required. prompt: a text for the agent's context. action: a function that the
	// model calls.
	Kind ToolKind `json:"kind,omitempty"`
	// Every kind, required for tools and agents: a label for people.
	Name string `json:"name,omitempty"`
	// Tools: the role that the tool is written for, such as Any, Chief, Planner, Editor, Critic or
	// Continuity.
	Archetype string `json:"archetype,omitempty"`
	// Prompt tools, required: the part of the work that the tool examines.
	Scope Scope `json:"scope,omitempty"`
	// Prompt tools, required: when to use the tool, and when not to use it.
	UsageNotes string `json:"usageNotes,omitempty"`
	// Prompt tools, required: the purpose of the tool.
	Goals string `json:"goals,omitempty"`
	// Prompt tools, required: the actions that the tool must never take.
	Guardrails string `json:"guardrails,omitempty"`
	// Prompt tools, required: the text that is inserted into the prompt of the agent.
	Prompt string `json:"prompt,omitempty"`

	// Action tools, required: what the tool does, when to use it, and what it returns. The model
	// that calls the tool reads this text. Optional for other kinds of definitions.
	Description string `json:"description,omitempty"`
	// Tools: one line for lists of tools; by default, the first sentence of description.
	ShortDescription string `json:"shortDescription,omitempty"`
	// Action tools, required: a JSON Schema 2020-12 of type object, with a description for
	// each property. No $ref to other documents.
	InputSchema json.RawMessage `json:"inputSchema,omitempty"`
	// Action tools: a JSON Schema of the result.
	OutputSchema json.RawMessage `json:"outputSchema,omitempty"`
	// Tools: the subject area. The known categories are search, code_changes, terminal, todo,
	// requirement, integration_jira, integration_github, integration_confluence,
	// integration_linear, delegation, web, knowledge_graph, file_fetch, analysis, sandbox, email,
	// calendar, tasks, reminders, schedules, memory, instructions, other. Other categories are
	// allowed if they have the same form.
	Category string `json:"category,omitempty"`
	// Tools: the level of abstraction, low, medium or high.
	Tier Tier `json:"tier,omitempty"`
	// Tools: alternative ids for searches.
	Aliases []string `json:"aliases,omitempty"`

	// Tools: omit the tool from the prompt; the agent finds the tool with search_tools.
	DeferLoading bool `json:"deferLoading,omitempty"`
	// Tools: the possible effects of a call; omit keys with unknown values.
	Annotations *Annotations `json:"annotations,omitempty"`
	// Tools: who decides whether a call runs; by default, requires_approval.
	Approval *Approval `json:"approval,omitempty"`
	// Tools: the environments that offer the tool. Only one of localOnly and nonLocalOnly is
	// allowed.
	Availability *Availability `json:"availability,omitempty"`
	// Tools: the syntax of a line that calls the tool. The model writes this line, "PREFIX: argument", into its
	// answer.
	Tag *Tag `json:"tag,omitempty"`
	// Tools: limits for each user; 0 means no limit.
	Limits *Limits `json:"limits,omitempty"`
	// Tools: the price class of a call.
	Cost Cost `json:"cost,omitempty"`
	// Tools: whether each call needs the approval of the eval gate.
	RequiresGate bool `json:"requiresGate,omitempty"`

	// Tools: a line of guidance in the prompt for each channel, such as {"web": "…"}.
	Guidance map[string]string `json:"guidance,omitempty"`
	// Action tools: where a call runs; omit it if the application runs the call itself.
	Provider *Provider `json:"provider,omitempty"`
	// Imported tools: copy it unchanged from the live definition. Never set it yourself.
	Source *Source `json:"source,omitempty"`
	// Every kind: set by deactivate and reactivate; omit it in proposals.
	Status Status `json:"status,omitempty"`
}

// ToolKind distinguishes tools that are text for the agent's context from tools that are
// functions.
type ToolKind string

// The kinds of tools. A ServerText is a prompt or the instructions of an MCP server. The MCP
// client reads it through the gateway, and no agent's allow-list admits it.
const (
	PromptTool ToolKind = "prompt"
	ActionTool ToolKind = "action"
	ServerText ToolKind = "text"
)

// Scope is the part of the work that a tool examines.
type Scope string

// The scopes.
const (
	ScopeSelection Scope = "selection"
	ScopeFile      Scope = "file"
	ScopeProject   Scope = "project"
)

// Tier is a tool's level of abstraction.
type Tier string

// The tiers.
const (
	TierLow    Tier = "low"
	TierMedium Tier = "medium"
	TierHigh   Tier = "high"
)

// Cost is a rough price class of one call.
type Cost string

// The costs.
const (
	CostFree      Cost = "free"
	CostCheap     Cost = "cheap"
	CostExpensive Cost = "expensive"
)

// Status is the state of a definition: in use or deactivated. Definitions are never deleted.
// A decoded definition with an empty Status is active.
type Status string

// The statuses.
const (
	Active      Status = "active"
	Deactivated Status = "deactivated"
)

// Annotations are hints about the behavior of a tool. A nil field means that the behavior is
// unknown.
type Annotations struct {
	// The tool changes nothing.
	ReadOnly *bool `json:"readOnly,omitempty"`
	// The tool may delete or overwrite data.
	Destructive *bool `json:"destructive,omitempty"`
	// Repeating a call has no further effect.
	Idempotent *bool `json:"idempotent,omitempty"`
	// The user confirms each call; not allowed with auto_approve.
	RequiresConfirmation *bool `json:"requiresConfirmation,omitempty"`
	// The tool reaches external systems, such as the web.
	OpenWorld *bool `json:"openWorld,omitempty"`
}

// ApprovalTier determines who decides whether a call runs.
type ApprovalTier string

// The approval tiers. The Default of an Approval with the tier UserConfigurable is
// AutoApprove or RequiresApproval.
const (
	AutoApprove      ApprovalTier = "auto_approve"
	RequiresApproval ApprovalTier = "requires_approval"
	UserConfigurable ApprovalTier = "user_configurable"
)

// Approval is the approval policy of a tool at run time.
type Approval struct {
	// auto_approve: every call runs without approval. requires_approval: the user has
	// to approve each call. user_configurable: the user chooses one of these two tiers.
	Tier ApprovalTier `json:"tier,omitempty"`
	// The default tier; required with user_configurable, and not allowed with other tiers.
	Default ApprovalTier `json:"default,omitempty"`
}

// Overridable reports whether a user can change the tier. If the approved version has the
// tier RequiresApproval or no policy, the user cannot lift the requirement.
func (a *Approval) Overridable() bool { return a != nil && a.Tier != RequiresApproval }

// Fixes reports whether the policy sets the given tier and does not let the user choose
// the tier.
func (a *Approval) Fixes(tier ApprovalTier) bool {
	return a != nil && a.Tier == tier && tier != UserConfigurable
}

// Effective returns the tier that applies to calls, given the user's override ("" means
// none). Without a policy, calls require approval. A user can require approval for every
// tool, but can lift the requirement only for tools with the tier UserConfigurable.
func (a *Approval) Effective(override ApprovalTier) ApprovalTier {
	switch {
	case !a.Overridable() || override == RequiresApproval:
		return RequiresApproval
	case a.Tier == AutoApprove:
		return AutoApprove
	case a.Tier == UserConfigurable && (override == AutoApprove || a.Default == AutoApprove):
		return AutoApprove
	}
	return RequiresApproval
}

// Availability restricts where a tool is offered.
type Availability struct {
	// Offer the tool only if the agent works on the user's machine.
	LocalOnly bool `json:"localOnly,omitempty"`
	// Offer the tool only if the agent does not work on the user's machine.
	NonLocalOnly bool `json:"nonLocalOnly,omitempty"`
	// Offer the tool only if semantic search is available.
	NeedsEmbedding bool `json:"needsEmbedding,omitempty"`
}

// SameBytes reports whether the MCP servers of t and o send the same name and the same bytes for
// these tools. An example is a server program that two clients start in different ways.
func (t Tool) SameBytes(o Tool) bool {
	return t.Source != nil && o.Source != nil && t.Source.Type == SourceMCP && o.Source.Type == SourceMCP &&
		t.Source.Hash != "" && t.Source.Hash == o.Source.Hash && t.OriginName() == o.OriginName()
}

// Tag describes how a tool is called in the response-tag protocol.
type Tag struct {
	// The word before the colon.
	Prefix string `json:"prefix,omitempty"`
	// A regular expression (RE2) that matches the argument; by default, (.+).
	ArgPattern string `json:"argPattern,omitempty"`
	// The argument names for the groups of argPattern, in order. By default, the name of a group
	// is its name in the pattern, raw_arg if inputSchema has this property, or the only
	// parameter that inputSchema requires or has.
	ArgGroups []string `json:"argGroups,omitempty"`
	// A complete tag line.
	Example string `json:"example,omitempty"`
	// Whether to hide the line from the user; by default, true.
	StripFromDisplay *bool `json:"stripFromDisplay,omitempty"`
}

// Limits restricts the calls of one user; 0 means no limit.
type Limits struct {
	// The minimum number of seconds between two calls.
	CooldownSeconds int `json:"cooldownSeconds,omitempty"`
	// The maximum number of calls per day.
	DailyLimit int `json:"dailyLimit,omitempty"`
}

// ProviderType determines what runs a tool.
type ProviderType string

// The provider types.
const (
	ProviderBuiltin ProviderType = "builtin"
	ProviderMCP     ProviderType = "mcp"
	ProviderHTTP    ProviderType = "http"
)

// Provider describes what runs a tool. Name is the name of the built-in tool, or the name
// that the provider uses if it differs from the id. Server is the name of the MCP server. URL
// is the address of the HTTP hub.
type Provider struct {
	// What runs the calls. builtin: toolcrib itself. mcp: a configured MCP server. http: a hub, that is, an
	// HTTP service.
	Type ProviderType `json:"type,omitempty"`
	// The name at the provider, if it differs from the id.
	Name string `json:"name,omitempty"`
	// Required for mcp: the name of the configured server.
	Server string `json:"server,omitempty"`
	// Required for http: the http or https address.
	URL string `json:"url,omitempty"`
}

// Source is the origin of an imported definition. Ref is the server or the file, followed by
// "#" and the name of the tool there. Hash is the SHA-256, in hex, of the canonical form of
// the imported JSON, including unknown keys.
type Source struct {
	// The format or origin of the imported JSON: file, mcp, openai or anthropic.
	Type string `json:"type,omitempty"`
	// The server or the file, followed by # and the name of the tool there.
	Ref string `json:"ref,omitempty"`
	// The pin of the imported JSON, a SHA-256 hash.
	Hash string `json:"hash,omitempty"`
	// Parts that the server may change without a new approval, set by `toolcrib exclude`.
	Excluded []Exclusion `json:"excluded,omitempty"`
	// Required with excluded: the pin of the JSON without the excluded parts.
	Masked string `json:"masked,omitempty"`
}

// Exclusion identifies a part of a tool's imported JSON that changes without a new version of
// the tool, such as a date. A matching text of more than MaxExcluded characters is not
// excluded.
type Exclusion struct {
	// The field, such as _meta.requestId or description.
	Path string `json:"path,omitempty"`
	// A regular expression (RE2). Only its matches in the field are excluded; by default, the whole field.
	Pattern string `json:"pattern,omitempty"`
}

// MaxExcluded is the maximum length of an excluded text, in characters.
const MaxExcluded = 200

// String describes the excluded part for people.
func (e Exclusion) String() string {
	if e.Pattern == "" {
		return e.Path
	}
	return "matches of " + e.Pattern + " in " + e.Path
}

// Pin returns the hash that the server's JSON must have after the excluded parts are removed.
func (s *Source) Pin() string { return cmp.Or(s.Masked, s.Hash) }

// MaxShortDescription is the maximum length of a short description, in characters.
const MaxShortDescription = 100

// Short returns the short description of t. If t has none, Short returns the first sentence
// or line of the description. The result has at most MaxShortDescription characters.
func (t Tool) Short() string {
	short := t.ShortDescription
	if short == "" {
		short = FirstSentence(t.Description)
	}
	if utf8.RuneCountInString(short) <= MaxShortDescription {
		return short
	}
	// Keep as many whole words as fit and add an ellipsis. Do not split grapheme clusters.
	end, used := 0, 0
	for it := graphemes.FromString(short); it.Next(); end += len(it.Value()) {
		if used += utf8.RuneCountInString(it.Value()); used > MaxShortDescription-1 {
			break
		}
	}
	cut := short[:end]
	if i := strings.LastIndexByte(cut, ' '); i > len(cut)/2 && short[end] != ' ' {
		cut = cut[:i]
	}
	return strings.TrimRight(cut, " ,;:") + "…"
}

// categories lists the known categories. Other categories are allowed but cause a finding of
// rule R102.
var categories = [...]string{
	"search", "code_changes", "terminal", "todo", "requirement",
	"integration_jira", "integration_github", "integration_confluence", "integration_linear",
	"delegation", "web", "knowledge_graph", "file_fetch", "analysis", "sandbox",
	"email", "calendar", "tasks", "reminders", "schedules", "memory", "instructions", "other",
}

// Categories returns the known categories.
func Categories() []string { return slices.Clone(categories[:]) }

// ValidCategory reports whether name has the form of a category: at most 64
// lower-case letters, digits and "_", starting with a letter.
func ValidCategory(name string) bool { return consistsOf(name, lower, lower+digits+"_") }

const categoryForm = `a category (lower-case letters, digits and "_", a letter first, at most 64 characters)`

// ClosestCategory returns the known category with the spelling closest to name.
func ClosestCategory(name string) string {
	return slices.MinFunc(categories[:], func(a, b string) int {
		return levenshtein.ComputeDistance(a, name) - levenshtein.ComputeDistance(b, name)
	})
}

// KnownCategory reports whether name is a known category.
func KnownCategory(name string) bool { return slices.Contains(categories[:], name) }

// destructiveCategories lists the categories of tools that usually change or delete things. A
// tool in one of these categories is treated as destructive unless its annotations state
// otherwise.
var destructiveCategories = [...]string{"terminal", "code_changes", "sandbox"}

// DestructiveCategory reports whether tools in the named category are usually destructive.
func DestructiveCategory(name string) bool { return slices.Contains(destructiveCategories[:], name) }

// IsDestructive reports whether t is treated as destructive. The annotations of t decide.
// Without a relevant annotation, the category of t decides.
func (t *Tool) IsDestructive() bool {
	a := t.Annotations
	switch {
	case a != nil && a.Destructive != nil:
		return *a.Destructive
	case a != nil && a.ReadOnly != nil && *a.ReadOnly:
		return false
	}
	return DestructiveCategory(t.Category)
}

// NeedsConfirmation reports whether the user has to confirm each call of t.
func (t *Tool) NeedsConfirmation() bool {
	a := t.Annotations
	return a != nil && a.RequiresConfirmation != nil && *a.RequiresConfirmation
}

// EffectiveTier returns the approval tier that applies to calls of t, given the user's
// override ("" means none). If the user has to confirm each call, the result is always
// RequiresApproval.
func (t *Tool) EffectiveTier(override ApprovalTier) ApprovalTier {
	if t.NeedsConfirmation() {
		return RequiresApproval
	}
	return t.Approval.Effective(override)
}

// Server returns the MCP server that runs t or that provides its text, or "".
func (t *Tool) Server() string {
	if t.Kind == ServerText && t.Source != nil {
		server, _, _ := strings.Cut(t.Source.Ref, "#")
		return server
	}
	if t.Provider == nil || t.Provider.Type != ProviderMCP {
		return ""
	}
	return t.Provider.Server
}

// Has reports whether the named annotation of t is true. For "destructive", Has returns the
// result of IsDestructive.
func (t *Tool) Has(annotation string) bool {
	a := cmp.Or(t.Annotations, &Annotations{})
	is := func(b *bool) bool { return b != nil && *b }
	switch annotation {
	case "readOnly":
		return is(a.ReadOnly)
	case "destructive":
		return t.IsDestructive()
	case "idempotent":
		return is(a.Idempotent)
	case "requiresConfirmation":
		return is(a.RequiresConfirmation)
	case "openWorld":
		return is(a.OpenWorld)
	}
	return false
}

// DefaultArgPattern is the pattern of a tag without an argPattern.
const DefaultArgPattern = "(.+)"

// Default names of an argument that has no name in the tag. The name rawArgument applies if
// the input schema has a property with this name; other registries use the same convention.
// The name "argument" applies if the schema does not imply a name.
const (
	rawArgument = "raw_arg"
	argument    = "argument"
)

// TagArguments returns the names of the arguments in a line of the tool's tag, one for each
// group of re, the compiled pattern of the tag. A group without a name has the name that
// onlyParameter returns.
func (t *Tool) TagArguments(re *regexp.Regexp) []string {
	names := slices.Clone(t.Tag.ArgGroups)
	for _, name := range re.SubexpNames()[1:][min(len(names), re.NumSubexp()):] {
		if name == "" {
			name = onlyParameter(t.InputSchema)
		}
		names = append(names, name)
	}
	return names
}

// onlyParameter returns the name of the parameter that receives an unnamed argument.
func onlyParameter(schema json.RawMessage) string {
	var doc struct {
		Properties map[string]json.RawMessage `json:"properties"`
		Required   []string                   `json:"required"`
	}
	if json.Unmarshal(schema, &doc) != nil {
		return argument
	}
	names := slices.Collect(maps.Keys(doc.Properties))
	switch {
	case slices.Contains(names, rawArgument):
		return rawArgument
	case len(doc.Required) == 1:
		return doc.Required[0]
	case len(names) == 1:
		return names[0]
	}
	return argument
}

// WireName returns the name of the tool outside of toolcrib: in prompts, exports, and calls.
// This is the name at the source. If the id contains the name of the server, WireName
// prefixes the name with the server and "_". Tools with equal names on two servers therefore
// have different wire names. If a host does not accept the resulting name, or if the name is
// the id of another tool, WireName returns the id. For tools that were not imported, it also
// returns the id.
func (t Tool) WireName() string {
	server, name := t.origin()
	wire := name
	switch t.ID {
	case ImportedID("", name), DistinctID("", name):
	case DistinctID(server, name):
		wire = server + "_" + name
		if wire == ImportedID(server, name) {
			return t.ID // wire is the id of another tool
		}
	default:
		if server != "" {
			wire = server + "_" + name
		}
	}
	marks, limit := "_-", 64 // the limits that every host in hosts accepts
	if t.Kind == PromptTool {
		marks, limit = "_-.", 128 // only MCP has prompts
	}
	if refusedName(wire, marks, limit) != "" {
		return t.ID
	}
	return wire
}

// OriginName returns the name of the tool at its source, without the server. It
// returns "" if the tool was not imported.
func (t Tool) OriginName() string {
	_, name := t.origin()
	return name
}

// origin returns the server or file from which t was imported and the name of t there. Either
// result can be "".
func (t Tool) origin() (label, name string) {
	if t.Source != nil {
		label, name, _ = strings.Cut(t.Source.Ref, "#")
	}
	if p := t.Provider; p != nil && p.Name != "" {
		switch {
		case p.Type == ProviderMCP:
			return p.Server, p.Name
		case p.Type == ProviderHTTP && name == "":
			return "", p.Name
		}
	}
	return label, name
}

// ImportedID derives an id from the name of a server, which can be "", and the name of a tool
// there. For example, "listIssues" of "@acme/tracker" becomes acme_tracker_list_issues. Two
// different names can yield the same id; use DistinctID for the second one.
func ImportedID(server, name string) string {
	words, prefix := snake(name), snake(server)
	if words == "" {
		words = "tool_" + shortHash(name)
	}
	if prefix != "" && words != prefix && !strings.HasPrefix(words, prefix+"_") {
		words = prefix + "_" + words
	}
	if words[0] >= '0' && words[0] <= '9' {
		words = "t_" + words
	}
	if len(words) > MaxIDLength {
		return withSuffix(words, server+"\n"+name)
	}
	return words
}

// DistinctID returns ImportedID with a suffix derived from both names. Use it if the
// ImportedID is taken. The suffix does not depend on the order of imports.
func DistinctID(server, name string) string {
	return withSuffix(ImportedID(server, name), server+"\n"+name)
}

// withSuffix appends a hash of name to the given id. It shortens the id if the result would
// exceed MaxIDLength.
func withSuffix(id, name string) string {
	m := "_x" + shortHash(name)
	return strings.TrimRight(id[:min(len(id), MaxIDLength-len(m))], "_") + m
}

// shortHash returns the first 8 hex digits of the hash of name.
func shortHash(name string) string { return HashBytes([]byte(name))[:8] }

// snake converts a name to lower-case words of ASCII letters and digits joined by "_".
// Accents are removed from letters. Every other character separates words, and a new word
// also starts at a capital letter that follows a lower-case letter.
func snake(name string) string {
	var b strings.Builder
	last := '_'
	runes := slices.DeleteFunc([]rune(norm.NFD.String(name)), func(r rune) bool { return unicode.Is(unicode.Mn, r) })
	for i, r := range runes {
		letter := r <= unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r))
		next := i+1 < len(runes) && unicode.IsLower(runes[i+1])
		boundary := unicode.IsUpper(r) && (unicode.IsLower(last) || unicode.IsDigit(last) || unicode.IsUpper(last) && next)
		if (!letter || boundary) && b.Len() > 0 && !strings.HasSuffix(b.String(), "_") {
			b.WriteByte('_')
		}
		if letter {
			b.WriteRune(unicode.ToLower(r))
		}
		last = r
	}
	return strings.TrimRight(b.String(), "_")
}

// ServerName derives the name of a server from the name of a file or package. It removes the
// folder, the ".json" extension, and the version, and converts the rest to the form of an id.
func ServerName(file string) string {
	base := file[strings.LastIndexAny(file, `/\`)+1:]
	base = strings.TrimSuffix(base, ".json")
	if i := strings.LastIndexByte(base, '@'); i > 0 && i+1 < len(base) && base[i+1] >= '0' && base[i+1] <= '9' {
		base = base[:i]
	}
	return snake(base)
}

// NameProblem reports that a host does not accept the name of a tool.
type NameProblem struct {
	Host    string // "MCP", "OpenAI", "Anthropic"
	Name    string // name that the host receives; untrusted
	Message string // a clause without a full stop
}

// hosts lists the rules for names of tools: of the Model Context Protocol
// (specification 2025-11-25), OpenAI's function calling and Anthropic's tool use.
// All accept ASCII letters and digits.
var hosts = [...]struct {
	name     string
	marks    string // allowed in addition to letters and digits
	max      int
	prefixed bool // a client may put the server's name before the tool's
}{
	{"MCP", "_.-", 128, false},
	{"OpenAI", "_-", 64, true},
	{"Anthropic", "_-", 128, false},
}

// NameProblems returns a problem for each host that rejects a tool with the given name.
// Clients that use several MCP servers call a tool "mcp__<server>__<name>"; NameProblems also
// checks this form unless server is "".
func NameProblems(name, server string) []NameProblem {
	var problems []NameProblem
	for _, h := range hosts {
		seen := name
		message := refusedName(seen, h.marks, h.max)
		if message == "" && h.prefixed && server != "" {
			seen = "mcp__" + server + "__" + name
			message = refusedName(seen, h.marks, h.max)
		}
		if message != "" {
			problems = append(problems, NameProblem{Host: h.name, Name: seen, Message: message})
		}
	}
	return problems
}

// refusedName returns the reason why a host rejects name, or "". The host accepts ASCII
// letters, digits, and marks, and at most limit characters.
func refusedName(name, marks string, limit int) string {
	if name == "" {
		return "the name is empty"
	}
	if rest := strings.TrimLeft(name, lower+upper+digits+marks); rest != "" {
		r, _ := utf8.DecodeRuneInString(rest)
		return fmt.Sprintf("%s contains %s; only letters, digits, and %s are allowed", jsondoc.Quote(name), jsondoc.Quote(string(r)), marks)
	}
	if len(name) > limit {
		return fmt.Sprintf("%s must not exceed %[3]d characters (got %[2]d)", jsondoc.Quote(name), len(name), limit)
	}
	return ""
}

// FirstSentence returns the first sentence or line of s, according to Unicode Standard Annex
// 29.
func FirstSentence(s string) string {
	s = strings.TrimSpace(s)
	if it := sentences.FromString(s); it.Next() {
		return strings.TrimSpace(it.Value())
	}
	return s
}
