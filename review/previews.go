package review

import (
	"slices"
	"sync"
)

// maxPreviews limits the previews that are cached, in bytes of prompts.
const maxPreviews = 8 << 20

// previews caches previews in one state of the registry: the users of one process open
// the same proposals. It is safe for concurrent use.
type previews struct {
	mu    sync.Mutex
	known map[previewOf][]Preview
	size  int // in bytes of prompts
}

// previewOf identifies a preview in one state of the registry. A review digest would
// not: it does not cover the prompts as they are now.
type previewOf struct {
	scene   Scene
	agent   string
	changes string // seal of the changed definitions
}

func (p *previews) find(of previewOf) ([]Preview, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	found, ok := p.known[of]
	return slices.Clone(found), ok
}

// keep caches a preview. A scene with a time outside it is not cached: somebody else
// may change that.
func (p *previews) keep(of previewOf, found []Preview) {
	if of.scene.Context.LastMessageAt != nil {
		return
	}
	size := 0
	for _, f := range found {
		for _, out := range slices.Concat(f.Now, f.Then) {
			size += len(out.Text)
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.size += size; p.known == nil || p.size > maxPreviews {
		p.known, p.size = map[previewOf][]Preview{}, size
	}
	if size <= maxPreviews {
		p.known[of] = slices.Clone(found)
	}
}
