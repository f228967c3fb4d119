package review

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review/approval"
	"toolcrib/review/harness"
	"toolcrib/review/impact"
	"toolcrib/review/proof"
	"toolcrib/review/rules"
	"toolcrib/review/rules/ruleset"
)

// Policy is how a team runs its desk.
type Policy struct {
	// ManualChief makes a submission wait for a chief to file an assessment;
	// otherwise the built-in reviewer files one at once.
	ManualChief bool
	// FourEyes keeps the author of a revision from approving it.
	FourEyes bool
	// RequireExpect makes the review digest mandatory for every approval.
	RequireExpect bool
	// MaxOpen bounds the open proposals of one agent; 0 means DefaultMaxOpen.
	MaxOpen int
	// MaxOpenAll bounds the open proposals of all agents together, so that
	// another name gains nothing; 0 means DefaultMaxOpenAll, or MaxOpen when that
	// is more.
	MaxOpenAll int
	// MaxWrites bounds the drafts, revisions and comments of one agent in an
	// hour; 0 means DefaultMaxWrites.
	MaxWrites int
	// Approvals has the owners of subjects, and how many of them have to approve.
	Approvals approval.Rules
	// Severities changes rules by id.
	Severities map[string]rules.Severity
	// Origins describes where settings come from, such as "user" or "project", by the
	// keys of toolcrib.toml; a missing key has its default.
	Origins map[string]string
	// Consultants are asked about every submission, beside the built-in rules.
	Consultants []Consultant
	// Model answers the test cases that have no recorded answer; nil when none
	// is connected.
	Model harness.Model
	// Signatures asks for signed decisions.
	Signatures proof.Policy
}

// DefaultMaxOpen sets how many proposals an agent may have open.
const DefaultMaxOpen = 10

// DefaultMaxOpenAll sets how many proposals all agents may have open together.
const DefaultMaxOpenAll = 50

// DefaultMaxWrites sets how many drafts, revisions and comments an agent may write
// in an hour.
const DefaultMaxWrites = 120

// OpenOfAll returns how many proposals all agents together may have open.
func (p Policy) OpenOfAll() int {
	if p.MaxOpenAll > 0 {
		return p.MaxOpenAll
	}
	return max(DefaultMaxOpenAll, p.MaxOpen)
}

// Desk moves proposals. It is safe for concurrent use.
type Desk struct {
	*impact.Analyzer // what proposals do to prompts
	*proof.SignerLog // who may sign

	store  Store
	policy Policy
	// rules are those in force; version names them and the policy, and reads no rule
	// for it.
	rules   ruleset.Set
	version func() string
	now     func() time.Time
	newID   func() string
	trials  *trials
	dryRun  bool
	// signing checks and records signatures; signed is the statement that the next
	// act is signed by, nil for none.
	signing proof.Signing
	signed  *proof.Signed
	pool    *impact.Pool
	// together holds the drafts of the same call, which go live together.
	together []proposals.Draft
	imports  bool // drafts are what an import made of a server's or a file's definitions
	// raws holds the documents that a dry run would import, by hash.
	raws map[string][]byte
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
	desk := &Desk{
		Analyzer: impact.New(view, pool, policy.Model), pool: pool,
		store: store, policy: policy, now: now, newID: newID, trials: &trials{},
		signing: proof.NewSigning(proof.NewTrust(policy.Signatures, policy.Approvals), now, newID),
		rules:   set,
		version: sync.OnceValue(func() string { return ruleset.Version() + "-" + policy.version() }),
	}
	return desk.withSignerLog(), nil
}

// DryRun returns a desk that does everything but keep it: each act runs whole,
// answers as it would, and is rolled back.
func (d *Desk) DryRun() *Desk {
	dry := *d
	dry.dryRun, dry.signing = true, d.signing.DryRun()
	return dry.withSignerLog()
}

// Signed returns a desk whose next act is the one of a signed statement that
// Prepare returned.
func (d *Desk) Signed(s proof.Signed) *Desk {
	signed := *d
	signed.signed = &s
	return signed.withSignerLog()
}

// withSignerLog gives d the log of the signers in its storage.
func (d *Desk) withSignerLog() *Desk {
	d.SignerLog = proof.NewSignerLog(d.signing, d.signed,
		func(ctx context.Context, fn func(proof.SignatureReader) error) error {
			return d.store.View(ctx, func(r Reader) error { return fn(r) })
		},
		func(ctx context.Context, fn func(proof.SignatureWriter) error) error {
			return d.update(ctx, func(tx Tx) error { return fn(tx) })
		})
	return d
}

// RulesVersion names the rules and the policy that assessments are made with.
func (d *Desk) RulesVersion() string { return d.version() }

// errDryRun rolls a dry run back.
var errDryRun = errors.New("dry run")

// update runs fn in a write transaction.
func (d *Desk) update(ctx context.Context, fn func(Tx) error) error {
	err := d.store.Update(ctx, func(tx Tx) error {
		if err := fn(cachedTx(tx, d.raws)); err != nil {
			return err
		}
		if d.dryRun {
			return errDryRun
		}
		return nil
	})
	if errors.Is(err, errDryRun) {
		return nil
	}
	return err
}

// read returns what fn reads in one snapshot.
func read[T any](ctx context.Context, d *Desk, fn func(Reader) (T, error)) (found T, err error) {
	err = d.store.View(ctx, func(r Reader) error {
		found, err = fn(r)
		return err
	})
	return found, err
}

// write returns what fn did in one write transaction.
func write[T any](ctx context.Context, d *Desk, fn func(Tx) (T, error)) (done T, err error) {
	err = d.update(ctx, func(tx Tx) error {
		done, err = fn(tx)
		return err
	})
	return done, err
}

// stamp is the current time at the resolution that is stored: microseconds.
func (d *Desk) stamp() time.Time { return d.now().UTC().Truncate(time.Microsecond) }

// log appends the event of an act: at is the time of the act, record the seal of
// its record, data further details.
func (d *Desk) log(ctx context.Context, tx Tx, actor proposals.Actor, act string, p proposals.Proposal, at time.Time, record string, data map[string]any) error {
	e, err := d.event(actor, act, p, at, record, data)
	if err != nil {
		return err
	}
	return tx.AppendEvents(ctx, []history.Event{e})
}

// event returns the event that log appends.
func (d *Desk) event(actor proposals.Actor, act string, p proposals.Proposal, at time.Time, record string, data map[string]any) (history.Event, error) {
	e, err := history.NewEvent(d.newID(), act, actor.String(), at, data)
	e.Subject, e.Proposal, e.Revision, e.Record = p.Subject.String(), string(p.ID), p.Revision, record
	return e, err
}

// Reference returns the name of a proposal on the command line: its number, or
// its id before it has one.
func Reference(p proposals.Proposal) string {
	if p.Issue > 0 {
		return strconv.Itoa(p.Issue)
	}
	return string(p.ID)
}

// world is a rules.World that answers from a snapshot.
type world struct {
	RegistryReader
	coming []registry.Live // lists that go live together with the draft
}

func (w world) Lists(ctx context.Context) ([]registry.Live, error) {
	lists, err := w.RegistryReader.Lists(ctx)
	if err != nil {
		return nil, err
	}
	for _, l := range w.coming {
		lists = append(slices.DeleteFunc(lists, func(other registry.Live) bool { return other.Subject == l.Subject }), l)
	}
	return lists, nil
}

func (w world) Alike(ctx context.Context, t *rules.Peer) ([]*rules.Peer, error) {
	found, err := w.RegistryReader.Alike(ctx, t.Fingerprint())
	return rules.Peers(found), err
}

// Errors of the desk. Errors on the way up wrap one of these (or
// proposals.ErrAuthority, proposals.ErrState) and name the object.
var (
	ErrAmbiguous   = errors.New("ambiguous")
	ErrStale       = errors.New("stale")
	ErrDigest      = errors.New("review digest differs")
	ErrChangeSet   = errors.New("change set is not complete")
	ErrLocked      = errors.New("locked (core)")
	ErrBlocked     = errors.New("open block")
	ErrLimit       = errors.New("too many open proposals")
	ErrPace        = errors.New("hourly limit reached")
	ErrExcess      = errors.New("size limit exceeded")
	ErrRepeated    = errors.New("rejected before")
	ErrIncomplete  = errors.New("incomplete")
	ErrNoReason    = errors.New("a reason is missing")
	ErrNoExpect    = errors.New("review digest is missing")
	ErrNotWaivable = errors.New("cannot be waived")
	ErrNotWaived   = errors.New("no waiver covers it")
	ErrReadOnly    = errors.New("the database is read-only")
	ErrMerge       = errors.New("conflicting changes")
)

// ErrOutdated is the ErrConflict of an assessment that covers other content or other
// rules than those in force; another assessment removes it.
var ErrOutdated = fmt.Errorf("%w", proposals.ErrConflict)
