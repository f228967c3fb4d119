package tokens_test

import (
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"toolcrib/gateway"
	"toolcrib/gateway/tokens"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/store/storetest"
)

var (
	ada    = proposals.Actor{Kind: proposals.User, Name: "ada"}
	scout  = proposals.Actor{Kind: proposals.Agent, Name: "scout"}
	caller = gateway.Caller{Actor: scout, Agent: "assistant", Layer: registry.LayerUser, User: "ada"}
)

func open(t *testing.T) (tokens.Tokens, *storetest.Database) {
	t.Helper()
	db := storetest.New(t)
	desk := db.Desk(t, review.Policy{Severities: storetest.BasicSeverities()})
	return tokens.Tokens{Store: db.Tokens(), Registry: desk.Impact, Now: db.Clock.Now, NewID: db.NewID}, db
}

func create(t *testing.T, k tokens.Tokens, lifetime time.Duration) (tokens.Token, string) {
	t.Helper()
	token, secret, err := k.Create(t.Context(), ada, caller, lifetime)
	if err != nil {
		t.Fatal(err)
	}
	return token, secret
}

// TestTokens creates tokens, uses them and revokes one of them.
func TestTokens(t *testing.T) {
	k, _ := open(t)
	one, first := create(t, k, 0)
	_, second := create(t, k, 0)
	if first == second || !strings.HasPrefix(first, "toolcrib_") {
		t.Fatalf("%q, %q", first, second)
	}
	got, err := k.Check(t.Context(), first)
	if err != nil || got.ID != one.ID || got.Caller != caller || got.By != ada {
		t.Fatalf("%+v, %v", got, err)
	}
	if _, err := k.Revoke(t.Context(), ada, one.ID, "It leaked."); err != nil {
		t.Fatal(err)
	}
	if _, err := k.Check(t.Context(), first); !errors.Is(err, tokens.ErrToken) || !strings.Contains(err.Error(), "revoked") {
		t.Errorf("a revoked token: %v", err)
	}
	if _, err := k.Check(t.Context(), second); err != nil {
		t.Errorf("the other token: %v", err)
	}
	if _, err := k.Revoke(t.Context(), ada, one.ID, ""); !errors.Is(err, proposals.ErrConflict) {
		t.Errorf("revoked again: %v", err)
	}
	list, err := k.List(t.Context())
	if err != nil || len(list) != 2 || list[1].Revoked == nil || list[1].Revoked.Reason != "It leaked." || list[0].Revoked != nil {
		t.Errorf("%+v, %v", list, err)
	}
}

func TestTokensExpire(t *testing.T) {
	k, _ := open(t)
	token, secret := create(t, k, time.Hour)
	if _, err := k.Check(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
	k.Now = func() time.Time { return token.ExpiresAt }
	if _, err := k.Check(t.Context(), secret); !errors.Is(err, tokens.ErrToken) || !strings.Contains(err.Error(), "expired") {
		t.Errorf("%v", err)
	}
}

// TestInvalidSecrets checks malformed and unknown secrets.
func TestInvalidSecrets(t *testing.T) {
	k, _ := open(t)
	_, a := create(t, k, 0)
	_, b := create(t, k, 0)
	for _, secret := range []string{
		"", "toolcrib_", a[1:], a[:len(a)-1], a + "A", strings.ToUpper(a), strings.ToLower(a), " " + a, a + "\n",
		a[:len("toolcrib_")+33] + b[len("toolcrib_")+33:], strings.Replace(a, "toolcrib_", "toolcrib_%", 1), "toolcrib_" + strings.Repeat("0", 32) + "_" + strings.Repeat("A", 26),
	} {
		if _, err := k.Check(t.Context(), secret); !errors.Is(err, tokens.ErrToken) {
			t.Errorf("%q: %v", secret, err)
		}
	}
}

// TestOnlyUsersMakeTokens checks that only users create tokens, and only for
// agents.
func TestOnlyUsersMakeTokens(t *testing.T) {
	k, _ := open(t)
	token, _ := create(t, k, 0)
	for _, actor := range []proposals.Actor{scout, {Kind: proposals.Chief, Name: "x"}, {Kind: proposals.System}, {}} {
		if _, _, err := k.Create(t.Context(), actor, caller, 0); !errors.Is(err, proposals.ErrAuthority) {
			t.Errorf("%s creates: %v", actor, err)
		}
		if _, err := k.Revoke(t.Context(), actor, token.ID, ""); !errors.Is(err, proposals.ErrAuthority) {
			t.Errorf("%s revokes: %v", actor, err)
		}
	}
	user := caller
	user.Actor = ada
	if _, _, err := k.Create(t.Context(), ada, user, 0); !errors.Is(err, proposals.ErrAuthority) {
		t.Errorf("a token for a user: %v", err)
	}
	nobody := caller
	nobody.Agent = "nobody"
	if _, _, err := k.Create(t.Context(), ada, nobody, 0); !errors.Is(err, proposals.ErrNotFound) {
		t.Errorf("a token without an agent: %v", err)
	}
}

// TestSecretsAreNotStored searches every file of the database for a secret.
func TestSecretsAreNotStored(t *testing.T) {
	k, db := open(t)
	token, secret := create(t, k, 0)
	for _, name := range []string{db.Path(), db.Path() + "-wal"} {
		text, err := os.ReadFile(name)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		if random := secret[len("toolcrib_")+33:]; strings.Contains(string(text), random) {
			t.Errorf("%s contains the secret", name)
		}
	}
	told := logEntry(t, db, token.ID)
	if told["actor"] != "agent:scout" || told["user"] != "ada" {
		t.Errorf("unexpected log entry: %v", told)
	}
	for key, value := range told {
		if value == token.SecretHash {
			t.Errorf("the log contains the hash under %s", key)
		}
	}
}

// logEntry returns the audit log's record of a token.
func logEntry(t *testing.T, db *storetest.Database, id string) map[string]any {
	t.Helper()
	events, err := db.EventsAfter(t.Context(), 0, 1000)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		data := map[string]any{}
		if err := json.Unmarshal(e.Data, &data); err != nil {
			t.Fatal(err)
		}
		if e.Act == string(proposals.ActCreateToken) && e.ID == id && e.Subject == "agent:global/assistant" {
			return data
		}
	}
	t.Fatalf("no log entry for %s", id)
	return nil
}
