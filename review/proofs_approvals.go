package review

import (
	"context"
	"fmt"
	"slices"

	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/signing/statement"
)

// Endorsement returns the key that signed an approval which waited for another, or
// why that does not count. version and previous are the place of the version that
// it is about; 0 when that is not known.
func (p *Proofs) Endorsement(ctx context.Context, r SignatureReader, d Decision, version int, previous string) (key string, err error) {
	what := fmt.Sprintf("revision %d of %s, approved by %s", d.Revision, d.Subject, d.By)
	if d.Signature == "" {
		return "", fmt.Errorf("%s: %w", what, ErrUnsigned)
	}
	s, err := p.statement(ctx, r, d.Signature)
	if err != nil {
		return "", fmt.Errorf("%s: %w", what, err)
	}
	act, ok := s.Act.(*statement.Decision)
	got := s.items[string(d.Proposal)]
	want := itemOf(d)
	want.Version, want.Previous, want.Sum = version, previous, got.Sum // of the version that it would have made by itself
	if version == 0 {
		want.Version, want.Previous = got.Version, got.Previous
	}
	if !ok || act.Verdict != statement.Approved || got != want || !s.of(d.By.String(), d.At, d.Note) {
		return "", fmt.Errorf("%s: %w: its statement covers other content", what, ErrSignature)
	}
	return s.signer.Fingerprint, nil
}

// enough returns nil when the owners whom the policy asks for signed the approval
// of a version, whose last approval counts: distinct principals with distinct keys.
func (p *Proofs) enough(ctx context.Context, r SignatureReader, v history.Version) error {
	need := p.rules.For(v.Subject, v.DecidedAt)
	if len(need) == 0 {
		return nil
	}
	last, err := p.statement(ctx, r, v.Signature)
	if err != nil {
		return err
	}
	by, keys, refused := []string{v.DecidedBy}, []string{last.signer.Fingerprint}, ""
	for _, a := range v.Approvals {
		who, err := proposals.ParseActor(a.By)
		if err != nil {
			continue // nobody else can sign
		}
		key, err := p.Endorsement(ctx, r, Decision{
			Proposal: proposals.ID(v.Proposal), Subject: v.Subject, Revision: v.Revision, ContentHash: v.ContentHash, Note: a.Note, By: who,
			At: a.At, ReviewDigest: a.ReviewDigest, Signature: a.Signature,
		}, v.Number, v.PrevHash)
		switch {
		case err == nil && slices.Contains(keys, key):
			refused += fmt.Sprintf("; the approval of %s has the key of another", a.By)
		case err == nil:
			by, keys = append(by, a.By), append(keys, key)
		case !Refuses(err):
			return err
		default:
			refused += "; " + err.Error()
		}
	}
	if tally := need.Tally(by, ""); !tally.Done() {
		return fmt.Errorf("version %d of %s: %w: it has %s%s", v.Number, v.Subject, ErrApprovals, tally, refused)
	}
	return nil
}
