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
	// Reach lists what the configuration decides about facts of reach.
	Reach fact.Decisions
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
	// FromServer returns the live tools, in any layer, that came from the server or file of a
	// name; Containing is that of reach.Registry.
	FromServer(ctx context.Context, name string) ([]registry.Live, error)
	Containing(ctx context.Context, words []string) ([]registry.Live, error)
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

// Memory is a World of a few definitions: what toolcrib ships, when files are
// looked at without a database. It looks at each of them for every answer.
type Memory []registry.Live

var _ World = Memory{}

// ByName implements World.
func (m Memory) ByName(_ context.Context, names ...string) ([]registry.Live, error) {
	return m.tools(func(t *registry.Tool) bool {
		return slices.ContainsFunc(names, func(name string) bool { return t.ID == name || slices.Contains(t.Aliases, name) })
	}), nil
}

// InCategory returns the tools of a category.
func (m Memory) InCategory(_ context.Context, category string) ([]registry.Live, error) {
	return m.tools(func(t *registry.Tool) bool { return t.Category == category }), nil
}

// ByLabel implements World.
func (m Memory) ByLabel(_ context.Context, label string) ([]registry.Live, error) {
	return m.tools(func(t *registry.Tool) bool { return t.Name == label }), nil
}

// ByTag implements World.
func (m Memory) ByTag(_ context.Context, prefix string) ([]registry.Live, error) {
	return m.tools(func(t *registry.Tool) bool { return t.Tag != nil && t.Tag.Prefix == prefix }), nil
}

// FromServer implements World: what is shipped comes from no server.
func (m Memory) FromServer(context.Context, string) ([]registry.Live, error) { return nil, nil }

// Containing implements World: what is shipped is compared with nothing.
func (m Memory) Containing(context.Context, []string) ([]registry.Live, error) { return nil, nil }

// Alike implements World: every tool is a candidate.
func (m Memory) Alike(context.Context, *Peer) ([]*Peer, error) { return Peers(m), nil }

// Agents implements World.
func (m Memory) Agents(context.Context) ([]registry.Live, error) {
	return slices.DeleteFunc(slices.Clone(m), func(l registry.Live) bool { return l.Definition.Agent == nil }), nil
}

// OfKind returns the tools of a kind and whatever else goes by their ids.
func (m Memory) OfKind(ctx context.Context, kind registry.ToolKind, view []registry.Layer, most int) ([]registry.Live, error) {
	return registry.Merge(m).Finder.OfKind(ctx, kind, view, most)
}

// Lists implements World: the shipped lists are always there.
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

// Peer is a tool for comparison. Its fingerprint is computed once, on first use,
// however many tools it is compared with. It may be used by several goroutines.
type Peer struct {
	registry.Live

	fingerprint func() *overlap.Fingerprint
	Words       [contentTexts]func() string
}

// NewPeer returns l, the definition of a tool, as a peer.
func NewPeer(l registry.Live) *Peer {
	p := &Peer{Live: l}
	p.fingerprint = sync.OnceValue(func() *overlap.Fingerprint { return overlap.NewFingerprint(*l.Definition.Tool) })
	for i, text := range ContentOf(l.Definition.Tool) {
		p.Words[i] = sync.OnceValue(func() string { return FoldWords(text) })
	}
	return p
}

// Peers returns those of list that are tools as peers.
func Peers(list []registry.Live) []*Peer {
	var peers []*Peer
	for _, l := range list {
		if l.Definition.Tool != nil {
			peers = append(peers, NewPeer(l))
		}
	}
	return peers
}

// Tool returns the tool.
func (p *Peer) Tool() *registry.Tool { return p.Definition.Tool }

// Fingerprint returns the fingerprint by which tools are compared.
func (p *Peer) Fingerprint() *overlap.Fingerprint { return p.fingerprint() }

// peers are the tools that a change is compared with.
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

// Self is the tool that c proposes; c must propose one.
func (c *Change) Self() *Peer { return c.peers().self }

// Alike returns the live tools that may resemble the one that c proposes; c must
// propose one.
func (c *Change) Alike(ctx context.Context) ([]*Peer, error) { return c.peers().alike(ctx) }

// Replaces is the live version of the tool that c proposes, nil when there is
// none.
func (c *Change) Replaces() *Peer { return c.peers().before }

// MostLikenesses is how many similar tools a reviewer sees.
const MostLikenesses = 3

// contentTexts is the number of texts that describe a tool.
const contentTexts = 4

// ContentOf returns what a tool says and takes.
func ContentOf(t *registry.Tool) [contentTexts]string {
	if t.Kind == registry.PromptTool {
		return [contentTexts]string{t.UsageNotes, t.Goals, t.Guardrails, t.Prompt}
	}
	return [contentTexts]string{t.Description, string(t.InputSchema), t.Prompt}
}

// FoldWords returns the words of a text in lower case, a space around each.
func FoldWords(text string) string {
	return " " + strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	}), " ") + " "
}

// SpelledOut returns the allow-list that the draft itself spells out, and the path
// at which it does; false when it has none or takes it out of use.
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

// ListNamed returns the allow-list of an id that is visible in the layer of the
// draft; false when there is no active one.
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

// Lists returns the active allow-lists that are seen in the layer of the draft,
// by id.
func (c *Change) Lists(ctx context.Context) ([]registry.Entry, error) {
	lives, err := c.World.Lists(ctx)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(registry.Visible(lives, c.Draft.Subject.Layer.View()), func(e registry.Entry) bool { return !e.Active() }), nil
}
