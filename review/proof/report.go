// This file verifies all signatures of a database and counts them.

package proof

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"golang.org/x/sync/errgroup"

	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/signing/signers"
	"toolcrib/signing/statement"
)

// Report contains the numbers of signed records by the status of their signatures.
type Report struct {
	Started        bool             `json:"-"`                     // signing has started in this database
	Signed         int64            `json:"signed"`                // number of records with a valid signature
	UnsignedBefore int64            `json:"unsigned_before_start"` // number of unsigned decisions before signing started
	Unsigned       int64            `json:"unsigned"`              // number of unsigned decisions after signing started
	UnknownKey     int64            `json:"unknown_key"`           // number of records signed by an unknown key
	RevokedKey     int64            `json:"revoked_key"`
	TooFew         int64            `json:"too_few_approvals,omitempty"` // number of versions with fewer approvals by owners than the policy requires
	Invalid        int64            `json:"invalid"`                     // number of other invalid records
	Damage         []history.Damage `json:"-"`
}

// Lines returns a line for each count. It omits counts of 0, except the number of signed decisions.
func (r *Report) Lines() []string {
	var lines []string
	for i, c := range []struct {
		n          int64
		noun, rest string
	}{
		{r.Signed, "signed decision", ""},
		{r.UnsignedBefore, "unsigned decision", " from before signing started"},
		{r.Unsigned, "unsigned decision", " from after signing started"},
		{r.UnknownKey, "decision", " signed by an unknown key"},
		{r.RevokedKey, "decision", " signed by a revoked key"},
		{r.TooFew, "version", " with fewer signatures than the policy requires"},
		{r.Invalid, "decision", " with an invalid signature"},
	} {
		if c.n != 1 {
			c.noun += "s"
		}
		if i == 0 || c.n > 0 {
			lines = append(lines, fmt.Sprintf("%d %s%s", c.n, c.noun, c.rest))
		}
	}
	return lines
}

// maxSignatureDamage is the maximum number of failures that a report lists. The counts include all failures.
const maxSignatureDamage = 1000

// SignedRecords reads the records for a report from one snapshot. Its Each methods call fn for each record of one kind.
// event is the number of the log event for the record, or 0 if there is no such event.
type SignedRecords interface {
	SignatureReader
	// EachVersion calls fn for each version, with the number of the event that recorded the approval. EachDecision
	// reads the decisions other than approvals. EachOther reads the answers to calls and the tiers.
	EachVersion(ctx context.Context, fn func(v history.Version, event int64) error) error
	EachDecision(ctx context.Context, fn func(d proposals.Decision, event int64) error) error
	EachWaiver(ctx context.Context, fn func(p proposals.Proposal, w history.Waiver, event int64) error) error
	EachOther(ctx context.Context, fn func(r SignedRecord, event int64) error) error
	EachSignature(ctx context.Context, fn func(SignatureRecord) error) error
}

// SignedRecord is a record together with the act that its signed statement must contain.
type SignedRecord struct {
	Table, What   string
	Signature, By string
	Act           statement.Act
	Note          string
}

// CheckSignatures verifies all signatures in a snapshot. It also checks that the records of all signed statements
// exist. If signing has not started and is not required, it reports no problems.
func (t *Trust) CheckSignatures(ctx context.Context, r SignedRecords) (Report, error) {
	c := signatureCheck{seen: map[string]int{}}
	states, err := r.SignersStates(ctx)
	if err != nil || len(states) == 0 && !t.Required() {
		return c.report, err
	}
	last, err := r.LastSigners(ctx)
	if err != nil {
		return c.report, err
	}
	if c.proofs, err = t.Proofs(ctx, r, last); err != nil {
		return c.report, err
	}
	if c.proofs.err != nil {
		c.damage("events", "signers", c.proofs.err)
	}
	if len(states) > 0 {
		c.report.Started = true
		c.start = states[0].Event.Seq
	}
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	err = errors.Join(
		r.EachSignature(ctx, func(s SignatureRecord) error { // r is not safe for concurrent use, so only proveOnce runs concurrently; it takes most of the time
			g.Go(func() error {
				c.proofs.proveOnce(s, s.Hash)
				return nil
			})
			return nil
		}),
		g.Wait(),
		r.EachVersion(ctx, func(v history.Version, event int64) error {
			proof, err := c.proofs.Version(ctx, r, v)
			switch {
			case err != nil:
				return err
			case proof.Err == nil && v.Proposal == "":
				return nil // v is shipped
			case proof.Err == nil:
				c.seen[v.Signature]++
			}
			return c.count("versions", fmt.Sprintf("%s version %d", v.Subject, v.Number), event, proof.Err)
		}),
		r.EachDecision(ctx, func(d proposals.Decision, event int64) error {
			key := fmt.Sprintf("%s of revision %d of %s", d.Verdict, d.Revision, d.Subject)
			if d.Verdict != proposals.VerdictEndorsed {
				return c.count("decisions", key, event, c.proofs.Decision(ctx, r, d, d.By.String(), "", ""))
			}
			_, err := c.proofs.Endorsement(ctx, r, d, 0, "")
			if err == nil {
				c.seen[d.Signature]++
			}
			return c.count("decisions", key, event, err)
		}),
		r.EachWaiver(ctx, func(p proposals.Proposal, w history.Waiver, event int64) error {
			return c.count("waivers", w.ID, event, c.proofs.Waiver(ctx, r, p, w))
		}),
		r.EachOther(ctx, func(o SignedRecord, event int64) error {
			return c.count(o.Table, o.What, event, c.proofs.Act(ctx, r, o.Signature, o.What, o.By, time.Time{}, o.Act, o.Note))
		}),
		r.EachSignature(ctx, func(s SignatureRecord) error { // each statement must refer to this log, and the versions that it approved must exist
			st, err := statement.Decode([]byte(s.Statement))
			if err != nil {
				c.damage("signatures", s.Hash, err)
				return nil //nolint:nilerr // the damage is reported
			}
			seen, err := r.EventHash(ctx, st.Log.Seq)
			if err != nil && !errors.Is(err, proposals.ErrNotFound) {
				return err
			}
			if seen != st.Log.Hash {
				c.damage("signatures", s.Hash, fmt.Errorf("%s signed a different event %d: the statement is about another log", st.By, st.Log.Seq))
			}
			if known, err := c.proofs.statement(ctx, r, s.Hash); known == nil || err != nil {
				return nil //nolint:nilerr // the record that refers to the statement is reported
			}
			if d, ok := st.Act.(*statement.Decision); ok && d.Verdict == statement.Approved && c.seen[s.Hash] != len(d.Items) {
				c.damage("signatures", s.Hash, fmt.Errorf("%s approved %d proposals, but versions or approvals exist for only %d of them", st.By, len(d.Items), c.seen[s.Hash]))
			}
			return nil
		}),
	)
	return c.report, err
}

// signatureCheck is the state of CheckSignatures.
type signatureCheck struct {
	proofs *Proofs
	start  int64          // number of the event that started signing, or 0
	seen   map[string]int // maps the hash of a statement to the number of versions and endorsements that refer to the statement
	report Report
}

// count adds a record to one of the counts of the report. err is the result of verifying the signature of the record.
// If the verification failed, count also adds the failure to the list of damage.
func (c *signatureCheck) count(table, key string, event int64, err error) error {
	r := &c.report
	switch {
	case err == nil:
		r.Signed++
		return nil
	case !Refuses(err):
		return err
	case errors.Is(err, ErrUnsigned) && event > 0 && event < c.start:
		r.UnsignedBefore++
		return nil
	case errors.Is(err, ErrUnsigned):
		r.Unsigned++
	case errors.Is(err, signers.ErrUnknownKey):
		r.UnknownKey++
	case errors.Is(err, signers.ErrRevoked):
		r.RevokedKey++
	case errors.Is(err, proposals.ErrApprovals):
		r.TooFew++
	default:
		r.Invalid++
	}
	c.damage(table, key, err)
	return nil
}

// damage adds a failure and its remedy to the report.
func (c *signatureCheck) damage(table, key string, err error) {
	if len(c.report.Damage) >= maxSignatureDamage {
		return
	}
	d := history.Damage{Table: table, Key: key, Message: err.Error() + "."}
	switch { // a modified record has no remedy
	case errors.Is(err, signers.ErrRevoked):
		d.Remedy = "The key was revoked after the decision was signed. Make the decision again with another key."
	case errors.Is(err, signers.ErrUnknownKey), errors.Is(err, signers.ErrNotValid):
		d.Remedy = "Correct the signers file, or have a signer make the decision again."
	case errors.Is(err, proposals.ErrApprovals):
		d.Remedy = "Have the missing owners approve the version again."
	case errors.Is(err, ErrSigners) && !errors.Is(err, proposals.ErrTampered):
		d.Remedy = "Find and correct the problem with the signers: toolcrib signers verify."
	}
	c.report.Damage = append(c.report.Damage, d)
}
