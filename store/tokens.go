package store

import (
	"context"
	"fmt"
	"slices"

	"toolcrib/gateway/tokens"
	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
)

// Tokens is the database as tokens are kept in it.
type Tokens struct{ pool *connections }

var _ tokens.Store = Tokens{}

func tokenColumns(t *tokens.Token) columns {
	return columns{
		col("id", &t.ID), col("caller", asCaller(&t.Caller)), col("secret_hash", &t.SecretHash), col("created_by", asActor(&t.By)),
		col("created_at", asTime(&t.At)), col("expires_at", asMaybeTime(&t.ExpiresAt)),
	}
}

func revocationColumns(r *tokens.Revocation) columns {
	return columns{col("id", &r.ID), col("token", &r.Token), col("reason", &r.Reason), col("revoked_by", asActor(&r.By)), col("revoked_at", asTime(&r.At))}
}

// readTokens returns the tokens that a condition on t selects, with their revocations.
func readTokens(ctx context.Context, s *session, where string, args ...any) ([]tokens.Token, error) {
	var revoked bool
	var r tokens.Revocation
	revocation := revocationColumns(&r)
	describe := func(t *tokens.Token) columns { return slices.Concat(tokenColumns(t), revocation.when(&revoked)) }
	scan := reading(describe)
	return all(ctx, s, func(row scanner) (tokens.Token, error) {
		t, err := scan(row)
		if revoked {
			t.Revoked = new(r)
		}
		return t, err
	}, "SELECT "+tokenColumns(new(tokens.Token)).of("t")+", "+revocation.maybe("r", "id")+" FROM tokens t LEFT JOIN token_revocations r ON r.token = t.id "+where, args...)
}

// Token implements tokens.Store.
func (k Tokens) Token(ctx context.Context, id string) (tokens.Token, error) {
	found, err := viewed(ctx, k.pool, func(s *session) ([]tokens.Token, error) {
		return readTokens(ctx, s, "WHERE t.id = $1", id)
	})
	return first(found, err, "the token %s", jsondoc.Quote(id))
}

// TokensOf implements tokens.Store.
func (k Tokens) TokensOf(ctx context.Context, prefix string) ([]tokens.Token, error) {
	return viewed(ctx, k.pool, func(s *session) ([]tokens.Token, error) {
		return readTokens(ctx, s, "WHERE substr(t.id, 1, $1) = $2 ORDER BY t.seq DESC", len(prefix), prefix)
	})
}

// AddToken implements tokens.Store.
func (k Tokens) AddToken(ctx context.Context, t tokens.Token, agent registry.Subject) error {
	return k.pool.update(ctx, func(s *session) error {
		seal, err := record(ctx, s, tokenRecords, tokenColumns(&t))
		if err != nil {
			return err
		}
		return eventLog{session: s}.tell(ctx, history.Event{ID: t.ID, At: t.At, Actor: t.By.String(), Act: string(proposals.ActCreateToken), Subject: agent.String(), Record: seal},
			map[string]any{"token": t.ID, "actor": t.Caller.Actor.String(), "user": t.Caller.User, "expires_at": maybe(t.ExpiresAt)})
	})
}

// AddRevocation implements tokens.Store.
func (k Tokens) AddRevocation(ctx context.Context, r tokens.Revocation) error {
	return k.pool.update(ctx, func(s *session) error {
		var agent, already string
		err := s.Row(ctx, `SELECT coalesce((SELECT subject FROM events e JOIN tokens t ON e.record = t.seal AND e.record <> '' WHERE t.id = $1), ''),
			coalesce((SELECT revoked_at FROM token_revocations WHERE token = $1), '')`, []any{r.Token}, &agent, &already)
		if err != nil {
			return err
		}
		if already != "" {
			return fmt.Errorf("the token %s: %w: it was revoked at %s", r.Token, proposals.ErrConflict, already)
		}
		seal, err := record(ctx, s, tokenEndRecords, revocationColumns(&r))
		if err != nil {
			return err
		}
		return eventLog{session: s}.tell(ctx, history.Event{ID: r.ID, At: r.At, Actor: r.By.String(), Act: string(proposals.ActRevokeToken), Subject: agent, Record: seal},
			map[string]any{"token": r.Token})
	})
}

// The sealed tables.
var (
	tokenRecords    = recordsOf("tokens", "toolcrib token 1", tokenColumns)
	tokenEndRecords = recordsOf("token_revocations", "toolcrib token revocation 1", revocationColumns)
)
