package bundle

import (
	"context"
	"errors"
	"fmt"

	"toolcrib/history"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/review/approval"
	"toolcrib/signing/signers"
)

// Trust has the values that a checker relies on, all of it from elsewhere than the bundle.
type Trust struct {
	Signers  *signers.Signers // nil checks no signature
	Database string           // hash of event 1; "" takes what the bundle says
	// Approvals has the owners whose signatures a version needs.
	Approvals approval.Rules
}

// Fault is one failed check.
type Fault struct {
	Rule    string // id of a rule of Rules
	Subject string
	Message string
}

// Result is the outcome of a check.
type Result struct {
	Shipped  int // live versions that are those of the program
	Signed   int // live versions whose signature counts
	Unsigned int // live versions that were approved without a signature
	// Unchecked are live versions with a signature that nothing was known to check by.
	Unchecked int
	// Earlier are versions before the live ones. Their hashes hold them together with
	// those: what signs a live version signs its past.
	Earlier int
	Live    []registry.Live // whose whole chain holds
	Faults  []Fault
}

// Check checks every hash, every chain, and every signature of a bundle.
func (b Bundle) Check(ctx context.Context, trust Trust) (Result, error) {
	c := checker{reader: newReader(b), last: map[registry.Subject]history.Version{}, broken: map[registry.Subject]bool{}}
	if trust.Signers != nil {
		c.proofs = review.ProofsBy(trust.Signers, b.Database, trust.Approvals)
	}
	if trust.Database != "" && trust.Database != b.Database {
		c.fault(otherDatabase, "", fmt.Sprintf("it is of the database %.12s, not %.12s", b.Database, trust.Database))
	}
	var order []registry.Subject
	newest := map[string]int{}
	for _, v := range b.Versions {
		newest[v.Subject] = max(newest[v.Subject], v.Number)
	}
	for i, encoded := range b.Versions {
		v, err := encoded.version()
		if err != nil {
			c.fault(brokenVersion, encoded.Subject, fmt.Sprintf("version %d cannot be read: %v", encoded.Number, err))
			continue
		}
		if _, seen := c.last[v.Subject]; !seen {
			order = append(order, v.Subject)
		}
		if err := c.version(ctx, v, v.Number == newest[encoded.Subject]); err != nil {
			return c.result, fmt.Errorf("version %d of the bundle: %w", i+1, err)
		}
		c.last[v.Subject] = v
	}
	if err := c.around(ctx, b); err != nil {
		return c.result, err
	}
	for _, subject := range order {
		if c.broken[subject] {
			continue
		}
		v := c.last[subject]
		d, err := registry.DecodeDefinition(subject.Kind, v.Definition)
		if err != nil {
			c.fault(brokenVersion, subject.String(), fmt.Sprintf("the definition of version %d: %v", v.Number, err))
			continue
		}
		c.result.Live = append(c.result.Live, registry.Live{Subject: subject, Version: v.Number, ContentHash: v.ContentHash, Definition: d})
	}
	return c.result, nil
}

// checker is a check under way.
type checker struct {
	reader reader
	proofs *review.Proofs // nil when nobody is trusted
	last   map[registry.Subject]history.Version
	broken map[registry.Subject]bool
	result Result
}

func (c *checker) fault(rule, subject, message string) {
	c.result.Faults = append(c.result.Faults, Fault{rule, subject, message})
	if s, err := registry.ParseSubject(subject); err == nil {
		c.broken[s] = true
	}
}

// version checks a version after the one before it.
func (c *checker) version(ctx context.Context, v history.Version, live bool) error {
	name := v.Subject.String()
	before := c.last[v.Subject]
	if v.Number != before.Number+1 || v.PrevHash != before.Hash {
		c.fault(brokenVersion, name, fmt.Sprintf("version %d does not follow version %d", v.Number, before.Number))
	}
	if registry.HashBytes(v.Definition) != v.ContentHash || v.Sum() != v.Hash {
		c.fault(brokenVersion, name, fmt.Sprintf("version %d does not match its hash", v.Number))
		return nil
	}
	if !live {
		c.result.Earlier++
		return nil
	}
	return c.decision(ctx, v)
}

// decision checks who approved a live version.
func (c *checker) decision(ctx context.Context, v history.Version) error {
	name := v.Subject.String()
	switch {
	case v.Proposal == "":
		if err := review.CheckShipped(v); err != nil {
			c.fault(notShipped, name, err.Error())
			return nil
		}
		c.result.Shipped++
		return nil
	case c.proofs == nil && v.Signature != "":
		c.result.Unchecked++
		return nil
	case v.Signature == "":
		c.result.Unsigned++
		if c.proofs != nil {
			c.fault(Unsigned, name, fmt.Sprintf("version %d, approved by %s, is not signed", v.Number, v.DecidedBy))
		}
		return nil
	}
	proof, err := c.proofs.Version(ctx, c.reader, v)
	if err != nil {
		return err
	}
	if proof.Err != nil {
		c.fault(signatureRule(proof.Err), name, proof.Err.Error())
		return nil
	}
	c.result.Signed++
	return nil
}

func signatureRule(err error) string {
	switch {
	case errors.Is(err, signers.ErrUnknownKey), errors.Is(err, signers.ErrNotValid):
		return unknownKey
	case errors.Is(err, signers.ErrRevoked):
		return revokedKey
	case errors.Is(err, review.ErrApprovals):
		return tooFew
	}
	return badSignature
}
