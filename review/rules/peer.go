package rules

import (
	"context"
	"strings"
	"sync"
	"unicode"

	"toolcrib/registry"
	"toolcrib/review/overlap"
)

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

// Fingerprint returns the tool as it is compared.
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
	return [contentTexts]string{t.Description, string(t.InputSchema)}
}

// FoldWords returns the words of a text in lower case, a space around each.
func FoldWords(text string) string {
	return " " + strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	}), " ") + " "
}
