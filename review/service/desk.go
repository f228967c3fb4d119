// Package service assembles the review service. All user interfaces use its Desk, and only the Desk changes the state
// of proposals. In each transaction, the Desk checks the authority of the actor before it performs the act.
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

// Desk is the review service. It is safe for concurrent use.
//
// Each part has a single task. A part does not refer to the desk, but only to the parts that it needs.
type Desk struct {
	Impact    *impact.Analyzer  // effects of proposals on prompts
	Assessing *assessing.Chief  // assessments by the Chief of Staff
	Reading   *reading.Reader   // dossiers and lists for reviewers
	Drafting  *drafting.Drafter // proposals and their revisions
	Deciding  *deciding.Decider // decisions and waivers
	Signers   *proof.SignerLog  // states of the signers

	basis basis
}

// basis contains the values that newDesk needs to create the parts of a desk.
type basis struct {
	records  records.Records
	policy   review.Policy
	rules    ruleset.Set
	version  func() string // identifies the rules and the policy; does not load any rules
	analyzer *impact.Analyzer
	trials   *assessing.Trials
	signing  proof.Signing
	signed   *proof.Signed                       // signed statement for the next act, or nil
	contents func(sha256 string) ([]byte, error) // returns the bytes of binary files; may be nil
}

// New returns a desk that stores its data in store. The function now returns the current time, in any time zone. The
// function newID returns a new UUIDv7. New returns an error if the policy contains an unknown rule or severity.
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
	view := func(ctx context.Context, fn func(review.Reader) error) error { return store.View(ctx, fn) } // deferred, because a desk without a store can still apply the rules
	return newDesk(basis{
		records: records.Records{Storage: store, Now: now, NewID: newID, Pool: pool}, policy: policy, rules: set,
		version:  sync.OnceValue(func() string { return ruleset.Version() + "-" + policy.Version() }),
		analyzer: impact.New(view, pool), trials: &assessing.Trials{},
		signing: proof.NewSigning(proof.NewTrust(policy.Signatures, policy.Approvals), now, newID),
	}), nil
}

// newDesk creates a desk from b.
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

// RulesVersion returns the identifier of the rules and the policy that new assessments use.
func (d *Desk) RulesVersion() string { return d.basis.version() }

// with returns a new desk. The function change modifies a copy of the basis of d, which becomes the basis of the new
// desk.
func (d *Desk) with(change func(*basis)) *Desk {
	b := d.basis
	change(&b)
	return newDesk(b)
}

// DryRun returns a desk that performs each act and returns its result, but then rolls the transaction back.
func (d *Desk) DryRun() *Desk {
	return d.with(func(b *basis) { b.records.DryRun, b.signing = true, b.signing.DryRun() })
}

// Signed returns a desk that uses s as the signed statement for its next act. A Prepare method returned the statement
// in s.
func (d *Desk) Signed(s proof.Signed) *Desk {
	return d.with(func(b *basis) { b.signed = &s })
}

// WithContents returns a desk that stores the bytes of the binary files in new proposals. contents returns the bytes
// of the file with the given SHA-256, or nil if they are not available.
func (d *Desk) WithContents(contents func(sha256 string) ([]byte, error)) *Desk {
	return d.with(func(b *basis) { b.contents = contents })
}

// Importing returns a desk that can also read the imported JSON in raws, which is indexed by hash. An import stores the
// elements of raws that it uses.
func (d *Desk) Importing(raws map[string][]byte) *Desk {
	return d.with(func(b *basis) { b.records.Raws = raws })
}
