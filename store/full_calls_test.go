package store_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"toolcrib/gateway"
	"toolcrib/gateway/tokens"
	"toolcrib/registry"
	"toolcrib/registry/shipped"
	"toolcrib/store/storetest"
)

// fillCalls writes rows to all tables of the gateway: for a call that ran, for a rejected call that had waited, for a
// call that ran after an approval, and for the tier that a user chose for a tool.
func fillCalls(ctx context.Context, db *storetest.Database) error {
	by := gateway.Caller{Actor: scout, Agent: "assistant", Layer: registry.LayerUser, User: "ada", Customer: "acme"}
	readOnly := true
	call := func(id, pending string, nth int) gateway.Call {
		return gateway.Call{
			ID: db.NewID(), At: db.Clock.Now(), Caller: by, Name: id, Tool: shippedTool(id), Version: 1, ContentHash: shippedHash(id),
			Annotations: &registry.Annotations{ReadOnly: &readOnly}, ArgsHash: registry.HashBytes([]byte("{}")), Pending: pending, Nth: nth,
		}
	}
	ask := func(digest string) gateway.Pending {
		return gateway.Pending{
			ID: db.NewID(), Caller: by, Tool: shippedTool("delete_tasks"), Version: 1, ContentHash: shippedHash("delete_tasks"),
			Args: json.RawMessage(`{"ids":["1"]}`), Digest: strings.Repeat(digest, 64), AskedAt: db.Clock.Now(), ExpiresAt: db.Clock.Now().Add(time.Hour),
		}
	}
	if err := fillTokens(ctx, db, by); err != nil {
		return err
	}
	old := call("get_reminders", "", 0)
	old.At = old.At.Add(-48 * time.Hour)
	prune := func() error { // the oldest call
		file := filepath.Join(os.TempDir(), "toolcrib-test-"+rand.Text())
		_, err := db.Calls().Prune(ctx, pruneTo(db, ada, old.At.Add(time.Second), file))
		return errors.Join(err, os.Remove(file))
	}
	err := db.Calls().Durable(ctx, func(tx gateway.LedgerTx) error {
		_, err := tx.CountRefused(ctx, old, gateway.CodeCooldown, 1)
		return errors.Join(err, tx.AddCall(ctx, old), tx.AddOutcome(ctx, old.ID, gateway.Outcome{Code: gateway.CodeCooldown, At: old.At}))
	})
	if err != nil {
		return err
	}
	err = db.Calls().Durable(ctx, func(tx gateway.LedgerTx) error {
		plain, refused, approved := call("get_tasks", "", 1), ask("a"), ask("b")
		asked, ran := call("delete_tasks", refused.ID, 0), call("delete_tasks", approved.ID, 1)
		_, err := tx.CountRefused(ctx, asked, gateway.CodeApprovalRequired, 1)
		return errors.Join(
			err,
			tx.AddCall(ctx, plain),
			tx.AddOutcome(ctx, plain.ID, gateway.Outcome{At: db.Clock.Now(), Duration: time.Millisecond}),
			tx.AddPending(ctx, refused),
			tx.AddPending(ctx, approved),
			tx.AddCall(ctx, asked),
			tx.AddOutcome(ctx, asked.ID, gateway.Outcome{Code: gateway.CodeApprovalRequired, At: db.Clock.Now()}),
			tx.AddAnswer(ctx, refused.ID, gateway.Answer{ID: db.NewID(), Digest: refused.Digest, Reason: "Not today.", By: ada, At: db.Clock.Now()}),
			tx.AddAnswer(ctx, approved.ID, gateway.Answer{ID: db.NewID(), Approved: true, Digest: approved.Digest, By: ada, At: db.Clock.Now(), Call: ran.ID}),
			tx.AddCall(ctx, ran),
			tx.AddOutcome(ctx, ran.ID, gateway.Outcome{At: db.Clock.Now(), Duration: time.Second, Output: json.RawMessage(`{"deleted":1}`)}),
			tx.AddOverride(ctx, gateway.Override{ID: db.NewID(), User: "ada", Tool: shippedTool("delete_tasks"), Tier: registry.AutoApprove, By: ada, At: db.Clock.Now()}),
			tx.AddOverride(ctx, gateway.Override{ID: db.NewID(), User: "ada", Tool: shippedTool("delete_tasks"), By: ada, At: db.Clock.Now()}),
		)
	})
	if err != nil {
		return err
	}
	return prune()
}

// fillTokens creates a valid token and two revoked ones.
func fillTokens(ctx context.Context, db *storetest.Database, by gateway.Caller) error {
	agent := registry.Subject{Kind: registry.KindAgent, Layer: registry.LayerGlobal, ID: by.Agent}
	for _, digit := range []string{"c", "d", "e"} {
		t := tokens.Token{ID: db.NewID(), Caller: by, SecretHash: strings.Repeat(digit, 64), By: ada, At: db.Clock.Now(), ExpiresAt: db.Clock.Now().Add(time.Hour)}
		if err := db.Tokens().AddToken(ctx, t, agent); err != nil {
			return err
		}
		if digit == "e" {
			break
		}
		if err := db.Tokens().AddRevocation(ctx, tokens.Revocation{ID: db.NewID(), Token: t.ID, Reason: "It leaked.", By: ada, At: db.Clock.Now()}); err != nil {
			return err
		}
	}
	return nil
}

func shippedTool(id string) registry.Subject {
	return registry.Subject{Kind: registry.KindTool, Layer: registry.LayerGlobal, ID: id}
}

// shippedHash is the content hash of a tool of the assistant.
func shippedHash(id string) string {
	for _, d := range shipped.Assistant() {
		if d.ID() == id {
			return d.Hash()
		}
	}
	return ""
}
