package bundle

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/signing/statement"
)

// Unproved lists what a bundle says that no hash and no signature in it covers, and
// what it cannot show.
func Unproved() []string {
	return []string{
		"that nothing is newer, or left out: a checkpoint shows how far the log goes",
		"when the bundle was written, its newest event, the events of the signers' states, and layers without a definition: nothing signs them",
	}
}

// around checks what stands beside the versions: statements, states of the signers, the
// view, and the place in the log.
func (c *checker) around(ctx context.Context, b Bundle) error {
	for i, layer := range b.View {
		if _, err := registry.ParseLayer(layer); err != nil || slices.Contains(b.View[:i], layer) {
			c.fault(contradiction, "", fmt.Sprintf("the view of the bundle has the layer %q twice, or there is no such layer", layer))
		}
	}
	used := map[string]bool{}
	for _, v := range b.Versions {
		used[v.Signature] = true
		for _, a := range v.Approvals {
			used[a.Signature] = true
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
		c.statement(b, s, hash, used[hash])
		delete(used, hash) // one that follows is there twice
	}
	if len(b.Signers) == 0 {
		return nil
	}
	return c.states(ctx, b)
}

// statement checks that something in the bundle refers to a statement, and that it is
// about an earlier moment of the same log.
func (c *checker) statement(b Bundle, s Statement, hash string, used bool) {
	st, err := statement.Decode([]byte(s.Statement))
	switch {
	case !used:
		c.fault(contradiction, "", fmt.Sprintf("nothing refers to the statement %.12s, or it is there twice: what it is about was changed or left out", hash))
	case err != nil: // the version that refers to it is reported
	case st.Database != b.Database:
		c.fault(contradiction, "", fmt.Sprintf("the statement %.12s is about another database", hash))
	case st.Log.Seq > b.Log.Seq || st.Log.Seq == b.Log.Seq && st.Log.Hash != b.Log.Hash || st.At.After(b.At):
		c.fault(contradiction, "", fmt.Sprintf("the statement %.12s is later than the bundle", hash))
	}
}

// states checks the states of the signers as the log of a database is checked: each is
// signed by a signer of the one before. Whom the caller trusts does not depend on them.
func (c *checker) states(ctx context.Context, b Bundle) error {
	err := review.CheckStates(ctx, c.reader)
	if errors.Is(err, review.ErrSigners) {
		c.fault(contradiction, "", err.Error())
		return nil
	}
	last := Head{}
	for i, s := range b.Signers {
		signed, err := statement.Decode([]byte(c.reader.statements[s.Statement].Statement))
		if s.Number != i+1 || s.Event.Seq <= last.Seq || s.Event.Seq > b.Log.Seq || err != nil || signed.At.After(s.At) || s.At.After(b.At) {
			c.fault(contradiction, "", fmt.Sprintf("state %d of the signers has another number, time, or place than it was signed with", i+1))
		}
		last = s.Event
	}
	return err
}
