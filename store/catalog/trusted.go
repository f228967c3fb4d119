// This file verifies live definitions. All code that reads whole live definitions uses Find, which checks
// signatures if they are required.

package catalog

import (
	"context"
	"fmt"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/shipped"
	"toolcrib/review/proof"
	"toolcrib/store/records"
	"toolcrib/store/table"
)

// State implements review.RegistryReader. The result increases when the registry changes, because every change adds a
// version. If signatures are required, the result also increases when the signers change, because this can change which
// versions are valid.
func (s Registry) State(ctx context.Context) (int64, error) {
	var n int64
	if !s.Trust.Required() {
		err := s.Row(ctx, "SELECT coalesce(max(seq), 0) FROM versions", nil, &n)
		return n, err
	}
	var signers string
	if err := s.Row(ctx, "SELECT (SELECT coalesce(max(seq), 0) FROM versions), coalesce(("+records.LastSigners+"), '')", nil, &n, &signers); err != nil {
		return 0, err
	}
	_, err := records.Signatures(s).ProofsOf(ctx, signers)
	return n + s.Trust.Changes(), err
}

// LiveFrom is the FROM clause of most queries for live definitions.
const LiveFrom = "FROM live l JOIN versions v ON v.subject = l.subject AND v.number = l.version "

// consistentLive returns a condition for a live row with the given alias and its version with the alias v. The
// condition requires that both have the same content hash, that v is the newest version of the subject, and that
// the columns kind, layer, and id match the subject.
func consistentLive(live string) string {
	return fmt.Sprintf(`%[1]s.content_hash = v.content_hash AND %[1]s.subject = %[1]s.kind || ':' || %[1]s.layer || '/' || %[1]s.id
	AND NOT EXISTS (SELECT 1 FROM versions n WHERE n.subject = %[1]s.subject AND n.number > %[1]s.version)`, live)
}

// shownLive is the SQL expression that joins the columns in which a live row repeats fields of the definition.
var shownLive = ShownColumns(new(registry.Columns)).Joined("l", shownBetween)

// shownBetween separates the values that shownLive joins. No value can contain this character.
const shownBetween = "\x1f"

// Find returns live definitions. The argument clauses contains the FROM clause and all later clauses of the query that
// selects the definitions, with the aliases l for live and v for versions. An invalid version still hides the
// definitions that it overrides. Find therefore returns it as a deactivated definition without content, together with
// the reason.
func (s Registry) Find(ctx context.Context, clauses string, args ...any) ([]registry.Live, error) {
	p, err := records.Signatures(s).Proofs(ctx)
	if err != nil {
		return nil, err
	}
	if p == nil {
		return table.All(ctx, s, s.scanLive, "SELECT l.subject, l.version, l.content_hash, l.locked, v.definition, "+consistentLive("l")+", "+shownLive+" "+clauses, args...)
	}
	scan := func(row table.Scanner) (registry.Live, error) { return s.scanProvenLive(ctx, p, row) }
	return table.All(ctx, s, scan, `SELECT l.subject, l.version, l.content_hash, l.locked, v.definition, v.hash,
		(SELECT max(number) FROM versions n WHERE n.subject = l.subject),
		`+records.SignedLater("l.subject", "v.signature")+" "+clauses, args...)
}

// scanProvenLive scans a live definition and checks it against the signed version. It returns the result of Refuse if
// the signature is missing or invalid, if the content or the lock of the row was changed, or if a newer version exists.
func (s Registry) scanProvenLive(ctx context.Context, p *proof.Proofs, row table.Scanner) (registry.Live, error) {
	var l registry.Live
	var subject, definition, hash string
	var newest int
	var signed bool // a statement about the subject is newer than the signature of the version
	if err := row.Scan(&subject, &l.Version, &l.ContentHash, &l.Locked, &definition, &hash, &newest, &signed); err != nil {
		return l, err
	}
	if err := table.Into(&l.Subject, registry.ParseSubject, subject); err != nil {
		return l, err
	}
	proof, err := s.proof(ctx, p, l.Subject, l.Version, hash)
	if err != nil {
		return l, err
	}
	refused := proof.Err
	switch {
	case refused != nil:
	case registry.HashBytes([]byte(definition)) != proof.ContentHash || l.ContentHash != proof.ContentHash:
		refused = fmt.Errorf("version %d of %s: %w: the content differs from the signed content", l.Version, l.Subject, proposals.ErrTampered)
	case l.Version != newest:
		refused = fmt.Errorf("version %d of %s: %w: a newer version exists", l.Version, l.Subject, proposals.ErrTampered)
	case l.Locked != locked(l.Subject):
		refused = fmt.Errorf("version %d of %s: %w: the lock was changed", l.Version, l.Subject, proposals.ErrTampered)
	default:
		if refused, err = s.superseded(ctx, p, proof, signed); err != nil {
			return l, err
		}
	}
	if refused != nil {
		return l.Refuse(refused), nil
	}
	return l, table.Into(&l.Definition, proof.Definition, definition)
}

// proof returns the proof of the given version. If the version was already checked, proof returns the cached
// result.
func (s Registry) proof(ctx context.Context, p *proof.Proofs, subject registry.Subject, number int, hash string) (*proof.Proof, error) {
	if proof, ok := p.Known(hash); ok && proof.Subject == subject && proof.Number == number {
		return proof, nil
	}
	v, err := s.version(ctx, subject, number, table.Reading(versionColumns)) // p.Version reports problems of v
	if err != nil {
		return nil, err
	}
	return p.Version(ctx, records.Signatures(s), v)
}

// superseded returns the reason to refuse the version of checked, or nil. The reason is that another version of
// the subject was signed later. The argument signed is true if a newer statement about the subject exists.
func (s Registry) superseded(ctx context.Context, p *proof.Proofs, checked *proof.Proof, signed bool) (refused, err error) {
	if !signed && !checked.Shared {
		return nil, nil
	}
	endorsed := func(ctx context.Context, hash string, proposal proposals.ID) (waits bool, err error) { // endorsed reports whether the approval waits for another signature
		err = s.Row(ctx, "SELECT EXISTS (SELECT 1 FROM decisions WHERE proposal = $1 AND signature = $2 AND verdict = 'endorsed')", []any{proposal, hash}, &waits)
		return waits, err
	}
	refused = p.Newest(ctx, records.Signatures(s), checked, endorsed)
	if refused != nil && !proof.Refuses(refused) {
		return nil, refused
	}
	return refused, nil
}

// locked reports whether s is a core tool.
func locked(s registry.Subject) bool {
	return s.Kind == registry.KindTool && s.Layer == registry.LayerGlobal && shipped.IsCore(s.ID)
}
