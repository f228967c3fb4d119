package records

import (
	"context"

	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/review/proof"
	"toolcrib/store/session"
)

// Proofs returns the verifier for the current transaction, or nil if signatures are not required.
func (s Signatures) Proofs(ctx context.Context) (*proof.Proofs, error) {
	if !s.Trust.Required() {
		return nil, nil //nolint:nilnil // nothing to check by is an answer, not an error
	}
	if p := *session.Within[*proof.Proofs](s.Session); p != nil {
		return p, nil
	}
	last, err := Signatures(s).LastSigners(ctx)
	if err != nil {
		return nil, err
	}
	return Signatures(s).ProofsOf(ctx, last)
}

// ProofsOf is like Proofs. last is the hash of the event that recorded the latest signers.
func (s Signatures) ProofsOf(ctx context.Context, last string) (*proof.Proofs, error) {
	proven := session.Within[*proof.Proofs](s.Session)
	if *proven == nil {
		p, err := s.Trust.Proofs(ctx, s, last)
		if err != nil {
			return nil, err
		}
		*proven = p
	}
	return *proven, nil
}

// CountedWaivers returns the valid waivers of a proposal: all, or only those with valid signatures if signatures are
// required.
func (s Signatures) CountedWaivers(ctx context.Context, of proposals.Proposal, waivers []history.Waiver) ([]history.Waiver, error) {
	p, err := Signatures(s).Proofs(ctx)
	if p == nil || err != nil {
		return waivers, err
	}
	var counted []history.Waiver
	for _, w := range waivers {
		err := p.Waiver(ctx, Signatures(s), of, w)
		if err == nil {
			err = p.WaiverStands(ctx, Signatures(s), of, w, waivers)
		}
		switch {
		case err == nil:
			counted = append(counted, w)
		case !proof.Refuses(err):
			return nil, err
		}
	}
	return counted, nil
}

// Counts returns an error if signatures are required and v has no valid one.
func (s Signatures) Counts(ctx context.Context, v history.Version) error {
	p, err := Signatures(s).Proofs(ctx)
	if p == nil || err != nil {
		return err
	}
	proof, err := p.Version(ctx, Signatures(s), v)
	if err != nil {
		return err
	}
	return proof.Err
}
