// This file checks that change sets are approved as a whole. It also provides the registry as if the earlier members of
// a change set were already approved.

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

// checkChangeSets returns an error if views contain some but not all members of a change set. It ignores members that
// are already live, because the name of a change set can be reused.
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
				return fmt.Errorf("%w: %s belongs to the change set %q with %s (%s); approve all members together: toolcrib --approve 'set:%s', or remove %[2]s from the set: toolcrib regroup %[7]s --alone",
					review.ErrChangeSet, v.Proposal.Name(), v.Proposal.ChangeSet, m.Name(), m.State, v.Proposal.ChangeSet, review.Reference(v.Proposal))
			default:
				return fmt.Errorf("%w: %s belongs to the change set %q with %s, which is in the state %s; wait for that proposal, or remove it from the set: toolcrib regroup %s --alone",
					review.ErrChangeSet, v.Proposal.Name(), v.Proposal.ChangeSet, m.Name(), m.State, review.Reference(m))
			}
		}
	}
	return nil
}

// succession is the registry while the chosen proposals are approved one after the other. The queries by subject and by
// name return the content of the proposals approved so far in place of the live definitions. The rule families L and N
// use these queries. All other queries return the definitions that were live before the approvals.
type succession struct {
	review.RegistryReader
	approved map[registry.Subject]registry.Live
	named    map[string][]registry.Subject
}

// approve makes the content of v the live definition of its subject. It returns an error if an earlier proposal already
// changed the same subject, because v is based on the version before that change.
func (s *succession) approve(v inspection.View) error {
	p, d := v.Proposal, v.Revision.Draft.Definition
	if before, ok := s.approved[p.Subject]; ok {
		return fmt.Errorf("%s: %w: another proposal in the same call creates version %d of %s", p.Name(), review.ErrStale, before.Version, p.Subject)
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
