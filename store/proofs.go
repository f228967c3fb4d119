package store

import (
	"context"

	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/review/proof"
)

// proofs returns what versions are checked by in this transaction, nil where every
// version counts.
func (s signatureTables) proofs(ctx context.Context) (*proof.Proofs, error) {
	if !s.trust.Required() {
		return nil, nil //nolint:nilnil // nothing to check by is an answer, not an error
	}
	if p := *within[*proof.Proofs](s.session); p != nil {
		return p, nil
	}
	last, err := signatureTables(s).LastSigners(ctx)
	if err != nil {
		return nil, err
	}
	return signatureTables(s).proofsOf(ctx, last)
}

// proofsOf is proofs where the event of the last state of the signers has a hash.
func (s signatureTables) proofsOf(ctx context.Context, last string) (*proof.Proofs, error) {
	proven := within[*proof.Proofs](s.session)
	if *proven == nil {
		p, err := s.trust.Proofs(ctx, s, last)
		if err != nil {
			return nil, err
		}
		*proven = p
	}
	return *proven, nil
}

// countedWaivers returns the waivers of a proposal that count: all, unless only
// those that are signed do.
func (s signatureTables) countedWaivers(ctx context.Context, of proposals.Proposal, waivers []history.Waiver) ([]history.Waiver, error) {
	p, err := signatureTables(s).proofs(ctx)
	if p == nil || err != nil {
		return waivers, err
	}
	var counted []history.Waiver
	for _, w := range waivers {
		err := p.Waiver(ctx, signatureTables(s), of, w)
		if err == nil {
			err = p.WaiverStands(ctx, signatureTables(s), of, w, waivers)
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

func (s signatureTables) counts(ctx context.Context, v history.Version) error {
	p, err := signatureTables(s).proofs(ctx)
	if p == nil || err != nil {
		return err
	}
	proof, err := p.Version(ctx, signatureTables(s), v)
	if err != nil {
		return err
	}
	return proof.Err
}
