// This file defines the input of the rules.

package rules

import (
	"context"
	"slices"
	"strings"
	"sync"
	"unicode"

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
	// Source is the JSON that the definition was imported from, which its source pins. It is nil if
	// the definition was not imported.
	Source []byte
	World  World
	// Coming are the ids of the tools that go live together with the draft. It may be nil.
	Coming map[string]bool
	// Twins are other proposals, open or rejected, with exactly the same text.
	Twins []Twin
	// Proposed is the tool of the draft if the caller has already prepared it for comparison. It
	// may be nil.
	Proposed *Peer
	// Prompts are the changes in size of the prompts that the draft affects. It lists only prompts
	// that a rule could object to, and is empty if no prompts were rendered.
	Prompts []PromptCost
	// Isolated reports whether the draft is checked in isolation, as a file, and not as a change of
	// a registry with agents.
	Isolated bool
	// Reach are the decisions of the configuration about facts of reach.
	Reach fact.Decisions
	// Outcomes are the results of the draft's test cases. It is nil if the test cases have not been
	// run.
	Outcomes []harness.Result

	computed sync.Map // by type; see Computed
}

// Twin is a proposal with the same text as another one.
type Twin struct {
	Name     string         // number and subject
	Tool     *registry.Tool // the proposed tool
	Rejected bool
	Reason   string // reason for the rejection
}

// PromptCost is the change in size of an agent's prompt for a channel.
type PromptCost struct {
	Agent         registry.Subject
	Channel       string
	Before, After int  // tokens in the encoding o200k_base; Before is 0 if the prompt does not exist yet
	Cut           bool // the prompt would be truncated; its tokens were not counted
}

// World provides access to the live definitions, including deactivated ones. Unless stated
// otherwise, its methods search every layer and use an index instead of scanning all tools.
type World interface {
	// ByName is registry.Finder.ByName.
	ByName(ctx context.Context, names ...string) ([]registry.Live, error)
	// ByLabel returns the live tools with a human name, and ByTag those with a tag prefix, in any
	// layer.
	ByLabel(ctx context.Context, label string) ([]registry.Live, error)
	ByTag(ctx context.Context, prefix string) ([]registry.Live, error)
	// Alike returns live tools that may be similar to t in text or in purpose, the most likely
	// first. Callers must compare these candidates with t.
	Alike(ctx context.Context, t *Peer) ([]*Peer, error)
	// FromServer returns the live tools in any layer that were imported from the server or file
	// with the given name. Containing is reach.Registry.Containing.
	FromServer(ctx context.Context, name string) ([]registry.Live, error)
	Containing(ctx context.Context, words []string) ([]registry.Live, error)
	// Agents returns every live agent, in any layer.
	Agents(ctx context.Context) ([]registry.Live, error)
	// Lists returns every allow-list in any layer that is live or goes live together with the
	// draft.
	Lists(ctx context.Context) ([]registry.Live, error)
}

// Judged returns the tool that goes live with c. It returns nil if c is about another kind of
// definition or deactivates a tool.
func (c *Change) Judged() *registry.Tool {
	if c.Draft.Type == proposals.Deactivate {
		return nil
	}
	return c.Draft.Definition.Tool
}

// Imported reports whether a third party determines the name and the input of t. Our conventions do
// not apply to such tools.
func Imported(t *registry.Tool) bool {
	return t.Source != nil || t.Provider != nil && t.Provider.Type == registry.ProviderMCP
}

// Memory is a World of a few definitions, such as those that toolcrib ships, for checking files
// without a database. Its methods scan all definitions.
type Memory []registry.Live

var _ World = Memory{}

func (m Memory) ByName(_ context.Context, names ...string) ([]registry.Live, error) {
	return m.tools(func(t *registry.Tool) bool {
		return slices.ContainsFunc(names, func(name string) bool { return t.ID == name || slices.Contains(t.Aliases, name) })
	}), nil
}

// InCategory returns the tools in a category.
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

// Alike returns all tools as candidates.
func (m Memory) Alike(context.Context, *Peer) ([]*Peer, error) { return Peers(m), nil }

func (m Memory) Agents(context.Context) ([]registry.Live, error) {
	return slices.DeleteFunc(slices.Clone(m), func(l registry.Live) bool { return l.Definition.Agent == nil }), nil
}

// OfKind returns the tools of a kind and all other definitions with their ids.
func (m Memory) OfKind(ctx context.Context, kind registry.ToolKind, view []registry.Layer, most int) ([]registry.Live, error) {
	return registry.Merge(m).Finder.OfKind(ctx, kind, view, most)
}

// Lists returns the allow-lists in m and those that toolcrib ships.
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
	var found []registry.Live
	for _, l := range m {
		if l.Definition.Tool != nil && matches(l.Definition.Tool) {
			found = append(found, l)
		}
	}
	return found
}

// Peer is a tool to compare with other tools. Its fingerprint and words are computed on first use.
// A Peer is safe for concurrent use.
type Peer struct {
	registry.Live

	// Fingerprint returns the fingerprint for comparing the tool with others, and Words the folded
	// words of each of its texts.
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

// peers are the tools to compare for a change.
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

// Self returns the proposed tool. c must propose a tool.
func (c *Change) Self() *Peer { return c.peers().self }

// Alike returns live tools that may be similar to the proposed one. c must propose a tool.
func (c *Change) Alike(ctx context.Context) ([]*Peer, error) { return c.peers().alike(ctx) }

// Replaces returns the live version of the proposed tool, or nil if there is none.
func (c *Change) Replaces() *Peer { return c.peers().before }

// MostLikenesses is the maximum number of similar tools that a reviewer sees.
const MostLikenesses = 3

// contentTexts is the number of texts that describe a tool.
const contentTexts = 4

// ContentOf returns the texts of a tool and its input schema.
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

// SpelledOut returns the allow-list that the draft defines itself, instead of referring to another
// one, and its path. It returns false if there is none, or if the draft deactivates the definition.
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
// draft. It returns false if there is none.
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

// Lists returns the active allow-lists that are visible in the layer of the draft, by id.
func (c *Change) Lists(ctx context.Context) ([]registry.Entry, error) {
	lives, err := c.World.Lists(ctx)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(registry.Visible(lives, c.Draft.Subject.Layer.View()), func(e registry.Entry) bool { return !e.Active() }), nil
}
