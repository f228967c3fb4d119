package rules

import (
	"context"
	"sync"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review/harness"
)

// Change is the input of the rules: one revision and the live version it would replace.
type Change struct {
	Draft  proposals.Draft
	Before *registry.Live // the live version of the subject, nil when there is none
	// Source is the JSON that the definition was imported from, nil when it was
	// not: what the source of the definition pins.
	Source []byte
	World  World
	// Coming are the ids of the tools that go live together with the draft; it may be nil.
	Coming map[string]bool
	// Twins are other proposals, open or rejected, with the very text of the draft.
	Twins []Twin
	// Proposed is the tool of the draft when somebody has compared it already; it
	// may be nil.
	Proposed *Peer
	// Prompts has the change in size of each prompt that the draft reaches, as far
	// as a rule could object; empty when nobody rendered them.
	Prompts []PromptCost
	// Apart marks a draft that is checked by itself, as a file, and not as a change
	// of the registry from which its agents would know it.
	Apart bool
	// Outcomes are the results of the draft's test cases; nil when nobody ran them
	// yet.
	Outcomes []harness.Result

	computed sync.Map // by type; see Computed
}

// Twin is a proposal that has the text of another one.
type Twin struct {
	Name     string         // its number and its subject
	Tool     *registry.Tool // the proposed tool
	Rejected bool
	Reason   string // why it was rejected
}

// PromptCost is the change in size of the prompt of one channel of an agent.
type PromptCost struct {
	Agent         registry.Subject
	Channel       string
	Before, After int  // tokens in the encoding o200k_base; Before is 0 when there is no such prompt yet
	Cut           bool // the prompt would end before the template does; nobody counted its tokens
}

// World answers questions about the live definitions around the subject,
// deactivated ones included. Its methods look at every layer unless they say
// otherwise and cost an index look-up, not a scan of the tools.
type World interface {
	// ByName is that of registry.Finder.
	ByName(ctx context.Context, names ...string) ([]registry.Live, error)
	// ByLabel returns the live tools with a human name, ByTag those with a tag
	// prefix, in any layer.
	ByLabel(ctx context.Context, label string) ([]registry.Live, error)
	ByTag(ctx context.Context, prefix string) ([]registry.Live, error)
	// Alike returns live tools that may resemble t in text or in purpose, the
	// likeliest first. They are candidates: compare them.
	Alike(ctx context.Context, t *Peer) ([]*Peer, error)
	// Agents returns every live agent, in any layer.
	Agents(ctx context.Context) ([]registry.Live, error)
	// Lists returns every allow-list, in any layer: those that are live, and those
	// that go live together with the draft.
	Lists(ctx context.Context) ([]registry.Live, error)
}

// Judged returns the tool whose content c puts in force, nil when there is
// none: an agent, or a tool that goes out of use and only leaves something
// behind.
func (c *Change) Judged() *registry.Tool {
	if c.Draft.Type == proposals.Deactivate {
		return nil
	}
	return c.Draft.Definition.Tool
}

// Imported reports whether somebody else decides what t is called and takes:
// our conventions are not theirs.
func Imported(t *registry.Tool) bool {
	return t.Source != nil || t.Provider != nil && t.Provider.Type == registry.ProviderMCP
}
