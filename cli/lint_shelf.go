package cli

import (
	"context"
	"slices"

	"toolcrib/registry"
	"toolcrib/review/overlap"
	"toolcrib/review/rules"
)

// shelf is what lint holds a tool against: what toolcrib ships, and the tools
// that it has looked at before in the same run. What is live is not known.
type shelf struct {
	rules.Memory
	peers         []registry.Live
	labels, tags  map[string][]registry.Live
	text, purpose overlap.Index
}

var _ rules.World = (*shelf)(nil)

func newShelf(shipped rules.Memory) *shelf {
	return &shelf{Memory: shipped, labels: map[string][]registry.Live{}, tags: map[string][]registry.Live{}}
}

// add puts a tool beside the others.
func (s *shelf) add(l registry.Live) {
	t := l.Definition.Tool
	if t == nil {
		return
	}
	s.text.Add(int64(len(s.peers)), overlap.TextOf(*t).Sketch())
	s.purpose.Add(int64(len(s.peers)), overlap.PurposeOf(*t).Sketch())
	s.peers = append(s.peers, l)
	s.labels[t.Name] = append(s.labels[t.Name], l)
	if t.Tag != nil {
		s.tags[t.Tag.Prefix] = append(s.tags[t.Tag.Prefix], l)
	}
}

// ByLabel implements rules.World.
func (s *shelf) ByLabel(ctx context.Context, label string) ([]registry.Live, error) {
	found, err := s.Memory.ByLabel(ctx, label)
	return slices.Concat(found, s.labels[label]), err
}

// ByTag implements rules.World.
func (s *shelf) ByTag(ctx context.Context, prefix string) ([]registry.Live, error) {
	found, err := s.Memory.ByTag(ctx, prefix)
	return slices.Concat(found, s.tags[prefix]), err
}

// What a peer has to be like to be compared, as sketches tell.
const (
	peerText    = 0.4
	peerPurpose = 0.55
	mostPeers   = 20
)

// Alike implements rules.World.
func (s *shelf) Alike(ctx context.Context, t registry.Tool) ([]registry.Live, error) {
	found, err := s.Memory.Alike(ctx, t)
	matches := slices.Concat(s.text.Scan(overlap.TextOf(t).Sketch(), peerText), s.purpose.Scan(overlap.PurposeOf(t).Sketch(), peerPurpose))
	seen := map[int64]bool{}
	for _, m := range matches {
		if !seen[m.ID] && len(seen) < mostPeers {
			seen[m.ID] = true
			found = append(found, s.peers[m.ID])
		}
	}
	return found, err
}
