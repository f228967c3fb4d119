package review

import (
	"context"
	"fmt"
	"slices"

	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/signing/statement"
)

// A row can be deleted together with everything that follows from it, and what it replaced
// is then the newest row again, signed as ever. So a row counts only as long as no newer
// signed statement is about the same.

// Newest returns nil unless a statement approved a later version of a subject than the
// proven one, which wraps ErrTampered. endorsed reports whether an approval was recorded
// as one that waits for others: it made no version.
func (p *Proofs) Newest(ctx context.Context, r SignatureReader, proof *Proof, endorsed func(ctx context.Context, hash string, proposal proposals.ID) (bool, error)) error {
	subject := proof.Subject.String()
	hashes, err := r.SignedAfter(ctx, subject, proof.Signature)
	if err != nil {
		return err
	}
	if proof.Signature != "" {
		hashes = append(hashes, proof.Signature) // which may have approved two versions
	}
	for _, hash := range hashes {
		s, err := p.statement(ctx, r, hash)
		if Refuses(err) {
			continue
		}
		if err != nil {
			return err
		}
		item := s.newest[subject]
		if item.Version <= proof.Number {
			continue
		}
		waits, err := endorsed(ctx, hash, proposals.ID(item.Proposal))
		if err != nil {
			return err
		}
		if !waits {
			return fmt.Errorf("version %d of %s: %w: %s signed version %d, which is missing", proof.Number, subject, ErrTampered, s.By, item.Version)
		}
	}
	return nil
}

// WaiverStands returns nil unless a signed waiver of the same finding is newer than w, or
// ends it, and is not among those that are stored. Its error wraps ErrTampered.
func (p *Proofs) WaiverStands(ctx context.Context, r SignatureReader, of proposals.Proposal, w history.Waiver, stored []history.Waiver) error {
	return p.newestAbout(ctx, r, waiverAct(of, w), w.Signature, "the waiver of "+w.Rule, func(s *provenStatement, hash string) bool {
		return slices.ContainsFunc(stored, func(o history.Waiver) bool { return o.Signature == hash })
	})
}

// TierStands returns nil unless a user's tier of a tool was set by a newer statement than
// the one of a hash, "" for none. Its error wraps ErrTampered.
func (p *Proofs) TierStands(ctx context.Context, r SignatureReader, act *statement.Tier, hash string) error {
	return p.newestAbout(ctx, r, act, hash, "the tier of "+act.Tools[0], func(s *provenStatement, _ string) bool {
		other, ok := s.Act.(*statement.Tier)
		return !ok || other.User != act.User
	})
}

// newestAbout returns nil unless a statement that holds is about the same as act, which
// is about one thing, and newer than the one of a hash. apart reports that it replaces
// nothing here; what names the record.
func (p *Proofs) newestAbout(ctx context.Context, r SignatureReader, act statement.Act, hash, what string, apart func(s *provenStatement, hash string) bool) error {
	hashes, err := r.SignedAfter(ctx, statement.About(act)[0], hash)
	if err != nil {
		return err
	}
	for _, newer := range hashes {
		s, err := p.statement(ctx, r, newer)
		switch {
		case err != nil && !Refuses(err):
			return err
		case err == nil && !apart(s, newer):
			return fmt.Errorf("%s: %w: %s signed a newer one, which is missing", what, ErrTampered, s.By)
		}
	}
	return nil
}
