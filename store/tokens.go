package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"toolcrib/gateway/tokens"
	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
)

// Tokens is the database as tokens are kept in it.
type Tokens struct{ db *DB }

var _ tokens.Store = Tokens{}

// Tokens returns the side of the database that keeps tokens.
func (db *DB) Tokens() Tokens { return Tokens{db} }

const selectTokens = `SELECT t.id, t.caller, t.secret_hash, t.created_by, t.created_at, t.expires_at,
	r.id, coalesce(r.reason, ''), coalesce(r.revoked_by, ''), coalesce(r.revoked_at, '')
	FROM tokens t LEFT JOIN token_revocations r ON r.token = t.id `

func scanToken(row scanner) (tokens.Token, error) {
	var t tokens.Token
	var caller, by, at, expires, revokedBy, revokedAt string
	var revocation sql.NullString
	r := tokens.Revocation{}
	if err := row.Scan(&t.ID, &caller, &t.SecretHash, &by, &at, &expires, &revocation, &r.Reason, &revokedBy, &revokedAt); err != nil {
		return t, err
	}
	errs := []error{
		into(&t.Caller, decodeCaller, caller), into(&t.By, parseActor, by), into(&t.At, history.ParseTimestamp, at), into(&t.ExpiresAt, parseMaybe, expires),
	}
	if revocation.Valid {
		r.ID, r.Token = revocation.String, t.ID
		errs = append(errs, into(&r.By, parseActor, revokedBy), into(&r.At, history.ParseTimestamp, revokedAt))
		t.Revoked = &r
	}
	return t, errors.Join(errs...)
}

// Token implements tokens.Store.
func (k Tokens) Token(ctx context.Context, id string) (tokens.Token, error) {
	found, err := viewed(ctx, k.db, func(s *session) ([]tokens.Token, error) {
		return all(ctx, s, scanToken, selectTokens+"WHERE t.id = $1", id)
	})
	return first(found, err, "the token %s", jsondoc.Quote(id))
}

// TokensOf implements tokens.Store.
func (k Tokens) TokensOf(ctx context.Context, prefix string) ([]tokens.Token, error) {
	return viewed(ctx, k.db, func(s *session) ([]tokens.Token, error) {
		return all(ctx, s, scanToken, selectTokens+"WHERE substr(t.id, 1, $1) = $2 ORDER BY t.seq DESC", len(prefix), prefix)
	})
}

// AddToken implements tokens.Store.
func (k Tokens) AddToken(ctx context.Context, t tokens.Token, agent registry.Subject) error {
	caller, err := encodeCaller(t.Caller)
	if err != nil {
		return err
	}
	expires := maybe(t.ExpiresAt)
	return k.db.update(ctx, func(s *session) error {
		seal, err := s.record(ctx, tokenRecords, []string{t.ID, caller, t.SecretHash, t.By.String(), history.Timestamp(t.At), expires})
		if err != nil {
			return err
		}
		return eventLog{s}.tell(ctx, history.Event{ID: t.ID, At: t.At, Actor: t.By.String(), Act: string(proposals.ActCreateToken), Subject: agent.String(), Record: seal},
			map[string]any{"token": t.ID, "actor": t.Caller.Actor.String(), "user": t.Caller.User, "expires_at": expires})
	})
}

// AddRevocation implements tokens.Store.
func (k Tokens) AddRevocation(ctx context.Context, r tokens.Revocation) error {
	return k.db.update(ctx, func(s *session) error {
		var agent, already string
		err := s.Row(ctx, `SELECT coalesce((SELECT subject FROM events e JOIN tokens t ON e.record = t.seal AND e.record <> '' WHERE t.id = $1), ''),
			coalesce((SELECT revoked_at FROM token_revocations WHERE token = $1), '')`, []any{r.Token}, &agent, &already)
		if err != nil {
			return err
		}
		if already != "" {
			return fmt.Errorf("the token %s: %w: it was revoked at %s", r.Token, proposals.ErrConflict, already)
		}
		seal, err := s.record(ctx, tokenEndRecords, []string{r.ID, r.Token, r.Reason, r.By.String(), history.Timestamp(r.At)})
		if err != nil {
			return err
		}
		return eventLog{s}.tell(ctx, history.Event{ID: r.ID, At: r.At, Actor: r.By.String(), Act: string(proposals.ActRevokeToken), Subject: agent, Record: seal},
			map[string]any{"token": r.Token})
	})
}
