package review

import (
	"context"
	"errors"
	"time"

	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/review/impact"
	"toolcrib/review/proof"
	"toolcrib/review/rules/ruleset"
)

// office holds the state that every part of a desk works with. It does not change: a desk that
// differs in something has an office of its own.
type office struct {
	*impact.Analyzer // what proposals do to prompts

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
	// raws holds the documents that a dry run would import, by hash.
	raws map[string][]byte
	// contents returns the bytes of binary files in proposals, by their SHA-256; nil for
	// those that it does not know.
	contents func(sha256 string) ([]byte, error)
}

// RulesVersion names the rules and the policy that assessments are made with.
func (o *office) RulesVersion() string { return o.version() }

// signerLog returns the log of the signers in the storage.
func (o *office) signerLog() *proof.SignerLog {
	return proof.NewSignerLog(o.signing, o.signed,
		func(ctx context.Context, fn func(proof.SignatureReader) error) error {
			return o.store.View(ctx, func(r Reader) error { return fn(r) })
		},
		func(ctx context.Context, fn func(proof.SignatureWriter) error) error {
			return o.update(ctx, func(tx Tx) error { return fn(tx) })
		})
}

// errDryRun rolls a dry run back.
var errDryRun = errors.New("dry run")

// update runs fn in a write transaction.
func (o *office) update(ctx context.Context, fn func(Tx) error) error {
	err := o.store.Update(ctx, func(tx Tx) error {
		if err := fn(cachedTx(tx, o.raws)); err != nil {
			return err
		}
		if o.dryRun {
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
func read[T any](ctx context.Context, o *office, fn func(Reader) (T, error)) (found T, err error) {
	err = o.store.View(ctx, func(r Reader) error {
		found, err = fn(r)
		return err
	})
	return found, err
}

// write returns what fn did in one write transaction.
func write[T any](ctx context.Context, o *office, fn func(Tx) (T, error)) (done T, err error) {
	err = o.update(ctx, func(tx Tx) error {
		done, err = fn(tx)
		return err
	})
	return done, err
}

// stamp is the current time at the resolution that is stored: microseconds.
func (o *office) stamp() time.Time { return o.now().UTC().Truncate(time.Microsecond) }

// log appends the event of an act: at is the time of the act, record the seal of
// its record, data further details.
func (o *office) log(ctx context.Context, tx Tx, actor proposals.Actor, act string, p proposals.Proposal, at time.Time, record string, data map[string]any) error {
	e, err := o.event(actor, act, p, at, record, data)
	if err != nil {
		return err
	}
	return tx.AppendEvents(ctx, []history.Event{e})
}

// event returns the event that log appends.
func (o *office) event(actor proposals.Actor, act string, p proposals.Proposal, at time.Time, record string, data map[string]any) (history.Event, error) {
	e, err := history.NewEvent(o.newID(), act, actor.String(), at, data)
	e.Subject, e.Proposal, e.Revision, e.Record = p.Subject.String(), string(p.ID), p.Revision, record
	return e, err
}

// tallies counts the approvals that subjects need.
type tallies struct{ *office }

// chief is the Chief of Staff: what reviews a submission before anybody decides about it.
type chief struct {
	*office
	// together holds the drafts of the same call, which go live together.
	together []proposals.Draft
}

// reading shows proposals, and records what it showed.
type reading struct {
	*office
	*tallies
}

// drafting writes proposals and their revisions, and hands them to the chief.
type drafting struct {
	*office
	*chief
	imports bool // drafts are what an import made of a server's or a file's definitions
}

// deciding makes decisions, the waivers before them, and the statements to be signed.
type deciding struct {
	*office
	*tallies
	*reading
}

// view runs fn on one snapshot.
func (o *office) view(ctx context.Context, fn func(*reviewCache) error) error {
	return o.store.View(ctx, func(r Reader) error {
		live, done, err := o.pool.Take(ctx, r)
		if err != nil {
			return err
		}
		defer done()
		return fn(cached(r, live))
	})
}
