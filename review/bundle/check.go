// This file verifies the hashes, chains, and signatures of a bundle without a database.

package bundle

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review/approval"
	"toolcrib/review/proof"
	"toolcrib/signing/signers"
	"toolcrib/signing/statement"
)

// Trust contains the values against which a bundle is checked. They must not come from the bundle itself.
type Trust struct {
	Signers  *signers.Signers // if nil, signatures are not verified
	Database string           // hash of event 1, or "" to accept any database
	// Approvals contains the policy rules. They determine which owners must sign a version.
	Approvals approval.Rules
}

// Fault is a failed check.
type Fault struct {
	Rule    string // id of a rule in Rules
	Subject string
	Message string
}

// Result is the result of checking a bundle.
type Result struct {
	Shipped  int // number of live versions that ship with the program
	Signed   int // number of live versions with a valid signature
	Unsigned int // number of live versions that were approved without a signature
	// Unchecked is the number of signed live versions that were not verified, because Trust contains no signers.
	Unchecked int
	// Earlier is the number of versions that are no longer live. The signature of a live version also covers the
	// earlier versions, because each version contains the hash of the previous one.
	Earlier int
	Live    []registry.Live // live definitions with a valid version chain
	Faults  []Fault
}

// Check verifies all hashes, version chains, and signatures of b. Failed checks are reported in Result.Faults.
func (b Bundle) Check(ctx context.Context, trust Trust) (Result, error) {
	c := checker{reader: reader{b, map[string]proof.SignatureRecord{}}, last: map[registry.Subject]history.Version{}, broken: map[registry.Subject]bool{}}
	for _, s := range b.Statements {
		hash := statement.Sum([]byte(s.Statement))
		c.reader.statements[hash] = proof.SignatureRecord{Hash: hash, Statement: s.Statement, Signature: s.Signature}
	}
	if trust.Signers != nil {
		states, err := c.reader.SignersStates(ctx)
		if err != nil {
			return c.result, err
		}
		c.proofs = proof.ProofsBy(trust.Signers, states, b.Database, trust.Approvals)
	}
	if trust.Database != "" && trust.Database != b.Database {
		c.fault(otherDatabase, "", fmt.Sprintf("the bundle is from the database %.12s, but the database %.12s was expected", b.Database, trust.Database))
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
	if err := c.checkRest(ctx, b); err != nil {
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

// checker is the state of a running check.
type checker struct {
	reader reader
	proofs *proof.Proofs // nil if Trust contains no signers
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

// version checks the hashes of v and its link to the previous version. If v is live, it also checks the approvals of v.
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
	switch {
	case !live:
		c.result.Earlier++
		return nil
	case v.Proposal == "":
		if err := proof.CheckShipped(v); err != nil {
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
	rule := badSignature
	switch err := proof.Err; {
	case err == nil:
		c.result.Signed++
		return nil
	case errors.Is(err, signers.ErrUnknownKey), errors.Is(err, signers.ErrNotValid):
		rule = unknownKey
	case errors.Is(err, signers.ErrRevoked):
		rule = revokedKey
	case errors.Is(err, proposals.ErrApprovals):
		rule = tooFew
	}
	c.fault(rule, name, proof.Err.Error())
	return nil
}

// Unproved returns descriptions of the facts that a bundle cannot prove and of the parts that neither a hash nor a
// signature covers.
func Unproved() []string {
	return []string{
		"whether the bundle is complete and up to date: a checkpoint proves the length of the log",
		"when the bundle was written, its newest event, the events of the signers' states, and layers without a definition: none of these are signed",
	}
}

// checkRest checks the other parts of the bundle: the statements, the states of the signers, the view, and the position
// in the log.
func (c *checker) checkRest(ctx context.Context, b Bundle) error {
	for i, layer := range b.View {
		if _, err := registry.ParseLayer(layer); err != nil || slices.Contains(b.View[:i], layer) {
			c.fault(contradiction, "", fmt.Sprintf("unknown or duplicate layer %q in the view of the bundle", layer))
		}
	}
	used := map[string]bool{}
	for _, v := range b.Versions {
		for _, hash := range v.Signatures() {
			used[hash] = true
		}
		if s, err := registry.ParseSubject(v.Subject); err == nil && !slices.Contains(b.View, string(s.Layer)) {
			c.fault(contradiction, v.Subject, "its layer is not in the view of the bundle")
		}
		if v.DecidedAt.After(b.At) {
			c.fault(contradiction, v.Subject, fmt.Sprintf("version %d was decided after the bundle was written", v.Number))
		}
	}
	for _, s := range b.Signers {
		used[s.Statement] = true
	}
	for _, s := range b.Statements {
		hash := statement.Sum([]byte(s.Statement))
		st, err := statement.Decode([]byte(s.Statement))
		switch {
		case !used[hash]:
			c.fault(contradiction, "", fmt.Sprintf("the statement %.12s is a duplicate, or no record refers to it because the record was changed or removed", hash))
		case err != nil: // reported together with the version that refers to the statement
		case st.Database != b.Database:
			c.fault(contradiction, "", fmt.Sprintf("the statement %.12s is about another database", hash))
		case st.Log.Seq > b.Log.Seq || st.Log.Seq == b.Log.Seq && st.Log.Hash != b.Log.Hash || st.At.After(b.At):
			c.fault(contradiction, "", fmt.Sprintf("the statement %.12s is later than the bundle", hash))
		}
		delete(used, hash) // any further occurrence is a duplicate
	}
	if len(b.Signers) == 0 {
		return nil
	}
	// As in a database, each state must be signed by a signer of the previous state. This check does not affect the
	// signers that the caller trusts.
	err := proof.CheckStates(ctx, c.reader)
	if errors.Is(err, proof.ErrSigners) {
		c.fault(contradiction, "", err.Error())
		return nil
	}
	last := statement.Head{}
	for i, s := range b.Signers {
		signed, err := statement.Decode([]byte(c.reader.statements[s.Statement].Statement))
		if s.Number != i+1 || s.Event.Seq <= last.Seq || s.Event.Seq > b.Log.Seq || err != nil || signed.At.After(s.At) || s.At.After(b.At) {
			c.fault(contradiction, "", fmt.Sprintf("the number, time, or place of state %d of the signers differs from the signed value", i+1))
		}
		last = s.Event
	}
	return err
}

// Rule describes a type of fault.
type Rule struct {
	ID, Name   string
	Doc        string
	Suggestion string
}

const (
	brokenVersion = "B101"
	badSignature  = "B102"
	unknownKey    = "B103"
	revokedKey    = "B104"
	notShipped    = "B106"
	otherDatabase = "B107"
	tooFew        = "B109"
	contradiction = "B110"
	// Unsigned is the rule for an approval without a signature.
	Unsigned = "B105"
	// Unverified is the rule for a bundle that was checked without signers.
	Unverified = "B108"
)

// Rules returns all types of faults. Every type has the severity block.
func Rules() []Rule {
	export := "Export the bundle again; if that does not help, run toolcrib verify on the database."
	return []Rule{
		{brokenVersion, "broken-version", "The content of a version, or its place in the chain, does not match its hash.", export},
		{badSignature, "bad-signature", "The signature of an approval is invalid, is missing from the bundle, or covers other content.", export},
		{unknownKey, "unknown-key", "The signers file does not list the key that signed an approval for the user who approved, or the key was not valid at that time.", "Have a signer approve the version again, or correct the signers file that the check uses."},
		{revokedKey, "revoked-key", "The key that signed an approval was removed from the signers file, so its signatures are not valid.", "Approve the version again with another key."},
		{Unsigned, "unsigned-version", "An approval is not signed, so the bundle does not prove who approved.", "Approve the version again with a signature, or accept unsigned versions with --allow-unsigned."},
		{notShipped, "not-shipped", "A version claims to ship with toolcrib, but this toolcrib does not ship it.", "Use the toolcrib release that exported the bundle."},
		{otherDatabase, "other-database", "The bundle is of another database than expected.", "Correct --database, or export from the right database."},
		{tooFew, "missing-approvals", "Fewer owners signed the approval of a version than the policy in the configuration requires.", "Have the missing owners approve the version again."},
		{contradiction, "contradiction", "A statement, a layer, a time, or a state of the signers contradicts the rest of the bundle: something was changed or removed.", export},
		{Unverified, "unverified", "No signature was checked, because no signers file was given. Any part of the bundle may have been forged.", "Pass --signers FILE, or accept the bundle without signatures with --allow-unsigned."},
	}
}
