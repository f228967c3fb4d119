// This file verifies the signatures of versions and caches the results.

package proof

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"golang.org/x/crypto/ssh"

	"toolcrib/history"
	"toolcrib/internal/lists"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/shipped"
	"toolcrib/review/approval"
	"toolcrib/signing/signers"
	"toolcrib/signing/sshsig"
	"toolcrib/signing/statement"
)

// Proofs caches verified signatures for one state of the signers. It is safe for concurrent use.
type Proofs struct {
	signers *signers.Signers
	former  map[string]int // result of formerKeys
	err     error          // reason why only shipped definitions are valid, or nil
	key     proofsKey
	genesis string
	rules   approval.Rules

	mu         sync.RWMutex
	versions   map[string]*Proof           // by hash of the version
	size       int                         // size of the definitions in versions, in bytes
	statements map[string]*provenStatement // by hash of the statement
}

// proofsKey identifies a state of the signers, in the file and in the log.
type proofsKey struct{ file, event string }

// Limits of the cache: number of versions and of statements, and bytes of definitions.
const (
	maxProofs      = 200_000
	maxDefinitions = 16 << 20
)

func newProofs(key proofsKey, rules approval.Rules) *Proofs {
	return &Proofs{key: key, rules: rules, versions: map[string]*Proof{}, statements: map[string]*provenStatement{}}
}

// ProofsBy returns Proofs for signers and rules chosen by the caller. genesis is the hash of the database's first
// event. The recorded states of the signers are only used to distinguish revoked keys from unknown ones.
func ProofsBy(s *signers.Signers, states []SignersState, genesis string, rules approval.Rules) *Proofs {
	p := newProofs(proofsKey{}, rules)
	p.signers, p.former, p.genesis = s, formerKeys(states, s), genesis
	return p
}

// formerKeys maps the fingerprint of each revoked key to the number of the last state that includes it. A key is
// revoked by removing its lines, so it is in an earlier state but not in now.
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

// Proof is the result of verifying a version.
type Proof struct {
	Subject     registry.Subject
	Number      int
	ContentHash string
	// Signature is the hash of the statement of the last approval, or "" for shipped versions.
	Signature string
	// Shared indicates that the statement also approved a later version of the subject.
	Shared  bool
	Columns registry.Columns // of the definition; zero if Err is set
	// definition is the verified definition, or zero if it is not cached.
	definition registry.Definition
	// Err is the reason why the version is not valid, or nil. It wraps ErrUnsigned, ErrSignature, ErrSigners,
	// ErrTampered, or ErrApprovals.
	Err error
}

// Known returns the cached proof of a version.
func (p *Proofs) Known(hash string) (*Proof, bool) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	proof, ok := p.versions[hash]
	return proof, ok
}

// Version verifies a stored version. err only reports failures to read records.
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
			s, err := p.statement(ctx, r, v.Signature) // verified above
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

// Definition returns the definition for text, whose hash was verified. Most definitions are cached, which is cheaper
// than decoding them again.
func (p *Proof) Definition(text string) (registry.Definition, error) {
	if d := p.definition; !d.IsZero() {
		return d.WithStatus(d.Status()), nil // copy
	}
	return registry.DecodeDefinition(p.Subject.Kind, []byte(text))
}

// Refuses reports whether err means that a record is not valid, rather than that it could not be read.
func Refuses(err error) bool {
	return errors.Is(err, ErrUnsigned) || errors.Is(err, ErrSignature) || errors.Is(err, ErrSigners) || errors.Is(err, proposals.ErrTampered) || errors.Is(err, proposals.ErrApprovals)
}

// checkVersion returns nil if a version is valid.
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

// CheckShipped returns nil if v, a version without a proposal, ships with the program.
func CheckShipped(v history.Version) error {
	hash, ok := shippedHashes()[v.Subject]
	if !ok || v.Number != 1 || v.DecidedBy != "system" || hash != v.ContentHash {
		return fmt.Errorf("version %d of %s: %w: it does not ship with toolcrib", v.Number, v.Subject, ErrUnsigned)
	}
	return nil
}

// shippedHashes returns the content hashes of all definitions that ship with the program.
var shippedHashes = sync.OnceValue(shipped.Hashes)

// provenStatement is a verified statement.
type provenStatement struct {
	statement.Statement
	encoded string
	signer  signers.Signer
	items   map[string]statement.Item // items of a decision, by proposal
	newest  map[string]statement.Item // items of an approval, by subject
	tools   map[string]bool           // tools for which it sets the tier
	err     error                     // reason why it is not valid, or nil
}

// statement returns a statement with a valid signature.
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

// proveOnce verifies a statement by itself and caches the result.
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

// prove verifies a statement by itself.
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
		s.tools = lists.Set(t.Tools, func(tool string) string { return tool })
	}
	return s
}

// revoked returns an error about a revoked key if err is about an unknown key that an earlier state of the signers
// includes, and err otherwise.
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
	return fmt.Errorf("%w: the signers file no longer has %s, which was in state %d", signers.ErrRevoked, ssh.FingerprintSHA256(key), state)
}

// If a row is deleted together with its dependents, the signed row that it replaced becomes the newest again.
// Therefore, a row is valid only if no newer signed statement is about the same object.

// Newest returns an error that wraps ErrTampered if a statement approved a later version of the subject than proof.
// endorsed reports whether an approval was recorded as waiting for other approvals, and thus resulted in no version.
func (p *Proofs) Newest(ctx context.Context, r SignatureReader, proof *Proof, endorsed func(ctx context.Context, hash string, proposal proposals.ID) (bool, error)) error {
	subject := proof.Subject.String()
	hashes, err := r.SignedAfter(ctx, subject, proof.Signature)
	if err != nil {
		return err
	}
	if proof.Signature != "" {
		hashes = append(hashes, proof.Signature) // it may have approved two versions
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

// CheckNewestWaiver returns an error that wraps ErrTampered if a signed waiver of the same finding that is newer than
// w, or that ends w, is missing in stored.
func (p *Proofs) CheckNewestWaiver(ctx context.Context, r SignatureReader, of proposals.Proposal, w history.Waiver, stored []history.Waiver) error {
	return p.newestAbout(ctx, r, WaiverAct(of, w), w.Signature, "the waiver of "+w.Rule, func(s *provenStatement, hash string) bool {
		return slices.ContainsFunc(stored, func(o history.Waiver) bool { return o.Signature == hash })
	})
}

// CheckNewestTier returns an error that wraps ErrTampered if a statement newer than the one with a hash ("" for none)
// set the user's tier of a tool.
func (p *Proofs) CheckNewestTier(ctx context.Context, r SignatureReader, act *statement.Tier, hash string) error {
	return p.newestAbout(ctx, r, act, hash, "the tier of "+act.Tools[0], func(s *provenStatement, _ string) bool {
		other, ok := s.Act.(*statement.Tier)
		return !ok || other.User != act.User
	})
}

// newestAbout returns an error if a valid statement about the same object as act is newer than the one with a hash.
// apart returns true for a statement that does not replace the record; what names the record in errors.
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
