package registry

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

// Tool is the whole content of one tool. The zero value of an optional field
// means that the key is absent; canonical JSON leaves it out.
type Tool struct {
	ID         string   `json:"id,omitempty"`
	Kind       ToolKind `json:"kind,omitempty"`
	Name       string   `json:"name,omitempty"`
	Archetype  string   `json:"archetype,omitempty"`
	Scope      Scope    `json:"scope,omitempty"`
	UsageNotes string   `json:"usageNotes,omitempty"`
	Goals      string   `json:"goals,omitempty"`
	Guardrails string   `json:"guardrails,omitempty"`
	Prompt     string   `json:"prompt,omitempty"`

	Description      string          `json:"description,omitempty"`
	ShortDescription string          `json:"shortDescription,omitempty"`
	InputSchema      json.RawMessage `json:"inputSchema,omitempty"`  // JSON Schema 2020-12, canonical
	OutputSchema     json.RawMessage `json:"outputSchema,omitempty"` // JSON Schema 2020-12, canonical
	Category         string          `json:"category,omitempty"`
	Tier             Tier            `json:"tier,omitempty"`
	Aliases          []string        `json:"aliases,omitempty"`

	DeferLoading bool          `json:"deferLoading,omitempty"`
	Annotations  *Annotations  `json:"annotations,omitempty"`
	Approval     *Approval     `json:"approval,omitempty"`
	Availability *Availability `json:"availability,omitempty"`
	Tag          *Tag          `json:"tag,omitempty"`
	Limits       *Limits       `json:"limits,omitempty"`
	Cost         Cost          `json:"cost,omitempty"`
	RequiresGate bool          `json:"requiresGate,omitempty"`

	Guidance map[string]string `json:"guidance,omitempty"` // by channel
	Provider *Provider         `json:"provider,omitempty"`
	Source   *Source           `json:"source,omitempty"`
	Status   Status            `json:"status,omitempty"`
}

// ToolKind tells text that is injected from a function that is called.
type ToolKind string

// The kinds of tool. A ServerText is a prompt or the instructions of an MCP server,
// which its own client reads behind a guard; no agent has it.
const (
	PromptTool ToolKind = "prompt"
	ActionTool ToolKind = "action"
	ServerText ToolKind = "text"
)

// Scope sets how much of the work a tool looks at.
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

// Status reports whether a definition is in use. Removal is deactivation; nothing
// is deleted. The empty Status of a decoded definition means Active.
type Status string

// The statuses.
const (
	Active      Status = "active"
	Deactivated Status = "deactivated"
)

// Annotations are hints about a tool's behaviour; nil means not said.
type Annotations struct {
	ReadOnly             *bool `json:"readOnly,omitempty"`
	Destructive          *bool `json:"destructive,omitempty"`
	Idempotent           *bool `json:"idempotent,omitempty"`
	RequiresConfirmation *bool `json:"requiresConfirmation,omitempty"`
	OpenWorld            *bool `json:"openWorld,omitempty"`
}

// ApprovalTier names who decides whether a call runs.
type ApprovalTier string

// The approval tiers. A UserConfigurable tool's Default is one of the others.
const (
	AutoApprove      ApprovalTier = "auto_approve"
	RequiresApproval ApprovalTier = "requires_approval"
	UserConfigurable ApprovalTier = "user_configurable"
)

// Approval is a tool's approval tier at run time.
type Approval struct {
	Tier    ApprovalTier `json:"tier,omitempty"`
	Default ApprovalTier `json:"default,omitempty"`
}

// Overridable reports whether a user's own tier can change what applies: no user
// lifts what the approved version fixes as RequiresApproval.
func (a *Approval) Overridable() bool { return a != nil && a.Tier != RequiresApproval }

// Fixes reports whether the approved version itself says that tier applies.
func (a *Approval) Fixes(tier ApprovalTier) bool {
	return a != nil && a.Tier == tier && tier != UserConfigurable
}

// Effective returns the tier that applies, given the user's override ("" for
// none): a tool without an approval asks; a user can have every tool ask, and only
// a UserConfigurable one not.
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

// Availability limits where a tool is offered.
type Availability struct {
	LocalOnly      bool `json:"localOnly,omitempty"`
	NonLocalOnly   bool `json:"nonLocalOnly,omitempty"`
	NeedsEmbedding bool `json:"needsEmbedding,omitempty"`
}

// Tag is how a tool is called in the response-tag protocol.
type Tag struct {
	Prefix           string   `json:"prefix,omitempty"`
	ArgPattern       string   `json:"argPattern,omitempty"`
	ArgGroups        []string `json:"argGroups,omitempty"`
	Example          string   `json:"example,omitempty"`
	StripFromDisplay bool     `json:"stripFromDisplay,omitempty"`
}

// Limits bound one user's calls; 0 means no limit.
type Limits struct {
	CooldownSeconds int `json:"cooldownSeconds,omitempty"`
	DailyLimit      int `json:"dailyLimit,omitempty"`
}

// ProviderType describes how a tool runs.
type ProviderType string

// The provider types.
const (
	ProviderBuiltin ProviderType = "builtin"
	ProviderMCP     ProviderType = "mcp"
	ProviderHTTP    ProviderType = "http"
)

// Provider is how a tool runs. Name is the built-in's or the tool's wire name
// where it differs from the id; Server names the MCP server; URL the HTTP hub.
type Provider struct {
	Type   ProviderType `json:"type,omitempty"`
	Name   string       `json:"name,omitempty"`
	Server string       `json:"server,omitempty"`
	URL    string       `json:"url,omitempty"`
}

// Source is the origin of an imported definition. Ref is the server or the file
// and, behind "#", the tool's name there. Hash is the SHA-256 of the canonical
// form of its raw JSON, in hex, unknown keys included.
type Source struct {
	Type string `json:"type,omitempty"`
	Ref  string `json:"ref,omitempty"`
	Hash string `json:"hash,omitempty"`
}

// MaxShortDescription is the longest short description in characters.
const MaxShortDescription = 100

// Short returns the short description, derived from the long one when there is
// none: its first sentence or line. It has at most MaxShortDescription
// characters.
func (t Tool) Short() string {
	short := t.ShortDescription
	if short == "" {
		short = FirstSentence(t.Description)
	}
	return shorten(short, MaxShortDescription)
}

// categories is the table of the known categories. Others are allowed, with a
// finding of rule R102.
var categories = [...]string{
	"search", "code_changes", "terminal", "todo", "requirement",
	"integration_jira", "integration_github", "integration_confluence", "integration_linear",
	"delegation", "web", "knowledge_graph", "file_fetch", "analysis", "sandbox",
	"email", "calendar", "tasks", "reminders", "schedules", "memory", "instructions", "other",
}

// Categories returns the known categories in the order of the table.
func Categories() []string { return slices.Clone(categories[:]) }

// ValidCategory reports whether name has the form of a category: lower-case
// letters, digits and "_", a letter first, at most 64 characters.
func ValidCategory(name string) bool { return madeOf(name, lower, lower+digits+"_") }

const categoryForm = `a category (lower-case letters, digits and "_", a letter first, at most 64 characters)`

// ClosestCategory returns the category of the table whose spelling is nearest to
// name, the first of several.
func ClosestCategory(name string) string {
	return slices.MinFunc(categories[:], func(a, b string) int {
		return levenshtein.ComputeDistance(a, name) - levenshtein.ComputeDistance(b, name)
	})
}

// KnownCategory reports whether name stands in the table of categories.
func KnownCategory(name string) bool { return slices.Contains(categories[:], name) }

// destructiveCategories lists the categories whose tools change or end things as a rule: a
// tool in one of them counts as destructive until it says otherwise.
var destructiveCategories = [...]string{"terminal", "code_changes", "sandbox"}

// DestructiveCategory reports whether tools of a category destroy as a rule.
func DestructiveCategory(name string) bool { return slices.Contains(destructiveCategories[:], name) }

// Destroys reports whether calls of t are taken to destroy something: because it
// says so, or because its category does and it says nothing else.
func (t *Tool) Destroys() bool {
	a := t.Annotations
	switch {
	case a != nil && a.Destructive != nil:
		return *a.Destructive
	case a != nil && a.ReadOnly != nil && *a.ReadOnly:
		return false
	}
	return DestructiveCategory(t.Category)
}

// Confirms reports whether each call of t has to be confirmed.
func (t *Tool) Confirms() bool {
	a := t.Annotations
	return a != nil && a.RequiresConfirmation != nil && *a.RequiresConfirmation
}

// Asks returns the approval tier that applies to a call, given the user's
// override ("" for none). A tool that has to be confirmed asks whatever its tier
// and the user's override are.
func (t *Tool) Asks(override ApprovalTier) ApprovalTier {
	if t.Confirms() {
		return RequiresApproval
	}
	return t.Approval.Effective(override)
}

// Server returns the MCP server that runs t or whose text it is, "" for none.
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

// Has reports whether the annotation of a key is true of t. Destructive is true
// also of a tool that is taken to destroy something because of its category.
func (t *Tool) Has(annotation string) bool {
	a := t.Annotations
	if a == nil {
		a = &Annotations{}
	}
	is := func(b *bool) bool { return b != nil && *b }
	switch annotation {
	case "readOnly":
		return is(a.ReadOnly)
	case "destructive":
		return t.Destroys()
	case "idempotent":
		return is(a.Idempotent)
	case "requiresConfirmation":
		return is(a.RequiresConfirmation)
	case "openWorld":
		return is(a.OpenWorld)
	}
	return false
}
