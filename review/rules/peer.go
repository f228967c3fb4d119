package rules

import (
	"context"
	"sync"

	"toolcrib/registry"
	"toolcrib/review/overlap"
)

// Peer is a tool that is held against others. What is compared of it is computed
// once, when it is first asked for, however many tools it is held against. It may
// be used by several goroutines.
type Peer struct {
	registry.Live

	fingerprint func() *overlap.Fingerprint
	words       [contentTexts]func() string
}

// NewPeer returns l, the definition of a tool, as a peer.
func NewPeer(l registry.Live) *Peer {
	p := &Peer{Live: l}
	p.fingerprint = sync.OnceValue(func() *overlap.Fingerprint { return overlap.NewFingerprint(*l.Definition.Tool) })
	for i, text := range contentOf(l.Definition.Tool) {
		p.words[i] = sync.OnceValue(func() string { return foldWords(text) })
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

// self is the tool that c proposes; c must propose one.
func (c *Change) self() *Peer {
	c.once.self.Do(func() {
		if c.once.selfPeer = c.Proposed; c.Proposed == nil {
			c.once.selfPeer = NewPeer(registry.Live{Subject: c.Draft.Subject, Definition: c.Draft.Definition})
		}
	})
	return c.once.selfPeer
}

// alike returns the live tools that may resemble the one that c proposes; c must
// propose one.
func (c *Change) alike(ctx context.Context) ([]*Peer, error) {
	c.once.alike.Do(func() { c.once.alikeList, c.once.alikeErr = c.World.Alike(ctx, c.self()) })
	return c.once.alikeList, c.once.alikeErr
}

// replaces is the live version of the tool that c proposes, nil when there is
// none.
func (c *Change) replaces() *Peer {
	c.once.before.Do(func() {
		if c.Before != nil && c.Before.Definition.Tool != nil {
			c.once.beforePeer = NewPeer(*c.Before)
		}
	})
	return c.once.beforePeer
}
