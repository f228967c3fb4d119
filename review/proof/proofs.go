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

// Proofs verifies signatures for a single state of the signers and caches the results. It is safe for concurrent use.
type Proofs struct {
	signers *signers.Signers
	former  map[string]int // result of formerKeys
	err     error          // reason why only shipped definitions are valid, or nil
	key     proofsKey
	genesis string
	rules   approval.Rules

	mu         sync.RWMutex
	versions   map[string]*Proof           // indexed by the hash of the version
	size       int                         // size of the definitions in versions, in bytes
	statements map[string]*provenStatement // indexed by the hash of the statement
}

// proofsKey identifies a state of the signers by the digest of the signers file and by the hash of the last signers
// event in the log.
type proofsKey struct{ file, event string }

// Limits of the caches. maxProofs limits the number of versions and the number of statements. maxDefinitions limits
// the total size of the definitions in bytes.
const (
	maxProofs      = 200_000
	maxDefinitions = 16 << 20
)

func newProofs(key proofsKey, rules approval.Rules) *Proofs {
	return &Proofs{key: key, rules: rules, versions: map[string]*Proof{}, statements: map[string]*provenStatement{}}
}

// ProofsBy returns Proofs for signers and policy rules that the caller chose. genesis is the hash of the first event of
// the database. The states are the recorded states of the signers; they are only used to distinguish revoked keys from
// unknown keys.
func ProofsBy(s *signers.Signers, states []SignersState, genesis string, rules approval.Rules) *Proofs {
	p := newProofs(proofsKey{}, rules)
	p.signers, p.former, p.genesis = s, formerKeys(states, s), genesis
	return p
}

// formerKeys maps the fingerprint of each revoked key to the number of the last state that contains the key. A key is
// revoked if a recorded state contains the key, but current does not.
func formerKeys(states []SignersState, current *signers.Signers) map[string]int {
	former := map[string]int{}
	for _, state := range states {
		s, err := signers.Restore(state.Text, state.Revoked)
		if err != nil {
			continue // the check of the states reports this error
		}
		for _, e := range s.Entries() {
			former[ssh.FingerprintSHA256(e.Key)] = state.Number
		}
	}
	for _, e := range current.Entries() {
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
	// Shared indicates that the same statement also approved a later version of the subject.
	Shared  bool
	Columns registry.Columns // columns of the definition; zero if Err is set
	// definition is the verified definition, or zero if it is not cached.
	definition registry.Definition
	// Err is the reason why the version is not valid, or nil. It wraps ErrUnsigned, ErrSignature, ErrSigners,
	// ErrTampered, or ErrApprovals.
	Err error
}

// Known returns the cached proof of the version with the given hash.
func (p *Proofs) Known(hash string) (*Proof, bool) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	proof, ok := p.versions[hash]
	return proof, ok
}

// Version verifies the stored version v. If v is not valid, Proof.Err contains the reason. Version returns an error
// only if it cannot read the necessary records.
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
			s, err := p.statement(ctx, r, v.Signature) // the statement was verified above
			proof.Shared = err == nil && s.newest[v.Subject.String()].Version > v.Number
		}
	}
	if errors.Is(err, proposals.ErrTampered) {
		return proof, nil // not cached, because the subject in the row may be wrong
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

// Definition returns the verified definition of the version. text must contain this definition as JSON. If the
// definition is cached, Definition copies it instead of parsing text, which is faster.
func (p *Proof) Definition(text string) (registry.Definition, error) {
	if d := p.definition; !d.IsZero() {
		return d.WithStatus(d.Status()), nil // copy
	}
	return registry.DecodeDefinition(p.Subject.Kind, []byte(text))
}

// Refuses reports whether err means that a record is not valid. It returns false if the record could not be read.
func Refuses(err error) bool {
	return errors.Is(err, ErrUnsigned) || errors.Is(err, ErrSignature) || errors.Is(err, ErrSigners) || errors.Is(err, proposals.ErrTampered) || errors.Is(err, proposals.ErrApprovals)
}

// checkVersion returns nil if v matches its hashes and is either shipped or validly approved.
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

// CheckShipped returns an error unless v is a definition that ships with the program. v must be a version without a
// proposal.
func CheckShipped(v history.Version) error {
	hash, ok := shippedHashes()[v.Subject]
	if !ok || v.Number != 1 || v.DecidedBy != "system" || hash != v.ContentHash {
		return fmt.Errorf("version %d of %s: %w: it does not ship with toolcrib", v.Number, v.Subject, ErrUnsigned)
	}
	return nil
}

// shippedHashes returns the content hashes of all definitions that ship with the program.
var shippedHashes = sync.OnceValue(shipped.Hashes)

// provenStatement is the result of verifying a statement.
type provenStatement struct {
	statement.Statement
	encoded string
	signer  signers.Signer
	items   map[string]statement.Item // items of a decision, indexed by proposal
	newest  map[string]statement.Item // items of an approval, indexed by subject
	tools   map[string]bool           // tools that get a tier from the statement
	err     error                     // reason why the statement is not valid, or nil
}

// statement returns the statement with the given hash. It returns an error if the statement is missing or its
// signature is not valid.
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

// proveOnce verifies the statement in record and caches the result under hash.
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

// prove verifies the signature of a statement, its hash, and its database. It does not compare the statement with
// other records.
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

// revoked returns an error that wraps signers.ErrRevoked if err is about an unknown key that an earlier state of the
// signers contains. Otherwise, it returns err.
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
	return fmt.Errorf("%w: the signers file no longer lists %s, which state %d listed", signers.ErrRevoked, ssh.FingerprintSHA256(key), state)
}

// An attacker could delete the newest record about an object together with the records that depend on it. The record
// before it would then become the newest again. Therefore, a record is valid only if no newer signed statement is
// about the same object.

// Newest returns an error that wraps proposals.ErrTampered if a signed statement approved a later version of the same
// subject. endorsed reports whether the approval in a statement only endorsed the proposal and thus created no
// version.
func (p *Proofs) Newest(ctx context.Context, r SignatureReader, proof *Proof, endorsed func(ctx context.Context, hash string, proposal proposals.ID) (bool, error)) error {
	subject := proof.Subject.String()
	hashes, err := r.SignedAfter(ctx, subject, proof.Signature)
	if err != nil {
		return err
	}
	if proof.Signature != "" {
		hashes = append(hashes, proof.Signature) // one statement can approve two versions of a subject
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
			return fmt.Errorf("version %d of %s: %w: %s signed the later version %d, which is missing", proof.Number, subject, proposals.ErrTampered, s.By, item.Version)
		}
	}
	return nil
}

// CheckNewestWaiver returns an error that wraps proposals.ErrTampered if the record of a newer signed statement is
// missing from stored. Only statements that waived the same finding or ended w are considered.
func (p *Proofs) CheckNewestWaiver(ctx context.Context, r SignatureReader, proposal proposals.Proposal, w history.Waiver, stored []history.Waiver) error {
	return p.newestAbout(ctx, r, WaiverAct(proposal, w), w.Signature, "the waiver of "+w.Rule, func(s *provenStatement, hash string) bool {
		return slices.ContainsFunc(stored, func(o history.Waiver) bool { return o.Signature == hash })
	})
}

// CheckNewestTier returns an error that wraps proposals.ErrTampered if a newer signed statement set the tier of the
// same tool for the same user. hash identifies the statement that set the current tier. It is "" if there is no such
// statement.
func (p *Proofs) CheckNewestTier(ctx context.Context, r SignatureReader, act *statement.Tier, hash string) error {
	return p.newestAbout(ctx, r, act, hash, "the tier of "+act.Tools[0], func(s *provenStatement, _ string) bool {
		other, ok := s.Act.(*statement.Tier)
		return !ok || other.User != act.User
	})
}

// newestAbout returns an error if a newer valid statement is about the same object as act. hash identifies the
// statement of the current record. ignore returns true for a newer statement that does not replace the record. label
// describes the record in the error message.
func (p *Proofs) newestAbout(ctx context.Context, r SignatureReader, act statement.Act, hash, label string, ignore func(s *provenStatement, hash string) bool) error {
	hashes, err := r.SignedAfter(ctx, statement.About(act)[0], hash)
	if err != nil {
		return err
	}
	for _, newer := range hashes {
		s, err := p.statement(ctx, r, newer)
		switch {
		case err != nil && !Refuses(err):
			return err
		case err == nil && !ignore(s, newer):
			return fmt.Errorf("%s: %w: %s signed a newer record, which is missing", label, proposals.ErrTampered, s.By)
		}
	}
	return nil
}
