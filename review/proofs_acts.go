package review

import (
	"context"
	"fmt"
	"strings"
	"time"

	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/signing/statement"
)

// Decision returns nil when a statement has the decision d of by. previous and sum
// are those of the version that an approval wrote, "" for other verdicts.
func (p *Proofs) Decision(ctx context.Context, r SignatureReader, d Decision, by, previous, sum string) error {
	what := fmt.Sprintf("revision %d of %s, %s by %s", d.Revision, d.Subject, d.Verdict, by)
	if d.Signature == "" {
		return fmt.Errorf("%s: %w", what, ErrUnsigned)
	}
	s, err := p.statement(ctx, r, d.Signature)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	act, ok := s.Act.(*statement.Decision)
	want := itemOf(d)
	want.Version, want.Previous, want.Sum = d.Version, previous, sum
	if !ok || string(act.Verdict) != string(d.Verdict) || s.items[want.Proposal] != want || !s.of(by, d.At, d.Note) {
		return fmt.Errorf("%s: %w: its statement covers other content", what, ErrSignature)
	}
	return nil
}

// itemOf returns what the statement of a decision has of d, without the version.
func itemOf(d Decision) statement.Item {
	return statement.Item{
		Proposal: string(d.Proposal), Revision: d.Revision, Subject: d.Subject.String(), ContentHash: d.ContentHash, ReviewDigest: d.ReviewDigest,
	}
}

// of reports whether the statement is by a principal, of a time, with a note.
func (s *provenStatement) of(by string, at time.Time, note string) bool {
	return s.By == by && s.At.Equal(at) && s.Note == statement.Text(note)
}

// Act returns nil when the statement of a hash is by a principal, of a time (zero
// for any), about act and note. what names the record in errors.
func (p *Proofs) Act(ctx context.Context, r SignatureReader, hash, what, by string, at time.Time, act statement.Act, note string) error {
	if hash == "" {
		return fmt.Errorf("%s: %w", what, ErrUnsigned)
	}
	s, err := p.statement(ctx, r, hash)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	if at.IsZero() {
		at = s.At
	}
	encoded, err := statement.Encode(statement.Statement{Database: s.Database, Log: s.Log, By: by, At: at, Act: act, Note: statement.Text(note)})
	if err != nil || string(encoded) != s.encoded {
		return fmt.Errorf("%s: %w: its statement covers other content", what, ErrSignature)
	}
	return nil
}

// Waiver returns nil when a waiver of a proposal counts.
func (p *Proofs) Waiver(ctx context.Context, r SignatureReader, of proposals.Proposal, w history.Waiver) error {
	if need := p.rules.For(of.Subject, w.At); !need.MayWaive(w.By) {
		return fmt.Errorf("the waiver of %s in %s: %w: the policy has only %s waive a finding, and it is by %s", w.Rule, of.Subject, ErrSignature, strings.Join(need.Waivers(), ", "), w.By)
	}
	return p.Act(ctx, r, w.Signature, fmt.Sprintf("the waiver of %s in %s", w.Rule, of.Subject), w.By, w.At, waiverAct(of, w), w.Reason)
}
