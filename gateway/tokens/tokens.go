// Package tokens manages the bearer tokens for the servers of toolcrib. Each token belongs to an agent. Users create
// and revoke tokens. Only a hash of the token's secret is stored.
package tokens

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"toolcrib/gateway"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
)

// ErrToken indicates that a token is unknown, expired, or revoked.
var ErrToken = errors.New("the token is not valid")

// Token allows its holder to act as an agent.
type Token struct {
	ID string // UUIDv7; part of the secret
	// Caller is the identity of the holder: the actor, the agent, and the user and the customer for whom the holder
	// acts. If User is "", each request must name a user.
	Caller     gateway.Caller
	SecretHash string // SHA-256 of the secret in lower-case hex
	By         proposals.Actor
	At         time.Time
	ExpiresAt  time.Time   // zero if the token does not expire
	Revoked    *Revocation // nil if the token was not revoked
}

// Revocation records that a user revoked a token.
type Revocation struct {
	ID     string // UUIDv7
	Token  string // id of the token
	Reason string
	By     proposals.Actor
	At     time.Time
}

// Store stores tokens and revocations. Both are immutable.
type Store interface {
	// Token returns the token with the given id. The error wraps proposals.ErrNotFound if the token does not exist.
	Token(ctx context.Context, id string) (Token, error)
	// TokensOf returns the tokens with ids that start with prefix, newest first.
	TokensOf(ctx context.Context, prefix string) ([]Token, error)
	// AddToken adds a token, and an event about the agent.
	AddToken(ctx context.Context, t Token, agent registry.Subject) error
	// AddRevocation adds a revocation and an event. The error wraps
	// proposals.ErrConflict if the token is already revoked.
	AddRevocation(ctx context.Context, r Revocation) error
}

// Registry finds the definition of a token's agent.
type Registry interface {
	Toolset(ctx context.Context, agent string, layer registry.Layer, where registry.Context) (registry.Live, registry.Resolution, error)
}

// Tokens creates, checks, and revokes tokens.
type Tokens struct {
	Store    Store
	Registry Registry
	Now      func() time.Time
	NewID    func() string
}

// prefix is the prefix of all secrets. It allows scanners to recognize leaked secrets.
const prefix = "toolcrib_"

// stamp returns the current time, truncated to the resolution of the store.
func (k Tokens) stamp() time.Time { return k.Now().UTC().Truncate(time.Microsecond) }

// Create creates a token for the agent and the user in caller. The token expires after
// lifetime, or never if lifetime is 0. The returned secret is not stored.
func (k Tokens) Create(ctx context.Context, by proposals.Actor, caller gateway.Caller, lifetime time.Duration) (t Token, secret string, err error) {
	if err := proposals.Authorize(by, proposals.ActCreateToken, proposals.Actor{}); err != nil {
		return t, "", err
	}
	if caller.Actor.Kind != proposals.Agent {
		return t, "", fmt.Errorf("%w: tokens are for agents only, not for %s", proposals.ErrAuthority, caller.Actor)
	}
	if err := caller.Check(); err != nil {
		return t, "", err
	}
	profile, _, err := k.Registry.Toolset(ctx, caller.Agent, caller.Layer, caller.Where)
	if err != nil && !errors.Is(err, registry.ErrNoTools) && !errors.Is(err, registry.ErrUnknownList) {
		return t, "", err
	}
	caller.Agent = profile.Subject.ID
	t = Token{ID: k.NewID(), Caller: caller, By: by, At: k.stamp()}
	if lifetime > 0 {
		t.ExpiresAt = t.At.Add(lifetime)
	}
	secret = prefix + strings.ReplaceAll(t.ID, "-", "") + "_" + rand.Text()
	t.SecretHash = hash(secret)
	return t, secret, k.Store.AddToken(ctx, t, profile.Subject)
}

// Revoke revokes the token with an id that equals or begins with ref. ref must be unambiguous and have at least
// proposals.MinPrefix characters.
func (k Tokens) Revoke(ctx context.Context, by proposals.Actor, ref, reason string) (Token, error) {
	if err := proposals.Authorize(by, proposals.ActRevokeToken, proposals.Actor{}); err != nil {
		return Token{}, err
	}
	if err := gateway.CheckReason(reason); err != nil {
		return Token{}, err
	}
	t, err := k.find(ctx, ref)
	if err != nil {
		return t, err
	}
	r := Revocation{ID: k.NewID(), Token: t.ID, Reason: reason, By: by, At: k.stamp()}
	t.Revoked = &r
	return t, k.Store.AddRevocation(ctx, r)
}

// find returns the token with an id that begins with ref. It returns an error if no token or several tokens match.
func (k Tokens) find(ctx context.Context, ref string) (Token, error) {
	if len(ref) < proposals.MinPrefix {
		return Token{}, fmt.Errorf("token %q: %w; use at least %d characters of the token's id", ref, proposals.ErrNotFound, proposals.MinPrefix)
	}
	found, err := k.Store.TokensOf(ctx, ref)
	switch {
	case err != nil:
		return Token{}, err
	case len(found) == 0:
		return Token{}, fmt.Errorf("token %q: %w", ref, proposals.ErrNotFound)
	case len(found) > 1:
		return Token{}, fmt.Errorf("token %q: %w; use more characters of the token's id", ref, review.ErrAmbiguous)
	}
	return found[0], nil
}

// List returns all tokens, the newest first.
func (k Tokens) List(ctx context.Context) ([]Token, error) { return k.Store.TokensOf(ctx, "") }

// Check returns the token with the given secret. The error wraps ErrToken if the token is unknown, revoked, or expired.
// The duration of Check does not reveal anything about the secret, because Check finds the token by id and compares
// hashes in constant time.
func (k Tokens) Check(ctx context.Context, secret string) (Token, error) {
	parts := secretForm.FindStringSubmatch(secret)
	if parts == nil {
		return Token{}, ErrToken
	}
	t, inForce := k.ByID(ctx, strings.Join(parts[1:], "-"))
	if inForce != nil && t.ID == "" {
		return Token{}, inForce
	}
	if subtle.ConstantTimeCompare([]byte(hash(secret)), []byte(t.SecretHash)) != 1 {
		return Token{}, ErrToken
	}
	return t, inForce
}

// ByID returns the token with the given id. The error wraps ErrToken if the token is unknown, revoked, or expired.
func (k Tokens) ByID(ctx context.Context, id string) (Token, error) {
	t, err := k.Store.Token(ctx, id)
	if errors.Is(err, proposals.ErrNotFound) {
		return Token{}, ErrToken
	}
	if err != nil {
		return Token{}, err
	}
	return t, t.InForce(k.Now())
}

// InForce returns nil if the token is valid at the time now. Otherwise, it returns an error with the reason.
func (t Token) InForce(now time.Time) error {
	switch {
	case t.Revoked != nil:
		return fmt.Errorf("%w: it was revoked", ErrToken)
	case !t.ExpiresAt.IsZero() && !now.Before(t.ExpiresAt):
		return fmt.Errorf("%w: it expired at %s", ErrToken, t.ExpiresAt.Format(time.RFC3339))
	}
	return nil
}

// hash returns the stored form of a secret. A fast hash is sufficient, because guessing the 130 random bits of a secret
// is infeasible.
func hash(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// secretForm matches a secret. Its groups are the parts of the token's id.
var secretForm = regexp.MustCompile(`^` + prefix + `([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})_.`)
