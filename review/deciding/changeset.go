// This file checks a change set as a whole, and reads the registry as if earlier members were already approved.

package deciding

import (
	"context"
	"fmt"
	"slices"

	"toolcrib/internal/lists"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/review/inspection"
)

// checkChangeSets returns an error if the choices include some but not all members of a change set. It ignores members
// that are already live, because the name of a change set can be reused.
func checkChangeSets(views []inspection.View) error {
	chosen := lists.Set(views, func(v inspection.View) proposals.ID { return v.Proposal.ID })
	seen := map[string]bool{"": true}
	for _, v := range views {
		if seen[v.Proposal.ChangeSet] {
			continue
		}
		seen[v.Proposal.ChangeSet] = true
		for _, m := range v.ChangeSet.Members {
			switch {
			case chosen[m.ID] || m.State == proposals.Approved:
			case m.State == proposals.UserReview:
				return fmt.Errorf("%w: %s belongs to %q with %s (%s); approve them together: toolcrib --approve 'set:%s', or take it out: toolcrib regroup %s --alone",
					review.ErrChangeSet, v.Proposal.Name(), v.Proposal.ChangeSet, m.Name(), m.State, v.Proposal.ChangeSet, review.Reference(v.Proposal))
			default:
				return fmt.Errorf("%w: %s belongs to %q with %s, which is in %s; wait for it, or take it out: toolcrib regroup %s --alone",
					review.ErrChangeSet, v.Proposal.Name(), v.Proposal.ChangeSet, m.Name(), m.State, review.Reference(m))
			}
		}
	}
	return nil
}

// succession is the registry while proposals are approved in sequence. Queries of the rule families L and N, by subject
// and by name, return the proposals approved so far instead of the live definitions; all other queries return the
// registry before the approvals.
type succession struct {
	review.RegistryReader
	approved map[registry.Subject]registry.Live
	named    map[string][]registry.Subject
}

// approve makes the content of v the live definition. It rejects a second version of the same subject, because its base
// is outdated.
func (s *succession) approve(v inspection.View) error {
	p, d := v.Proposal, v.Revision.Draft.Definition
	if before, ok := s.approved[p.Subject]; ok {
		return fmt.Errorf("%s: %w: another proposal in this call makes version %d of %s", p.Name(), review.ErrStale, before.Version, p.Subject)
	}
	s.approved[p.Subject] = registry.Live{Subject: p.Subject, Version: p.BaseVersion + 1, ContentHash: v.Revision.ContentHash, Definition: d}
	if t := d.Tool; t != nil {
		for _, name := range append([]string{t.ID}, t.Aliases...) {
			s.named[name] = append(s.named[name], p.Subject)
		}
	}
	return nil
}

func (s *succession) Live(ctx context.Context, subject registry.Subject) (registry.Live, error) {
	if l, ok := s.approved[subject]; ok {
		return l, nil
	}
	return s.RegistryReader.Live(ctx, subject)
}

func (s *succession) ByName(ctx context.Context, names ...string) ([]registry.Live, error) {
	found, err := s.RegistryReader.ByName(ctx, names...)
	if err != nil {
		return nil, err
	}
	found = slices.DeleteFunc(found, func(l registry.Live) bool { _, ok := s.approved[l.Subject]; return ok })
	added := map[registry.Subject]bool{}
	for _, name := range names {
		for _, subject := range s.named[name] {
			if !added[subject] {
				added[subject] = true
				found = append(found, s.approved[subject])
			}
		}
	}
	return found, nil
}
