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
// Each of its parts does one thing and knows no others than those it holds.
type Desk struct {
	office    *office
	Impact    *impact.Analyzer // what proposals do to prompts
	Assessing *chief           // the Chief of Staff's review
	Reading   *reading         // what a reviewer is shown
	Drafting  *drafting        // proposals and their revisions
	Deciding  *deciding        // decisions, and the waivers before them
	Signers   *proof.SignerLog // who may sign
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
	return &Desk{office: o, Impact: o.Analyzer, Assessing: c, Reading: r, Drafting: &drafting{o, c, false}, Deciding: &deciding{o, t, r}, Signers: o.signerLog()}
}

// RulesVersion names the rules and the policy that assessments are made with.
func (d *Desk) RulesVersion() string { return d.office.RulesVersion() }

// DryRun returns a desk that does everything but keep it: each act runs whole,
// answers as it would, and is rolled back.
func (d *Desk) DryRun() *Desk {
	dry := *d.office
	dry.dryRun, dry.signing = true, d.office.signing.DryRun()
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
	if d.office.dryRun {
		importing.raws = raws
	}
	return newDesk(&importing)
}
