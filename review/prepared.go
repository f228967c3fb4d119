package review

import (
	"context"
	"sync"

	"toolcrib/signing/statement"
)

// prepared remembers the prompts that Prepare rendered for a statement, so that the
// transaction of the signed act renders nothing again: they depend on the registry
// and on the proposals, of which every change is in the log. It is safe for
// concurrent use.
type prepared struct {
	mu       sync.Mutex
	head     statement.Head // the newest event when they were rendered
	rendered map[revisionKey]map[string]string
}

// keep remembers the prompts of views.
func (p *prepared) keep(head statement.Head, views []view) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.head, p.rendered = head, map[revisionKey]map[string]string{}
	for _, v := range views {
		p.rendered[revisionKey{v.Proposal.ID, v.Proposal.Revision}] = v.Rendered
	}
}

// find returns the prompts of v, if nothing was written since they were rendered.
func (p *prepared) find(ctx context.Context, r SignatureReader, v view) (map[string]string, bool, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	rendered, ok := p.rendered[revisionKey{v.Proposal.ID, v.Proposal.Revision}]
	if !ok {
		return nil, false, nil
	}
	last, err := r.LastEvent(ctx)
	return rendered, err == nil && last == p.head, err
}
