package review

import (
	"context"
	"fmt"
	"slices"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review/impact"
)

// together refuses a choice that splits a change set. Members that are live
// already hold back nobody: the name of a set can be used again.
func together(views []view) error {
	chosen := map[proposals.ID]bool{}
	for _, v := range views {
		chosen[v.Proposal.ID] = true
	}
	seen := map[string]bool{"": true}
	for _, v := range views {
		if seen[v.Proposal.ChangeSet] {
			continue
		}
		seen[v.Proposal.ChangeSet] = true
		for _, m := range v.changeSet.members {
			switch {
			case chosen[m.ID] || m.State == proposals.Approved:
			case m.State == proposals.UserReview:
				return fmt.Errorf("%w: %s belongs to %q with %s (%s); approve them together: toolcrib --approve 'set:%s'",
					ErrChangeSet, v.Proposal.Name(), v.Proposal.ChangeSet, m.Name(), m.State, v.Proposal.ChangeSet)
			default:
				return fmt.Errorf("%w: %s belongs to %q with %s, which is in %s; wait for it, or take it out: toolcrib regroup %s --alone",
					ErrChangeSet, v.Proposal.Name(), v.Proposal.ChangeSet, m.Name(), m.State, Reference(m))
			}
		}
	}
	return nil
}

// broken reports a change set of which a member was rejected. Its other members
// were written to go live with that one, so none of them does until the user
// regroups them.
func broken(changeSet string, members []proposals.Proposal) error {
	for _, m := range members {
		if m.State == proposals.Rejected {
			return fmt.Errorf("%w: %s of %q was rejected, which stops the set; regroup the rest: toolcrib regroup 'set:%s' --into NAME, or --alone",
				ErrChangeSet, m.Name(), changeSet, changeSet)
		}
	}
	return nil
}

// Regroup moves open proposals into another change set, or out of theirs when
// changeSet is "": all of them or none. Each gets a new revision in which
// nothing else is different, and which stays its author's, so that it is
// reviewed again among its new fellows.
func (d *drafting) Regroup(ctx context.Context, actor proposals.Actor, ids []proposals.ID, changeSet string) ([]proposals.Proposal, error) {
	moved, err := write(ctx, d.office, func(tx Tx) (moved []proposals.Proposal, err error) {
		moved = make([]proposals.Proposal, len(ids))
		for i, id := range ids {
			if moved[i], err = d.regroup(ctx, tx, actor, id, changeSet); err != nil {
				return nil, err
			}
		}
		return moved, nil
	})
	if err != nil {
		return nil, err
	}
	return moved, d.consult(ctx, moved)
}

func (d *drafting) regroup(ctx context.Context, tx Tx, actor proposals.Actor, id proposals.ID, changeSet string) (proposals.Proposal, error) {
	p, rev, err := impact.Current(ctx, tx, id)
	if err != nil {
		return p, err
	}
	if p.State == proposals.NeedsChanges {
		return p, fmt.Errorf("%s: %w: it waits for a revision by its author, which can change the change set", p.Name(), proposals.ErrState)
	}
	rev.Draft.ChangeSet = changeSet
	p, _, err = d.revised(ctx, tx, actor, rev.Author, p, rev.Draft)
	return p, err
}

// OpenMembers returns the ids of the members of a change set to which something
// can still happen.
func (d *reading) OpenMembers(ctx context.Context, changeSet string) ([]proposals.ID, error) {
	return read(ctx, d.office, func(r Reader) (ids []proposals.ID, err error) {
		members, err := r.Members(ctx, changeSet)
		for _, m := range members {
			if m.State.Open() {
				ids = append(ids, m.ID)
			}
		}
		if err == nil && len(ids) == 0 {
			err = fmt.Errorf("an open member of change set %q: %w", changeSet, proposals.ErrNotFound)
		}
		return ids, err
	})
}

// succession is the registry while proposals are approved one after the other: the
// live definitions, with the proposals so far in their place. It answers the
// queries of the rules L and N, by subject and by name, for those proposals; all
// other queries see the registry as it was.
type succession struct {
	RegistryReader
	approved map[registry.Subject]registry.Live
	named    map[string][]registry.Subject
}

func newSuccession(r RegistryReader) *succession {
	return &succession{r, map[registry.Subject]registry.Live{}, map[string][]registry.Subject{}}
}

// approve puts the content of v in force. It refuses a second version of one
// subject, which would have been made against the version before.
func (s *succession) approve(v view) error {
	p, d := v.Proposal, v.Revision.Draft.Definition
	if before, ok := s.approved[p.Subject]; ok {
		return fmt.Errorf("%s: %w: another proposal in this call makes version %d of %s", p.Name(), ErrStale, before.Version, p.Subject)
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
