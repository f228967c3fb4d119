// This file stores the access tokens of agents and their revocations.

package calls

import (
	"context"
	"fmt"
	"slices"

	"toolcrib/gateway/tokens"
	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/store/records"
	"toolcrib/store/session"
	"toolcrib/store/table"
)

// Tokens implements tokens.Store.
type Tokens struct{ Pool *session.Pool }

var _ tokens.Store = Tokens{}

func tokenColumns(t *tokens.Token) table.Columns {
	return table.Columns{
		table.Col("id", &t.ID), table.Col("caller", asCaller(&t.Caller)), table.Col("secret_hash", &t.SecretHash), table.Col("created_by", table.Actor(&t.By)),
		table.Col("created_at", table.Time(&t.At)), table.Col("expires_at", table.MaybeTime(&t.ExpiresAt)),
	}
}

func revocationColumns(r *tokens.Revocation) table.Columns {
	return table.Columns{table.Col("id", &r.ID), table.Col("token", &r.Token), table.Col("reason", &r.Reason), table.Col("revoked_by", table.Actor(&r.By)), table.Col("revoked_at", table.Time(&r.At))}
}

// readTokens returns tokens, together with their revocations. The argument clauses is
// the part of the query after the FROM clause.
func readTokens(ctx context.Context, s *session.Session, clauses string, args ...any) ([]tokens.Token, error) {
	var revoked bool
	var r tokens.Revocation
	revocation := revocationColumns(&r)
	describe := func(t *tokens.Token) table.Columns { return slices.Concat(tokenColumns(t), revocation.When(&revoked)) }
	scan := table.Reading(describe)
	return table.All(ctx, s, func(row table.Scanner) (tokens.Token, error) {
		t, err := scan(row)
		if revoked {
			t.Revoked = new(r)
		}
		return t, err
	}, "SELECT "+tokenColumns(new(tokens.Token)).Of("t")+", "+revocation.Maybe("r", "id")+" FROM tokens t LEFT JOIN token_revocations r ON r.token = t.id "+clauses, args...)
}

// Token implements tokens.Store.
func (k Tokens) Token(ctx context.Context, id string) (tokens.Token, error) {
	found, err := session.Read(ctx, k.Pool, func(s *session.Session) ([]tokens.Token, error) {
		return readTokens(ctx, s, "WHERE t.id = $1", id)
	})
	return table.First(found, err, "the token %s", jsondoc.Quote(id))
}

// TokensOf implements tokens.Store.
func (k Tokens) TokensOf(ctx context.Context, prefix string) ([]tokens.Token, error) {
	return session.Read(ctx, k.Pool, func(s *session.Session) ([]tokens.Token, error) {
		return readTokens(ctx, s, "WHERE substr(t.id, 1, $1) = $2 ORDER BY t.seq DESC", len(prefix), prefix)
	})
}

// AddToken implements tokens.Store.
func (k Tokens) AddToken(ctx context.Context, t tokens.Token, agent registry.Subject) error {
	return k.Pool.Update(ctx, func(s *session.Session) error {
		return records.AppendRecord(ctx, s, TokenTable, t, history.Event{ID: t.ID, At: t.At, Actor: t.By.String(), Act: string(proposals.ActCreateToken), Subject: agent.String()},
			map[string]any{"token": t.ID, "actor": t.Caller.Actor.String(), "user": t.Caller.User, "expires_at": table.FormatMaybe(t.ExpiresAt)})
	})
}

// AddRevocation implements tokens.Store.
func (k Tokens) AddRevocation(ctx context.Context, r tokens.Revocation) error {
	return k.Pool.Update(ctx, func(s *session.Session) error {
		var agent, already string
		err := s.Row(ctx, `SELECT coalesce((SELECT subject FROM events e JOIN tokens t ON e.record = t.seal AND e.record <> '' WHERE t.id = $1), ''),
			coalesce((SELECT revoked_at FROM token_revocations WHERE token = $1), '')`, []any{r.Token}, &agent, &already)
		if err != nil {
			return err
		}
		if already != "" {
			return fmt.Errorf("the token %s: %w: it was revoked at %s", r.Token, proposals.ErrConflict, already)
		}
		return records.AppendRecord(ctx, s, RevocationTable, r, history.Event{ID: r.ID, At: r.At, Actor: r.By.String(), Act: string(proposals.ActRevokeToken), Subject: agent},
			map[string]any{"token": r.Token})
	})
}

// The tables of tokens and revocations. Their rows are sealed.
var (
	TokenTable      = table.Sealed("tokens", "toolcrib token 1", tokenColumns)
	RevocationTable = table.Sealed("token_revocations", "toolcrib token revocation 1", revocationColumns)
)
