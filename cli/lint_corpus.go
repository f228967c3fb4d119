package cli

import (
	"context"
	"slices"

	"toolcrib/registry"
	"toolcrib/review/overlap"
	"toolcrib/review/rules"
)

// lintCorpus holds the tools that lint compares with: the shipped ones, and those
// read in the same run. It does not know the live ones.
type lintCorpus struct {
	shipped       rules.Memory
	models        []*rules.Peer // the tools of shipped
	subjects      map[registry.Subject]*registry.Live
	peers         []*rules.Peer
	labels, tags  map[string][]int // by name and by prefix, which peers
	text, purpose overlap.Index
}

func newLintCorpus(shipped rules.Memory) *lintCorpus {
	s := &lintCorpus{
		shipped: shipped, models: rules.Peers(shipped), subjects: map[registry.Subject]*registry.Live{},
		labels: map[string][]int{}, tags: map[string][]int{},
	}
	for i := range shipped {
		s.subjects[shipped[i].Subject] = &shipped[i]
	}
	return s
}

// add puts a tool beside the others; its fingerprint is best there already.
func (s *lintCorpus) add(p *rules.Peer) {
	text, purpose := p.Fingerprint().Sketches()
	n := len(s.peers)
	s.text.Add(int64(n), text)
	s.purpose.Add(int64(n), purpose)
	s.peers = append(s.peers, p)
	s.labels[p.Tool().Name] = append(s.labels[p.Tool().Name], n)
	if tag := p.Tool().Tag; tag != nil {
		s.tags[tag.Prefix] = append(s.tags[tag.Prefix], n)
	}
}

// earlier is the corpus as it was when it held only the first peers.
type earlier struct {
	rules.Memory
	*lintCorpus
	peers int
}

var _ rules.World = earlier{}

// before returns the corpus as it was when it held so many peers. Nothing may be
// added while it is used.
func (s *lintCorpus) before(peers int) earlier { return earlier{s.shipped, s, peers} }

// ByLabel implements rules.World.
func (e earlier) ByLabel(ctx context.Context, label string) ([]registry.Live, error) {
	found, err := e.Memory.ByLabel(ctx, label)
	return e.with(found, e.labels[label]), err
}

// ByTag implements rules.World.
func (e earlier) ByTag(ctx context.Context, prefix string) ([]registry.Live, error) {
	found, err := e.Memory.ByTag(ctx, prefix)
	return e.with(found, e.tags[prefix]), err
}

// with adds those of some peers to found that were there.
func (e earlier) with(found []registry.Live, peers []int) []registry.Live {
	for _, n := range peers {
		if n < e.peers {
			found = append(found, e.lintCorpus.peers[n].Live)
		}
	}
	return found
}

// Thresholds of the sketches from which a peer is compared.
const (
	peerText    = 0.4
	peerPurpose = 0.55
	mostPeers   = 20
)

// Alike implements rules.World.
func (e earlier) Alike(_ context.Context, t *rules.Peer) ([]*rules.Peer, error) {
	text, purpose := t.Fingerprint().Sketches()
	texts, purposes := e.text.First(e.peers), e.purpose.First(e.peers)
	matches := slices.Concat(texts.Scan(text, peerText, mostPeers), purposes.Scan(purpose, peerPurpose, mostPeers))
	found := slices.Clone(e.models)
	seen := map[int64]bool{}
	for _, m := range matches {
		if !seen[m.ID] && len(seen) < mostPeers {
			seen[m.ID] = true
			found = append(found, e.lintCorpus.peers[m.ID])
		}
	}
	return found, nil
}
