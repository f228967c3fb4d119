// Package service assembles the review service: the desk, which every interface uses and which alone changes the state
// of proposals. It checks the authority of an actor inside the transaction of the act.
package service

import (
	"context"
	"sync"
	"time"

	"toolcrib/review"
	"toolcrib/review/assessing"
	"toolcrib/review/deciding"
	"toolcrib/review/drafting"
	"toolcrib/review/impact"
	"toolcrib/review/inspection"
	"toolcrib/review/proof"
	"toolcrib/review/reading"
	"toolcrib/review/records"
	"toolcrib/review/rules/ruleset"
)

// Desk moves proposals. It is safe for concurrent use.
//
// Each of its parts does one thing and knows no others than those it holds.
type Desk struct {
	Impact    *impact.Analyzer  // effects of proposals on prompts
	Assessing *assessing.Chief  // the Chief of Staff's review
	Reading   *reading.Reader   // reads for reviewers
	Drafting  *drafting.Drafter // proposals and their revisions
	Deciding  *deciding.Decider // decisions, and the waivers before them
	Signers   *proof.SignerLog  // states of the signers

	basis basis
}

// basis has the values that the parts of a desk are made of.
type basis struct {
	records  records.Records
	policy   review.Policy
	rules    ruleset.Set
	version  func() string // names rules and policy, and reads no rule for it
	analyzer *impact.Analyzer
	trials   *assessing.Trials
	signing  proof.Signing
	signed   *proof.Signed                       // the statement that the next act is signed by, nil for none
	contents func(sha256 string) ([]byte, error) // the bytes of binary files, nil for none
}

// New returns a desk that keeps its proposals in store. now gives the time, in
// any zone; newID gives a new UUIDv7. It returns an error when the policy names
// a rule or severity that does not exist.
func New(store review.Store, policy review.Policy, now func() time.Time, newID func() string) (*Desk, error) {
	set, err := ruleset.NewSet(policy.Severities)
	if err == nil {
		set, err = set.WithReach(policy.Reach), policy.Reach.Check()
	}
	if err != nil {
		return nil, err
	}
	if policy.MaxOpen <= 0 {
		policy.MaxOpen = review.DefaultMaxOpen
	}
	policy.MaxOpenAll = policy.OpenOfAll()
	if policy.MaxWrites <= 0 {
		policy.MaxWrites = review.DefaultMaxWrites
	}
	pool := &impact.Pool{}
	view := func(ctx context.Context, fn func(review.Reader) error) error { return store.View(ctx, fn) } // without a store, only the rules can be used
	return newDesk(basis{
		records: records.Records{Storage: store, Now: now, NewID: newID, Pool: pool}, policy: policy, rules: set,
		version:  sync.OnceValue(func() string { return ruleset.Version() + "-" + policy.Version() }),
		analyzer: impact.New(view, pool, policy.Model), trials: &assessing.Trials{},
		signing: proof.NewSigning(proof.NewTrust(policy.Signatures, policy.Approvals), now, newID),
	}), nil
}

// newDesk makes the parts of a desk.
func newDesk(b basis) *Desk {
	r := &b.records
	inspector := inspection.New(r, b.policy, b.signing, b.version)
	chief := assessing.New(r, b.policy, b.rules, b.version, b.analyzer.Counter(), b.trials)
	return &Desk{
		Impact: b.analyzer, Assessing: chief,
		Reading:  reading.New(r, inspector, b.policy),
		Drafting: drafting.New(r, chief, b.policy, b.rules, b.contents),
		Deciding: deciding.New(r, inspector, b.policy, b.rules, b.signing, b.signed),
		Signers: proof.NewSignerLog(b.signing, b.signed,
			func(ctx context.Context, fn func(proof.SignatureReader) error) error {
				return r.Storage.View(ctx, func(reader review.Reader) error { return fn(reader) })
			},
			func(ctx context.Context, fn func(proof.SignatureWriter) error) error {
				return r.Update(ctx, func(tx review.Tx) error { return fn(tx) })
			}),
		basis: b,
	}
}

// RulesVersion names the rules and the policy that assessments are made with.
func (d *Desk) RulesVersion() string { return d.basis.version() }

// with returns a desk that is made of something else.
func (d *Desk) with(change func(*basis)) *Desk {
	b := d.basis
	change(&b)
	return newDesk(b)
}

// DryRun returns a desk that performs each act completely, returns its result, and rolls it back.
func (d *Desk) DryRun() *Desk {
	return d.with(func(b *basis) { b.records.DryRun, b.signing = true, b.signing.DryRun() })
}

// Signed returns a desk whose next act uses the signed statement that Prepare returned.
func (d *Desk) Signed(s proof.Signed) *Desk {
	return d.with(func(b *basis) { b.signed = &s })
}

// WithContents returns a desk that stores the bytes of the binary files in proposals. contents returns them by their
// SHA-256, or nil if it does not have them.
func (d *Desk) WithContents(contents func(sha256 string) ([]byte, error)) *Desk {
	return d.with(func(b *basis) { b.contents = contents })
}

// Importing returns a desk that also knows JSON that is not stored yet, by hash, and stores the JSON that an import
// uses.
func (d *Desk) Importing(raws map[string][]byte) *Desk {
	return d.with(func(b *basis) { b.records.Raws = raws })
}
