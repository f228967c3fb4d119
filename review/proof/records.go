// This file verifies the signatures of decisions, waivers, endorsements, and other acts.

package proof

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/signing/statement"
)

// Decision returns nil if a valid statement contains the decision d and has the given principal. For an approval,
// previous is the hash of the previous version, and sum is the unsigned sum of the version that the approval created.
// For any other verdict, both are "".
func (p *Proofs) Decision(ctx context.Context, r SignatureReader, d proposals.Decision, principal, previous, sum string) error {
	what := fmt.Sprintf("revision %d of %s, %s by %s", d.Revision, d.Subject, d.Verdict, principal)
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
	if !ok || string(act.Verdict) != string(d.Verdict) || s.items[want.Proposal] != want || !s.of(principal, d.At, d.Note) {
		return fmt.Errorf("%s: %w: its statement covers other content", what, ErrSignature)
	}
	return nil
}

// itemOf returns the item for d in a signed statement, without the fields for the version.
func itemOf(d proposals.Decision) statement.Item {
	return statement.Item{
		Proposal: string(d.Proposal), Revision: d.Revision, Subject: d.Subject.String(), ContentHash: d.ContentHash, ReviewDigest: d.ReviewDigest,
	}
}

// of reports whether s has the given principal, time, and note.
func (s *provenStatement) of(by string, at time.Time, note string) bool {
	return s.By == by && s.At.Equal(at) && s.Note == statement.Text(note)
}

// Act returns nil if the statement with the given hash is valid and has the given principal, timestamp, act, and note.
// If timestamp is zero, any time is accepted. label describes the record in error messages.
func (p *Proofs) Act(ctx context.Context, r SignatureReader, hash, label, principal string, timestamp time.Time, act statement.Act, note string) error {
	if hash == "" {
		return fmt.Errorf("%s: %w", label, ErrUnsigned)
	}
	s, err := p.statement(ctx, r, hash)
	if err != nil {
		return fmt.Errorf("%s: %w", label, err)
	}
	if timestamp.IsZero() {
		timestamp = s.At
	}
	if t, ok := act.(*statement.Tier); ok { // the statement may also set the tier of other tools
		all, ok := s.Act.(*statement.Tier)
		if !ok || all.Tier != t.Tier || all.User != t.User || !s.of(principal, timestamp, note) || slices.ContainsFunc(t.Tools, func(tool string) bool { return !s.tools[tool] }) {
			return fmt.Errorf("%s: %w: its statement covers other content", label, ErrSignature)
		}
		return nil
	}
	encoded, err := statement.Encode(statement.Statement{Database: s.Database, Log: s.Log, By: principal, At: timestamp, Act: act, Note: statement.Text(note)})
	if err != nil || string(encoded) != s.encoded {
		return fmt.Errorf("%s: %w: its statement covers other content", label, ErrSignature)
	}
	return nil
}

// Waiver returns nil if w has a valid signature by a user who may waive findings. proposal contains the waived finding.
func (p *Proofs) Waiver(ctx context.Context, r SignatureReader, proposal proposals.Proposal, w history.Waiver) error {
	if need := p.rules.For(proposal.Subject, w.At); !need.MayWaive(w.By) {
		return fmt.Errorf("the waiver of %s in %s: %w: by policy, only %s can waive a finding, but the waiver is by %s", w.Rule, proposal.Subject, ErrSignature, strings.Join(need.Waivers(), ", "), w.By)
	}
	return p.Act(ctx, r, w.Signature, fmt.Sprintf("the waiver of %s in %s", w.Rule, proposal.Subject), w.By, w.At, WaiverAct(proposal, w), w.Reason)
}

// Endorsement returns the key that signed the endorsement d, or the reason why d is not valid. version is the number of
// the version that results from the endorsed approval, or 0 if it is unknown. previous is the hash of the preceding
// version.
func (p *Proofs) Endorsement(ctx context.Context, r SignatureReader, d proposals.Decision, version int, previous string) (key string, err error) {
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
	want.Version, want.Previous, want.Sum = version, previous, got.Sum // the values that the version would have without other approvals
	if version == 0 {
		want.Version, want.Previous = got.Version, got.Previous
	}
	if !ok || act.Verdict != statement.Approved || got != want || !s.of(d.By.String(), d.At, d.Note) {
		return "", fmt.Errorf("%s: %w: its statement covers other content", what, ErrSignature)
	}
	return s.signer.Fingerprint, nil
}

// enough checks the approvals of v. It returns nil if all owners required by the policy approved v and signed with
// different keys. The caller must have verified the last approval.
func (p *Proofs) enough(ctx context.Context, r SignatureReader, v history.Version) error {
	var names []string
	if v.Subject.Kind == registry.KindTool && p.rules.Named() {
		d, err := v.Decode()
		if err != nil {
			return err
		}
		names = d.OtherNames()
	}
	need := p.rules.For(v.Subject, v.DecidedAt, names...)
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
			continue // only users can sign
		}
		key, err := p.Endorsement(ctx, r, proposals.Decision{
			Proposal: proposals.ID(v.Proposal), Subject: v.Subject, Revision: v.Revision, ContentHash: v.ContentHash, Note: a.Note, By: who,
			At: a.At, ReviewDigest: a.ReviewDigest, Signature: a.Signature,
		}, v.Number, v.PrevHash)
		switch {
		case err == nil && slices.Contains(keys, key):
			refused += fmt.Sprintf("; the approval of %s was signed with the key of another owner", a.By)
		case err == nil:
			by, keys = append(by, a.By), append(keys, key)
		case !Refuses(err):
			return err
		default:
			refused += "; " + err.Error()
		}
	}
	if tally := need.Tally(by, ""); !tally.Done() {
		return fmt.Errorf("version %d of %s: %w: the version has %s%s", v.Number, v.Subject, proposals.ErrApprovals, tally, refused)
	}
	return nil
}

// endorsementReader reads the records that are needed to verify an endorsement.
type endorsementReader interface {
	SignatureReader
	Version(ctx context.Context, s registry.Subject, number int) (history.Version, error)
}

// Endorses returns the key that signed e, an endorsement of p, or the reason why e is not valid. If the database does
// not use signatures, Endorses accepts every recorded endorsement and returns "".
func (s Signing) Endorses(ctx context.Context, r endorsementReader, e proposals.Decision, p proposals.Proposal) (key string, err error) {
	if !s.trust.Required() {
		states, err := r.SignersStates(ctx)
		if err != nil || len(states) == 0 {
			return "", err
		}
	}
	last, err := r.LastSigners(ctx)
	if err != nil {
		return "", err
	}
	proofs, err := s.trust.Proofs(ctx, r, last)
	if err != nil {
		return "", err
	}
	previous := ""
	if p.BaseVersion > 0 {
		base, err := r.Version(ctx, p.Subject, p.BaseVersion)
		if err != nil {
			return "", err
		}
		previous = base.Hash
	}
	return proofs.Endorsement(ctx, r, e, p.BaseVersion+1, previous)
}
