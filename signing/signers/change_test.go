package signers_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"toolcrib/signing/signers"
	"toolcrib/signing/signingtest"
	"toolcrib/signing/statement"
)

// TestChange has states follow each other: by whom, and by whom not.
func TestChange(t *testing.T) {
	signingtest.NeedsKeygen(t)
	mara, ada, eve := signingtest.NewKey(t, "ed25519"), signingtest.NewKey(t, "ecdsa-256"), signingtest.NewKey(t, "ed25519")
	maras, adas, eves := signingtest.Line(mara.PublicKey()), signingtest.Line(ada.PublicKey()), signingtest.Line(eve.PublicKey())
	one := parse(t, "user:mara "+maras, nil)
	both := parse(t, "user:mara "+maras+"\nuser:ada "+adas, nil)
	onlyAda := parse(t, "user:ada "+adas, nil)
	withoutMara := parse(t, "user:ada "+adas, revocation(t, maras))
	for _, c := range []struct {
		name   string
		change signers.Change
		by     string
		key    signingtest.Key
		want   error
	}{
		{"the first, by its own signer", signers.Change{Number: 1, Next: one}, "user:mara", mara, nil},
		{"the first, by another", signers.Change{Number: 1, Next: one}, "user:eve", eve, signers.ErrUnknownKey},
		{"somebody joins", signers.Change{Number: 2, Previous: one, Next: both}, "user:mara", mara, nil},
		{"somebody lets herself in", signers.Change{Number: 2, Previous: one, Next: both}, "user:ada", ada, signers.ErrUnknownKey},
		{"somebody signs as another", signers.Change{Number: 2, Previous: one, Next: both}, "user:mara", ada, signers.ErrUnknownKey},
		{"somebody hands over", signers.Change{Number: 3, Previous: one, Next: onlyAda}, "user:mara", mara, nil},
		{"a key is revoked by another", signers.Change{Number: 3, Previous: both, Next: withoutMara}, "user:ada", ada, nil},
		{"a key is revoked by itself", signers.Change{Number: 3, Previous: both, Next: withoutMara}, "user:mara", mara, signers.ErrChange},
		{"nobody is left", signers.Change{Number: 3, Previous: one, Next: parse(t, "# nobody\n", nil)}, "user:mara", mara, signers.ErrChange},
		{"nobody may sign", signers.Change{Number: 3, Previous: one, Next: parse(t, `user:ada namespaces="git" `+adas, nil)}, "user:mara", mara, signers.ErrChange},
		{"everybody is late", signers.Change{Number: 3, Previous: one, Next: parse(t, `user:ada valid-before="20250101Z" `+adas, nil)}, "user:mara", mara, signers.ErrChange},
		{"somebody will join", signers.Change{Number: 3, Previous: one, Next: parse(t, `user:ada valid-after="20300101Z" `+adas, nil)}, "user:mara", mara, nil},
		{"only an authority is left", signers.Change{Number: 3, Previous: one, Next: parse(t, "user:ada cert-authority "+eves, nil)}, "user:mara", mara, nil},
		{"all that is left is revoked", signers.Change{Number: 3, Previous: one, Next: parse(t, "user:ada "+adas, revocation(t, adas))}, "user:mara", mara, signers.ErrChange},
	} {
		encoded := encode(t, c.by, c.change.Act())
		who, err := c.change.Check(encoded, sign(t, c.key, nil, encoded))
		if !errors.Is(err, c.want) || c.want == nil && who.Principal != c.by {
			t.Errorf("%s: %+v, %v; expected %v", c.name, who, err, c.want)
		}
	}
}

// TestChangeOfAnother has a signature for one change put another in force.
func TestChangeOfAnother(t *testing.T) {
	mara, ada := signingtest.NewKey(t, "ed25519"), signingtest.NewKey(t, "ed25519")
	one := parse(t, "user:mara "+signingtest.Line(mara.PublicKey()), nil)
	two := parse(t, "user:ada "+signingtest.Line(ada.PublicKey()), nil)
	step := signers.Change{Number: 2, Previous: one, Next: two}
	for name, act := range map[string]statement.Act{
		"another number": signers.Change{Number: 3, Previous: one, Next: two}.Act(),
		"the way back":   signers.Change{Number: 2, Previous: two, Next: one}.Act(),
		"the first":      signers.Change{Number: 1, Next: two}.Act(),
		"a tier":         &statement.Tier{Tools: []string{"tool:global/a"}, User: statement.Text("mara")},
	} {
		encoded := encode(t, "user:mara", act)
		if _, err := step.Check(encoded, sign(t, mara, nil, encoded)); !errors.Is(err, signers.ErrChange) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := step.Check([]byte("x"), nil); !errors.Is(err, statement.ErrMalformed) {
		t.Errorf("no statement: %v", err)
	}
}

func encode(t *testing.T, by string, act statement.Act) []byte {
	t.Helper()
	hash := statement.Text("event")
	b, err := statement.Encode(statement.Statement{
		Database: hash, Log: statement.Head{Seq: 1, Hash: hash}, By: by, At: noon.Add(time.Microsecond), Act: act, Note: statement.Text(""),
	})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// revocation has ssh-keygen write a list.
func revocation(t *testing.T, key string) []byte {
	t.Helper()
	dir := t.TempDir()
	spec, list := filepath.Join(dir, "spec"), filepath.Join(dir, "list")
	signingtest.WriteFile(t, spec, "key: "+key+"\n")
	signingtest.MustKeygen(t, nil, "-k", "-q", "-f", list, spec)
	b, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
