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

// Tool is the content of one tool. Optional fields with their zero value are absent
// in canonical JSON.
type Tool struct {
	// Every kind: the id in the subject. Lower-case words of letters and digits joined by
	// "_"; never changes.
	ID string `json:"id,omitempty"`
	// Tools, required: prompt is text for the agent's context, action is a function that is
	// called.
	Kind ToolKind `json:"kind,omitempty"`
	// Every kind, required for tools and agents: a label for people.
	Name string `json:"name,omitempty"`
	// Tools: the role it is written for, such as Any, Chief, Planner, Editor, Critic or
	// Continuity.
	Archetype string `json:"archetype,omitempty"`
	// Prompt tools, required: how much of the work the tool looks at.
	Scope Scope `json:"scope,omitempty"`
	// Prompt tools, required: when to use it, and when not.
	UsageNotes string `json:"usageNotes,omitempty"`
	// Prompt tools, required: what it achieves.
	Goals string `json:"goals,omitempty"`
	// Prompt tools, required: what it must never do.
	Guardrails string `json:"guardrails,omitempty"`
	// Prompt tools, required: the text that is injected.
	Prompt string `json:"prompt,omitempty"`

	// Action tools, required: what it does, when to use it, what it returns; the model that
	// calls it reads this. Optional for the others.
	Description string `json:"description,omitempty"`
	// Tools: one line for lists; the first sentence of description when absent.
	ShortDescription string `json:"shortDescription,omitempty"`
	// Action tools, required: a JSON Schema 2020-12 of type object, with a description for
	// each property. No $ref to other documents.
	InputSchema json.RawMessage `json:"inputSchema,omitempty"`
	// Action tools: a JSON Schema of the result.
	OutputSchema json.RawMessage `json:"outputSchema,omitempty"`
	// Tools: the subject area. Known: search, code_changes, terminal, todo, requirement,
	// integration_jira, integration_github, integration_confluence, integration_linear,
	// delegation, web, knowledge_graph, file_fetch, analysis, sandbox, email, calendar,
	// tasks, reminders, schedules, memory, instructions, other. Others are allowed in the
	// same form.
	Category string `json:"category,omitempty"`
	// Tools: the level of abstraction, low, medium or high.
	Tier Tier `json:"tier,omitempty"`
	// Tools: alternative ids for searches.
	Aliases []string `json:"aliases,omitempty"`

	// Tools: omit it from the prompt; the agent finds it with search_tools.
	DeferLoading bool `json:"deferLoading,omitempty"`
	// Tools: what a call may do; omit what is unknown.
	Annotations *Annotations `json:"annotations,omitempty"`
	// Tools: who decides whether a call runs; absent means requires_approval.
	Approval *Approval `json:"approval,omitempty"`
	// Tools: the environments that offer it; at most one of the first two.
	Availability *Availability `json:"availability,omitempty"`
	// Tools: how a line "PREFIX: argument" of an answer calls it.
	Tag *Tag `json:"tag,omitempty"`
	// Tools: limits for each user; 0 means no limit.
	Limits *Limits `json:"limits,omitempty"`
	// Tools: the price class of a call.
	Cost Cost `json:"cost,omitempty"`
	// Tools: the eval gate has to approve each call.
	RequiresGate bool `json:"requiresGate,omitempty"`

	// Tools: a line for the prompt, by channel, such as {"web": "…"}.
	Guidance map[string]string `json:"guidance,omitempty"`
	// Action tools: where a call runs; absent when the application runs it.
	Provider *Provider `json:"provider,omitempty"`
	// Imported tools: copy it unchanged from the live definition. Never set it yourself.
	Source *Source `json:"source,omitempty"`
	// Every kind: set by deactivate and reactivate; leave it out.
	Status Status `json:"status,omitempty"`
}

// ToolKind distinguishes text that is injected from functions that are called.
type ToolKind string

// The kinds of tools. A ServerText is a prompt or the instructions of an MCP
// server, which the client of the server reads behind a guard; no agent has it.
const (
	PromptTool ToolKind = "prompt"
	ActionTool ToolKind = "action"
	ServerText ToolKind = "text"
)

// Scope is the part of the work that a tool considers.
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

// Status reports whether a definition is in use. Definitions are deactivated and
// never deleted. The empty Status of a decoded definition means Active.
type Status string

// The statuses.
const (
	Active      Status = "active"
	Deactivated Status = "deactivated"
)

// Annotations are hints about a tool's behaviour; nil means unknown.
type Annotations struct {
	// Changes nothing.
	ReadOnly *bool `json:"readOnly,omitempty"`
	// May delete or overwrite.
	Destructive *bool `json:"destructive,omitempty"`
	// A repeated call changes nothing more.
	Idempotent *bool `json:"idempotent,omitempty"`
	// The user confirms each call; not together with auto_approve.
	RequiresConfirmation *bool `json:"requiresConfirmation,omitempty"`
	// Reaches external systems, such as the web.
	OpenWorld *bool `json:"openWorld,omitempty"`
}

// ApprovalTier determines who decides whether a call runs.
type ApprovalTier string

// The approval tiers. The Default of a UserConfigurable tool is one of the other
// two.
const (
	AutoApprove      ApprovalTier = "auto_approve"
	RequiresApproval ApprovalTier = "requires_approval"
	UserConfigurable ApprovalTier = "user_configurable"
)

// Approval is the approval policy of a tool at run time.
type Approval struct {
	// auto_approve runs, requires_approval asks the user, user_configurable lets the user
	// choose.
	Tier ApprovalTier `json:"tier,omitempty"`
	// Only with user_configurable, required there.
	Default ApprovalTier `json:"default,omitempty"`
}

// Overridable reports whether a user can change the tier: nobody can lift
// RequiresApproval of an approved version.
func (a *Approval) Overridable() bool { return a != nil && a.Tier != RequiresApproval }

// Fixes reports whether the approved version itself sets the given tier.
func (a *Approval) Fixes(tier ApprovalTier) bool {
	return a != nil && a.Tier == tier && tier != UserConfigurable
}

// Effective returns the tier that applies with the user's override ("" means none).
// Without a policy, calls require approval. A user can require approval for every
// tool, and lift it only for a UserConfigurable one.
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
	// Only where the agent works on the user's machine.
	LocalOnly bool `json:"localOnly,omitempty"`
	// Only where it does not.
	NonLocalOnly bool `json:"nonLocalOnly,omitempty"`
	// Only where there is semantic search.
	NeedsEmbedding bool `json:"needsEmbedding,omitempty"`
}

// SameBytes reports whether two servers send the same bytes for a tool of the same name. This
// is the case if they are one program that two clients start in different ways.
func (t Tool) SameBytes(o Tool) bool {
	return t.Source != nil && o.Source != nil && t.Source.Type == SourceMCP && o.Source.Type == SourceMCP &&
		t.Source.Hash != "" && t.Source.Hash == o.Source.Hash && t.OriginName() == o.OriginName()
}

// Tag describes how a tool is called in the response-tag protocol.
type Tag struct {
	// The word before the colon.
	Prefix string `json:"prefix,omitempty"`
	// A regular expression (RE2) of the argument; (.+) when absent.
	ArgPattern string `json:"argPattern,omitempty"`
	// An argument name for each group of the pattern, in order. When absent, the one group
	// is raw_arg, or the only parameter that inputSchema has or requires.
	ArgGroups []string `json:"argGroups,omitempty"`
	// A whole tag line.
	Example string `json:"example,omitempty"`
	// Hide the line from the user; true when absent.
	StripFromDisplay *bool `json:"stripFromDisplay,omitempty"`
}

// Limits restricts the calls of one user; 0 means no limit.
type Limits struct {
	// Seconds between two calls.
	CooldownSeconds int `json:"cooldownSeconds,omitempty"`
	// Calls in a day.
	DailyLimit int `json:"dailyLimit,omitempty"`
}

// ProviderType is the way in which a tool runs.
type ProviderType string

// The provider types.
const (
	ProviderBuiltin ProviderType = "builtin"
	ProviderMCP     ProviderType = "mcp"
	ProviderHTTP    ProviderType = "http"
)

// Provider describes how a tool runs. Name is the name of the built-in tool, or the
// name on the wire if it differs from the id; Server names the MCP server; URL is
// the address of the HTTP hub.
type Provider struct {
	// builtin: a tool of toolcrib; mcp: a configured MCP server; http: a hub.
	Type ProviderType `json:"type,omitempty"`
	// The name at the provider, if it differs from the id.
	Name string `json:"name,omitempty"`
	// mcp, required: the name of the configured server.
	Server string `json:"server,omitempty"`
	// http, required: the http or https address.
	URL string `json:"url,omitempty"`
}

// Source is the origin of an imported definition. Ref is the server or the file,
// followed by "#" and the name of the tool there. Hash is the SHA-256 of the
// canonical form of its raw JSON, including unknown keys, in hex.
type Source struct {
	// file, mcp, openai or anthropic.
	Type string `json:"type,omitempty"`
	// The server or the file.
	Ref string `json:"ref,omitempty"`
	// The pin of the imported JSON.
	Hash string `json:"hash,omitempty"`
	// Parts that the server may change without a new approval, set by `toolcrib exclude`.
	Excluded []Exclusion `json:"excluded,omitempty"`
	// With excluded: the pin of the JSON without these parts.
	Masked string `json:"masked,omitempty"`
}

// Exclusion names text in the imported JSON of a tool that changes on its own, such as a
// date. A matching text of more than MaxExcluded characters is not excluded.
type Exclusion struct {
	// The field, such as _meta.requestId or description.
	Path string `json:"path,omitempty"`
	// A regular expression (RE2): its matches in the field. Without it, the whole field.
	Pattern string `json:"pattern,omitempty"`
}

// MaxExcluded is the maximum length of an excluded text, in characters.
const MaxExcluded = 200

// String describes the excluded text for people.
func (e Exclusion) String() string {
	if e.Pattern == "" {
		return e.Path
	}
	return "matches of " + e.Pattern + " in " + e.Path
}

// Pin returns the hash that the JSON of the server must have without the excluded parts.
func (s *Source) Pin() string { return cmp.Or(s.Masked, s.Hash) }

// MaxShortDescription is the maximum length of a short description, in characters.
const MaxShortDescription = 100

// Short returns the short description, or the first sentence or line of the
// description if there is none. The result has at most MaxShortDescription
// characters.
func (t Tool) Short() string {
	short := t.ShortDescription
	if short == "" {
		short = FirstSentence(t.Description)
	}
	if utf8.RuneCountInString(short) <= MaxShortDescription {
		return short
	}
	// As many whole words as fit, with an ellipsis. Grapheme clusters stay whole.
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

// categories lists the known categories. Others are allowed but cause a finding of
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

// destructiveCategories lists the categories whose tools usually change or end
// things. A tool in one of them counts as destructive unless its annotations state
// otherwise.
var destructiveCategories = [...]string{"terminal", "code_changes", "sandbox"}

// DestructiveCategory reports whether tools of a category are usually destructive.
func DestructiveCategory(name string) bool { return slices.Contains(destructiveCategories[:], name) }

// IsDestructive reports whether t counts as destructive: according to its annotations
// or, if they do not say, its category.
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

// EffectiveTier returns the approval tier that applies to calls with the user's override (""
// means none). Calls that the user has to confirm always require approval.
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

// Has reports whether an annotation of t is true. For "destructive" it takes the
// category of t into account.
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

// DefaultArgPattern is the pattern of a tag without one.
const DefaultArgPattern = "(.+)"

// Names of an argument that the tag does not name: rawArgument is the convention of
// other registries and applies if the input schema has it; argument applies if the
// schema does not imply a name.
const (
	rawArgument = "raw_arg"
	argument    = "argument"
)

// TagArguments returns the names of the arguments in a line of the tool's tag, one
// for each group of re, the compiled pattern of the tag. A group without a name
// stands for the only parameter of the tool.
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

// onlyParameter returns the parameter for a single argument.
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

// WireName returns the only name of a tool outside of toolcrib: in prompts, exports
// and calls. It is the name at the source. If the id contains the name of the
// server, the name starts with the server and "_", so that equal names on two
// servers differ. If not every host accepts this name, or if it is the id of
// another tool, the id is used instead. Tools that were not imported use their id.
func (t Tool) WireName() string {
	server, name := t.origin()
	wire := name
	switch t.ID {
	case ImportedID("", name), DistinctID("", name):
	case DistinctID(server, name):
		wire = server + "_" + name
		if wire == ImportedID(server, name) {
			return t.ID // it is the id of another tool
		}
	default:
		if server != "" {
			wire = server + "_" + name
		}
	}
	marks, limit := "_-", 64 // what every host in hosts accepts
	if t.Kind == PromptTool {
		marks, limit = "_-.", 128 // only MCP has prompts
	}
	if refusedName(wire, marks, limit) != "" {
		return t.ID
	}
	return wire
}

// OriginName returns the name of a tool at its source, without the server, or "" if
// the tool was not imported.
func (t Tool) OriginName() string {
	_, name := t.origin()
	return name
}

// origin returns the server or file that a tool comes from and its name there,
// either of which may be "".
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

// ImportedID derives an id from the name of a server, which may be "", and the name
// of a tool there: "listIssues" of "@acme/tracker" becomes
// acme_tracker_list_issues. Different names can result in the same id; DistinctID
// distinguishes these.
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

// DistinctID returns ImportedID with a suffix derived from the names, for names
// whose ImportedID is taken. The suffix does not depend on the order of imports.
func DistinctID(server, name string) string {
	return withSuffix(ImportedID(server, name), server+"\n"+name)
}

// withSuffix appends a hash of name to an id and shortens the id if necessary.
func withSuffix(id, name string) string {
	m := "_x" + shortHash(name)
	return strings.TrimRight(id[:min(len(id), MaxIDLength-len(m))], "_") + m
}

// shortHash returns a short hash of a name.
func shortHash(name string) string { return HashBytes([]byte(name))[:8] }

// snake converts a name to lower-case words of ASCII letters and digits joined by
// "_". Letters lose their accents. All other characters separate words, and so does a
// capital after a small letter.
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

// ServerName derives the name of a server from the name of a file or package:
// without folder, extension and version, in the form of an id.
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
	Name    string // as the host receives it; untrusted
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

// NameProblems returns the hosts that reject a tool with the given name. Clients of
// several MCP servers call a tool "mcp__<server>__<name>"; this form is also
// checked if server is not "".
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

// refusedName returns the problem of a name, or "".
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

// FirstSentence returns the first sentence or line of s (Unicode Standard Annex
// 29).
func FirstSentence(s string) string {
	s = strings.TrimSpace(s)
	if it := sentences.FromString(s); it.Next() {
		return strings.TrimSpace(it.Value())
	}
	return s
}
