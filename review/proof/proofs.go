package proof

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"golang.org/x/crypto/ssh"

	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/shipped"
	"toolcrib/review/approval"
	"toolcrib/signing/signers"
	"toolcrib/signing/sshsig"
	"toolcrib/signing/statement"
)

// Proofs caches the verified signatures for one state of the signers. It is safe for
// concurrent use.
type Proofs struct {
	signers *signers.Signers
	former  map[string]int // as formerKeys returns them
	err     error          // why only shipped definitions count; nil if others may
	key     proofsKey
	genesis string
	rules   approval.Rules

	mu         sync.RWMutex
	versions   map[string]*Proof           // by version hash
	size       int                         // of the definitions in versions, in bytes
	statements map[string]*provenStatement // by the hash of the statement
}

// proofsKey names a state of the signers: in the file, and in the log.
type proofsKey struct{ file, event string }

// Limits of the cache: versions and statements, and the bytes of definitions.
const (
	maxProofs      = 200_000
	maxDefinitions = 16 << 20
)

func newProofs(key proofsKey, rules approval.Rules) *Proofs {
	return &Proofs{key: key, rules: rules, versions: map[string]*Proof{}, statements: map[string]*provenStatement{}}
}

// ProofsBy returns the trust in signers that a caller chooses, for the database whose first
// event has the hash genesis, and in the owners of rules. The recorded states of signers only
// distinguish revoked keys from unknown ones.
func ProofsBy(s *signers.Signers, states []SignersState, genesis string, rules approval.Rules) *Proofs {
	p := newProofs(proofsKey{}, rules)
	p.signers, p.former, p.genesis = s, formerKeys(states, s), genesis
	return p
}

// formerKeys returns the number of the last state with each revoked key, by its fingerprint.
// A key is revoked by removing its lines: states have it, and now does not.
func formerKeys(states []SignersState, now *signers.Signers) map[string]int {
	former := map[string]int{}
	for _, state := range states {
		s, err := signers.Restore(state.Text, state.Revoked)
		if err != nil {
			continue // the check of the states reports it
		}
		for _, e := range s.Entries() {
			former[ssh.FingerprintSHA256(e.Key)] = state.Number
		}
	}
	for _, e := range now.Entries() {
		delete(former, ssh.FingerprintSHA256(e.Key))
	}
	return former
}

// Proof is the outcome of checking a version.
type Proof struct {
	Subject     registry.Subject
	Number      int
	ContentHash string
	// Signature is the hash of the statement of the last approval, "" for shipped ones.
	Signature string
	// Shared reports that the statement also approved a later version of the subject.
	Shared  bool
	Columns registry.Columns // of the definition; zero when Err is not nil
	// definition is the verified definition, or zero if it is not cached.
	definition registry.Definition
	// Err is why the version does not count, nil if it does. It wraps
	// ErrUnsigned, ErrSignature, ErrSigners, ErrTampered or ErrApprovals.
	Err error
}

// Known returns the proof of a version that was checked before.
func (p *Proofs) Known(hash string) (*Proof, bool) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	proof, ok := p.versions[hash]
	return proof, ok
}

// Version checks a stored version. The error is about reading only.
func (p *Proofs) Version(ctx context.Context, r SignatureReader, v history.Version) (*Proof, error) {
	if proof, ok := p.Known(v.Hash); ok && registry.HashBytes(v.Definition) == proof.ContentHash && v.Sum() == v.Hash {
		return proof, nil
	}
	proof := &Proof{Subject: v.Subject, Number: v.Number, ContentHash: registry.HashBytes(v.Definition), Signature: v.Signature}
	err := p.checkVersion(ctx, r, v)
	if err != nil && !Refuses(err) {
		return nil, err
	}
	proof.Err = err
	if err == nil {
		d, err := registry.DecodeDefinition(v.Subject.Kind, v.Definition)
		if err != nil {
			return nil, fmt.Errorf("version %d of %s: %w", v.Number, v.Subject, err)
		}
		proof.Columns, proof.definition = d.Columns(), d
		if v.Signature != "" {
			s, err := p.statement(ctx, r, v.Signature) // which was proven just now
			proof.Shared = err == nil && s.newest[v.Subject.String()].Version > v.Number
		}
	}
	if errors.Is(err, proposals.ErrTampered) {
		return proof, nil // not cached: the name in the row may be wrong
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.versions) >= maxProofs {
		clear(p.versions)
		p.size = 0
	}
	if p.size += len(v.Definition); p.size > maxDefinitions {
		p.size -= len(v.Definition)
		proof.definition = registry.Definition{}
	}
	p.versions[v.Hash] = proof
	return proof, nil
}

// Definition returns the definition of text, which has the hash that was checked. Most
// definitions are cached, which is cheaper than decoding them again.
func (p *Proof) Definition(text string) (registry.Definition, error) {
	if d := p.definition; !d.IsZero() {
		return d.WithStatus(d.Status()), nil // a copy
	}
	return registry.DecodeDefinition(p.Subject.Kind, []byte(text))
}

// Refuses reports whether err means that a record does not count, rather than that it could
// not be read.
func Refuses(err error) bool {
	return errors.Is(err, ErrUnsigned) || errors.Is(err, ErrSignature) || errors.Is(err, ErrSigners) || errors.Is(err, proposals.ErrTampered) || errors.Is(err, proposals.ErrApprovals)
}

// checkVersion returns nil if a version counts.
func (p *Proofs) checkVersion(ctx context.Context, r SignatureReader, v history.Version) error {
	if registry.HashBytes(v.Definition) != v.ContentHash || v.Sum() != v.Hash {
		return fmt.Errorf("version %d of %s: %w: its content does not match its hash", v.Number, v.Subject, proposals.ErrTampered)
	}
	if v.Proposal == "" {
		return CheckShipped(v)
	}
	err := p.Decision(ctx, r, proposals.Decision{
		Proposal: proposals.ID(v.Proposal), Subject: v.Subject, Revision: v.Revision, ContentHash: v.ContentHash, Verdict: proposals.VerdictApproved, Note: v.Note,
		At: v.DecidedAt, ReviewDigest: v.ReviewDigest, Version: v.Number, Signature: v.Signature,
	}, v.DecidedBy, v.PrevHash, v.UnsignedSum())
	if err != nil {
		return err
	}
	return p.enough(ctx, r, v)
}

// CheckShipped returns nil if a version without a proposal is one that ships with the program.
func CheckShipped(v history.Version) error {
	hash, ok := shippedHashes()[v.Subject]
	if !ok || v.Number != 1 || v.DecidedBy != "system" || hash != v.ContentHash {
		return fmt.Errorf("version %d of %s: %w: it is not one that toolcrib ships", v.Number, v.Subject, ErrUnsigned)
	}
	return nil
}

// shippedHashes returns the content hash of every definition that the program ships.
var shippedHashes = sync.OnceValue(shipped.Hashes)

// provenStatement is a statement that was checked.
type provenStatement struct {
	statement.Statement
	encoded string
	signer  signers.Signer
	items   map[string]statement.Item // of a decision, by proposal
	newest  map[string]statement.Item // of an approval, by subject
	tools   map[string]bool           // whose tier it sets
	err     error                     // why it does not count
}

// statement returns a statement whose signature holds.
func (p *Proofs) statement(ctx context.Context, r SignatureReader, hash string) (*provenStatement, error) {
	p.mu.RLock()
	known, ok := p.statements[hash]
	p.mu.RUnlock()
	if !ok {
		record, err := r.Signature(ctx, hash)
		if err != nil && !errors.Is(err, proposals.ErrNotFound) {
			return nil, err
		}
		known = p.proveOnce(record, hash)
	}
	return known, known.err
}

// proveOnce verifies a statement on its own, and caches the result.
func (p *Proofs) proveOnce(record SignatureRecord, hash string) *provenStatement {
	s := p.prove(record, hash)
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.statements) >= maxProofs {
		clear(p.statements)
	}
	p.statements[hash] = s
	return s
}

// prove verifies a statement on its own.
func (p *Proofs) prove(record SignatureRecord, hash string) *provenStatement {
	s := &provenStatement{encoded: record.Statement}
	switch {
	case p.err != nil:
		s.err = p.err
		return s
	case record.Hash == "":
		s.err = fmt.Errorf("%w: the statement %.12s is missing", ErrSignature, hash)
		return s
	case statement.Sum([]byte(record.Statement)) != hash:
		s.err = fmt.Errorf("%w: the statement %.12s was changed", ErrSignature, hash)
		return s
	}
	var err error
	if s.Statement, s.signer, err = p.signers.Verify([]byte(record.Statement), []byte(record.Signature)); err != nil {
		s.err = fmt.Errorf("%w: %w", ErrSignature, p.revoked(err, []byte(record.Signature)))
		return s
	}
	if s.Database != p.genesis {
		s.err = fmt.Errorf("%w: the statement is about another database", ErrSignature)
		return s
	}
	if d, ok := s.Act.(*statement.Decision); ok {
		s.items, s.newest = make(map[string]statement.Item, len(d.Items)), map[string]statement.Item{}
		for _, item := range d.Items {
			s.items[item.Proposal] = item
			if item.Version > s.newest[item.Subject].Version {
				s.newest[item.Subject] = item
			}
		}
	}
	if t, ok := s.Act.(*statement.Tier); ok {
		s.tools = make(map[string]bool, len(t.Tools))
		for _, tool := range t.Tools {
			s.tools[tool] = true
		}
	}
	return s
}

// revoked returns err, or an error about a revoked key if err is about an unknown
// key that an earlier state of the signers had.
func (p *Proofs) revoked(err error, armored []byte) error {
	if !errors.Is(err, signers.ErrUnknownKey) {
		return err
	}
	sig, parseErr := sshsig.Parse(armored)
	if parseErr != nil {
		return err
	}
	key := sig.Key
	if cert, ok := key.(*ssh.Certificate); ok {
		key = cert.SignatureKey
	}
	state, ok := p.former[ssh.FingerprintSHA256(key)]
	if !ok {
		return err
	}
	return fmt.Errorf("%w: the signers file does not have %s anymore, which was in state %d", signers.ErrRevoked, ssh.FingerprintSHA256(key), state)
}

// If a row is deleted together with its dependents, the signed row that it replaced becomes the newest one again.
// Therefore a row is valid only if no newer signed statement is about the same object.

// Newest returns an error that wraps ErrTampered if a statement approved a later version of a
// subject than the proven one. endorsed reports whether an approval was recorded as waiting
// for others, so that it made no version.
func (p *Proofs) Newest(ctx context.Context, r SignatureReader, proof *Proof, endorsed func(ctx context.Context, hash string, proposal proposals.ID) (bool, error)) error {
	subject := proof.Subject.String()
	hashes, err := r.SignedAfter(ctx, subject, proof.Signature)
	if err != nil {
		return err
	}
	if proof.Signature != "" {
		hashes = append(hashes, proof.Signature) // which may have approved two versions
	}
	for _, hash := range hashes {
		s, err := p.statement(ctx, r, hash)
		if Refuses(err) {
			continue
		}
		if err != nil {
			return err
		}
		item := s.newest[subject]
		if item.Version <= proof.Number {
			continue
		}
		waits, err := endorsed(ctx, hash, proposals.ID(item.Proposal))
		if err != nil {
			return err
		}
		if !waits {
			return fmt.Errorf("version %d of %s: %w: %s signed version %d, which is missing", proof.Number, subject, proposals.ErrTampered, s.By, item.Version)
		}
	}
	return nil
}

// WaiverStands returns an error that wraps ErrTampered if a signed waiver of the same finding
// is newer than w, or ends it, and is missing from the stored ones.
func (p *Proofs) WaiverStands(ctx context.Context, r SignatureReader, of proposals.Proposal, w history.Waiver, stored []history.Waiver) error {
	return p.newestAbout(ctx, r, WaiverAct(of, w), w.Signature, "the waiver of "+w.Rule, func(s *provenStatement, hash string) bool {
		return slices.ContainsFunc(stored, func(o history.Waiver) bool { return o.Signature == hash })
	})
}

// TierStands returns an error that wraps ErrTampered if a statement newer than the one with a hash ("" for none) set
// the user's tier of a tool.
func (p *Proofs) TierStands(ctx context.Context, r SignatureReader, act *statement.Tier, hash string) error {
	return p.newestAbout(ctx, r, act, hash, "the tier of "+act.Tools[0], func(s *provenStatement, _ string) bool {
		other, ok := s.Act.(*statement.Tier)
		return !ok || other.User != act.User
	})
}

// newestAbout returns an error if a valid statement about the same object as act is newer than the one with a hash.
// apart reports that a statement does not replace the record; what names the record.
func (p *Proofs) newestAbout(ctx context.Context, r SignatureReader, act statement.Act, hash, what string, apart func(s *provenStatement, hash string) bool) error {
	hashes, err := r.SignedAfter(ctx, statement.About(act)[0], hash)
	if err != nil {
		return err
	}
	for _, newer := range hashes {
		s, err := p.statement(ctx, r, newer)
		switch {
		case err != nil && !Refuses(err):
			return err
		case err == nil && !apart(s, newer):
			return fmt.Errorf("%s: %w: %s signed a newer one, which is missing", what, proposals.ErrTampered, s.By)
		}
	}
	return nil
}
