package review

import (
	"context"
	"sync"
	"time"

	"toolcrib/review/impact"
	"toolcrib/review/proof"
	"toolcrib/review/rules/ruleset"
)

// Desk moves proposals. It is safe for concurrent use.
//
// Its parts know no others than those they hold: an office keeps the state, from which any
// other desk is made; the tallies count approvals; the chief reviews; one part reads, one
// drafts, and one decides.
type Desk struct {
	*office
	*tallies
	*chief
	*reading
	*drafting
	*deciding
	*proof.SignerLog // who may sign
}

// New returns a desk that keeps its proposals in store. now gives the time, in
// any zone; newID gives a new UUIDv7. It returns an error when the policy names
// a rule or severity that does not exist.
func New(store Store, policy Policy, now func() time.Time, newID func() string) (*Desk, error) {
	set, err := ruleset.NewSet(policy.Severities)
	if err != nil {
		return nil, err
	}
	if policy.MaxOpen <= 0 {
		policy.MaxOpen = DefaultMaxOpen
	}
	policy.MaxOpenAll = policy.OpenOfAll()
	if policy.MaxWrites <= 0 {
		policy.MaxWrites = DefaultMaxWrites
	}
	pool := &impact.Pool{}
	view := func(ctx context.Context, fn func(Reader) error) error { return store.View(ctx, fn) } // there is no store where only the rules are asked for
	return newDesk(&office{
		Analyzer: impact.New(view, pool, policy.Model), pool: pool,
		store: store, policy: policy, now: now, newID: newID, trials: &trials{},
		signing: proof.NewSigning(proof.NewTrust(policy.Signatures, policy.Approvals), now, newID),
		rules:   set,
		version: sync.OnceValue(func() string { return ruleset.Version() + "-" + policy.version() }),
	}), nil
}

// newDesk returns the desk of an office.
func newDesk(o *office) *Desk {
	t, c := &tallies{o}, &chief{office: o}
	r := &reading{o, t}
	return &Desk{office: o, tallies: t, chief: c, reading: r, drafting: &drafting{o, c, false}, deciding: &deciding{o, t, r}, SignerLog: o.signerLog()}
}

// DryRun returns a desk that does everything but keep it: each act runs whole,
// answers as it would, and is rolled back.
func (d *Desk) DryRun() *Desk {
	dry := *d.office
	dry.dryRun, dry.signing = true, d.signing.DryRun()
	return newDesk(&dry)
}

// Signed returns a desk whose next act is the one of a signed statement that
// Prepare returned.
func (d *Desk) Signed(s proof.Signed) *Desk {
	signed := *d.office
	signed.signed = &s
	return newDesk(&signed)
}

// WithContents returns a desk that stores the bytes of the binary files that it is
// proposed. contents returns them by their SHA-256, nil for those that it does not know.
func (d *Desk) WithContents(contents func(sha256 string) ([]byte, error)) *Desk {
	o := *d.office
	o.contents = contents
	return newDesk(&o)
}

// Importing returns a desk whose dry runs know JSON that is not kept, by hash:
// what an import would have kept first.
func (d *Desk) Importing(raws map[string][]byte) *Desk {
	importing := *d.office
	if d.dryRun {
		importing.raws = raws
	}
	return newDesk(&importing)
}
