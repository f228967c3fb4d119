// This file defines the input of the rules.

package rules

import (
	"context"
	"slices"
	"strings"
	"sync"
	"unicode"

	"toolcrib/internal/lists"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/shipped"
	"toolcrib/review/harness"
	"toolcrib/review/overlap"
	"toolcrib/review/reach/fact"
)

// Change is the input of the rules: a revision and the live version that it would replace.
type Change struct {
	Draft  proposals.Draft
	Before *registry.Live // the live version of the subject, or nil
	// Source is the JSON that the definition was imported from. The source of the definition pins
	// this JSON by its digest. Source is nil if the definition was not imported.
	Source []byte
	World  World
	// Coming contains the ids of the tools that go live together with the draft. It may be nil.
	Coming map[string]bool
	// Twins are other proposals, open or rejected, that have exactly the same text as the draft.
	Twins []Twin
	// Proposed is the tool of the draft, prepared for comparison with other tools. If it is nil,
	// Self prepares the tool.
	Proposed *Peer
	// Prompts contains the growth of the prompts that the draft affects. It may omit a prompt that
	// violates no rule. It is empty if no prompts were rendered.
	Prompts []PromptCost
	// Isolated reports whether the draft is checked as a single file. Otherwise, it is checked as a
	// change to a registry with agents.
	Isolated bool
	// Reach contains the configured decisions about the hosts, files, and commands that a change
	// adds; see package fact.
	Reach fact.Decisions
	// Outcomes are the results of the draft's test cases. Outcomes is nil if the test cases have
	// not been run.
	Outcomes []harness.Result

	computed sync.Map // results of Computed by type
}

// Twin is another proposal with the same text as the draft.
type Twin struct {
	Name     string         // number and subject of the proposal
	Tool     *registry.Tool // the proposed tool
	Rejected bool
	Reason   string // reason for the rejection
}

// PromptCost is the change in size of an agent's prompt for a channel.
type PromptCost struct {
	Agent         registry.Subject
	Channel       string
	Before, After int  // tokens in the encoding o200k_base; Before is 0 if the prompt does not exist yet
	Cut           bool // whether the prompt would be truncated; in this case, Before and After are not set
}

// World provides access to the live definitions, including deactivated ones. A method searches
// every layer unless its comment states otherwise. The methods use indexes, so they do not scan all
// tools.
type World interface {
	// ByName is registry.Finder.ByName.
	ByName(ctx context.Context, names ...string) ([]registry.Live, error)
	// ByLabel returns the live tools with the given display name. ByTag returns the live tools that
	// have a tag with the given prefix.
	ByLabel(ctx context.Context, label string) ([]registry.Live, error)
	ByTag(ctx context.Context, prefix string) ([]registry.Live, error)
	// Alike returns live tools that may be similar to t in text or purpose, the most likely
	// candidates first. Callers must compare the candidates with t.
	Alike(ctx context.Context, t *Peer) ([]*Peer, error)
	// FromServer returns the live tools that were imported from the server or file with the given
	// name.
	FromServer(ctx context.Context, name string) ([]registry.Live, error)
	Containing(ctx context.Context, words []string) ([]registry.Live, error)
	// Agents returns every live agent.
	Agents(ctx context.Context) ([]registry.Live, error)
	// Lists returns every allow-list that is live or goes live together with the draft.
	Lists(ctx context.Context) ([]registry.Live, error)
}

// Judged returns the tool that goes live with c. It returns nil if c deactivates a tool or changes
// a definition that is not a tool.
func (c *Change) Judged() *registry.Tool {
	if c.Draft.Type == proposals.Deactivate {
		return nil
	}
	return c.Draft.Definition.Tool
}

// Imported reports whether t is a tool of a third party. The third party determines the name and
// the input of such a tool, so the naming conventions of the registry do not apply.
func Imported(t *registry.Tool) bool {
	return t.Source != nil || t.Provider != nil && t.Provider.Type == registry.ProviderMCP
}

// Memory is a World with a few definitions in memory, such as the definitions that toolcrib ships.
// It is used to check files without a database. Its methods scan all definitions.
type Memory []registry.Live

var _ World = Memory{}

func (m Memory) ByName(_ context.Context, names ...string) ([]registry.Live, error) {
	return m.tools(func(t *registry.Tool) bool {
		return slices.ContainsFunc(names, func(name string) bool { return t.ID == name || slices.Contains(t.Aliases, name) })
	}), nil
}

// InCategory returns the tools in the given category.
func (m Memory) InCategory(_ context.Context, category string) ([]registry.Live, error) {
	return m.tools(func(t *registry.Tool) bool { return t.Category == category }), nil
}

func (m Memory) ByLabel(_ context.Context, label string) ([]registry.Live, error) {
	return m.tools(func(t *registry.Tool) bool { return t.Name == label }), nil
}

func (m Memory) ByTag(_ context.Context, prefix string) ([]registry.Live, error) {
	return m.tools(func(t *registry.Tool) bool { return t.Tag != nil && t.Tag.Prefix == prefix }), nil
}

// FromServer returns nothing, because shipped tools do not come from a server.
func (m Memory) FromServer(context.Context, string) ([]registry.Live, error) { return nil, nil }

// Containing returns nothing, because files are not compared with shipped definitions.
func (m Memory) Containing(context.Context, []string) ([]registry.Live, error) { return nil, nil }

// Alike returns all tools in m as candidates.
func (m Memory) Alike(context.Context, *Peer) ([]*Peer, error) { return Peers(m), nil }

func (m Memory) Agents(context.Context) ([]registry.Live, error) {
	return slices.DeleteFunc(slices.Clone(m), func(l registry.Live) bool { return l.Definition.Agent == nil }), nil
}

// OfKind implements registry.Finder.OfKind for the definitions in m. It ignores view and limit, and
// returns all matches.
func (m Memory) OfKind(ctx context.Context, kind registry.ToolKind, view []registry.Layer, limit int) ([]registry.Live, error) {
	return registry.Merge(m).Finder.OfKind(ctx, kind, view, limit)
}

// Lists returns the allow-lists in m and the shipped allow-lists that m does not override.
func (m Memory) Lists(context.Context) ([]registry.Live, error) {
	lists := slices.DeleteFunc(slices.Clone(m), func(l registry.Live) bool { return l.Definition.List == nil })
	for _, d := range shipped.Lists() {
		s := registry.Subject{Kind: registry.KindList, Layer: registry.LayerGlobal, ID: d.ID()}
		if !slices.ContainsFunc(lists, func(l registry.Live) bool { return l.Subject == s }) {
			lists = append(lists, registry.Live{Subject: s, Version: 1, Definition: d})
		}
	}
	return lists, nil
}

func (m Memory) tools(matches func(*registry.Tool) bool) []registry.Live {
	return lists.Filter(m, func(l registry.Live) bool { return l.Definition.Tool != nil && matches(l.Definition.Tool) })
}

// Peer is a tool to compare with other tools. Its fingerprint and words are computed on first use.
// A Peer is safe for concurrent use.
type Peer struct {
	registry.Live

	// Fingerprint returns the fingerprint of the tool for comparisons. Words returns the result of
	// FoldWords for each text of the tool.
	Fingerprint func() *overlap.Fingerprint
	Words       [contentTexts]func() string
}

// NewPeer returns a Peer for l, which must define a tool.
func NewPeer(l registry.Live) *Peer {
	p := &Peer{Live: l, Fingerprint: sync.OnceValue(func() *overlap.Fingerprint { return overlap.NewFingerprint(*l.Definition.Tool) })}
	for i, text := range ContentOf(l.Definition.Tool) {
		p.Words[i] = sync.OnceValue(func() string { return FoldWords(text) })
	}
	return p
}

// Peers returns a Peer for each tool in list.
func Peers(list []registry.Live) []*Peer {
	var peers []*Peer
	for _, l := range list {
		if l.Definition.Tool != nil {
			peers = append(peers, NewPeer(l))
		}
	}
	return peers
}

func (p *Peer) Tool() *registry.Tool { return p.Definition.Tool }

// peers contains the proposed tool, its live version, and the search for similar tools.
type peers struct {
	self, before *Peer
	alike        func(context.Context) ([]*Peer, error)
}

func (c *Change) peers() *peers {
	return Computed(c, func(c *Change) *peers {
		p := &peers{self: c.Proposed}
		if p.self == nil {
			p.self = NewPeer(registry.Live{Subject: c.Draft.Subject, Definition: c.Draft.Definition})
		}
		if c.Before != nil && c.Before.Definition.Tool != nil {
			p.before = NewPeer(*c.Before)
		}
		var once sync.Once
		var list []*Peer
		var err error
		p.alike = func(ctx context.Context) ([]*Peer, error) {
			once.Do(func() { list, err = c.World.Alike(ctx, p.self) })
			return list, err
		}
		return p
	})
}

// Self returns the proposed tool, prepared for comparison. c must propose a tool.
func (c *Change) Self() *Peer { return c.peers().self }

// Alike returns live tools that may be similar to the proposed tool. c must propose a tool.
func (c *Change) Alike(ctx context.Context) ([]*Peer, error) { return c.peers().alike(ctx) }

// Replaces returns the live version of the proposed tool, or nil if the tool is new.
func (c *Change) Replaces() *Peer { return c.peers().before }

// MostLikenesses is the maximum number of similar tools that a reviewer sees.
const MostLikenesses = 3

// contentTexts is the number of texts that ContentOf returns.
const contentTexts = 4

// ContentOf returns the texts that describe t: the usage notes, goals, guardrails, and prompt of a
// prompt tool, or the description, input schema, and prompt of any other tool. Missing texts are
// "".
func ContentOf(t *registry.Tool) [contentTexts]string {
	if t.Kind == registry.PromptTool {
		return [contentTexts]string{t.UsageNotes, t.Goals, t.Guardrails, t.Prompt}
	}
	return [contentTexts]string{t.Description, string(t.InputSchema), t.Prompt}
}

// FoldWords returns the words of text in lower case, each surrounded by single spaces.
func FoldWords(text string) string {
	return " " + strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	}), " ") + " "
}

// SpelledOut returns the allow-list that the draft defines, and its path in the proposal. ok is
// false if the draft defines no allow-list, refers to another allow-list, or deactivates the
// definition.
func (c *Change) SpelledOut() (list registry.AllowList, path string, ok bool) {
	d := c.Draft.Definition
	switch {
	case d.Status() == registry.Deactivated:
	case d.List != nil:
		return d.List.AllowList(), "definition", true
	case d.Agent != nil && d.Agent.AllowList != nil && !d.Agent.AllowList.Reference():
		return *d.Agent.AllowList, "definition.allowList", true
	}
	return registry.AllowList{}, "", false
}

// ListNamed returns the active allow-list with the given id that is visible in the layer of the
// draft. It returns false if no such allow-list exists.
func (c *Change) ListNamed(ctx context.Context, id string) (registry.AllowList, bool, error) {
	lists, err := c.Lists(ctx)
	if err != nil {
		return registry.AllowList{}, false, err
	}
	i := slices.IndexFunc(lists, func(e registry.Entry) bool { return e.Subject.ID == id })
	if i < 0 {
		return registry.AllowList{}, false, nil
	}
	return lists[i].Definition.List.AllowList(), true, nil
}

// Lists returns the active allow-lists that are visible in the layer of the draft, ordered by id.
func (c *Change) Lists(ctx context.Context) ([]registry.Entry, error) {
	lives, err := c.World.Lists(ctx)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(registry.Visible(lives, c.Draft.Subject.Layer.View()), func(e registry.Entry) bool { return !e.Active() }), nil
}
