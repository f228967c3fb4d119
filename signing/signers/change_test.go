package signers_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"toolcrib/signing/signers"
	"toolcrib/signing/signingtest"
	"toolcrib/signing/statement"
)

// TestChange checks who can put a state in force.
func TestChange(t *testing.T) {
	signingtest.NeedsKeygen(t)
	mara, ada, eve := signingtest.NewKey(t, "ed25519"), signingtest.NewKey(t, "ecdsa-256"), signingtest.NewKey(t, "ed25519")
	maras, adas, eves := signingtest.Line(mara.PublicKey()), signingtest.Line(ada.PublicKey()), signingtest.Line(eve.PublicKey())
	one := parse(t, "user:mara "+maras)
	both := parse(t, "user:mara "+maras+"\nuser:ada "+adas)
	onlyAda := parse(t, "user:ada "+adas)
	withoutMara := withList(t, "user:mara "+maras+"\nuser:ada "+adas, revocation(t, "key: "+maras))
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
		{"after the list, by the other", signers.Change{Number: 4, Previous: withoutMara, Next: onlyAda}, "user:ada", ada, nil},
		{"after the list, by the revoked key", signers.Change{Number: 4, Previous: withoutMara, Next: both}, "user:mara", mara, signers.ErrRevoked},
		{"a key hands over to the other", signers.Change{Number: 3, Previous: both, Next: onlyAda}, "user:mara", mara, nil},
		{"nobody is left", signers.Change{Number: 3, Previous: one, Next: parse(t, "# nobody\n")}, "user:mara", mara, signers.ErrChange},
		{"no key is allowed to sign", signers.Change{Number: 3, Previous: one, Next: parse(t, `user:ada namespaces="git" `+adas)}, "user:mara", mara, signers.ErrChange},
		{"everybody is late", signers.Change{Number: 3, Previous: one, Next: parse(t, `user:ada valid-before="20250101Z" `+adas)}, "user:mara", mara, signers.ErrChange},
		{"somebody will join", signers.Change{Number: 3, Previous: one, Next: parse(t, `user:ada valid-after="20300101Z" `+adas)}, "user:mara", mara, nil},
		{"only an authority is left", signers.Change{Number: 3, Previous: one, Next: parse(t, "user:ada cert-authority "+eves)}, "user:mara", mara, nil},
		{"all that is left is revoked", signers.Change{Number: 3, Previous: one, Next: withList(t, "user:ada "+adas, revocation(t, "key: "+adas))}, "user:mara", mara, signers.ErrChange},
	} {
		encoded := encode(t, c.by, c.change.Act())
		who, err := c.change.Check(encoded, sign(t, c.key, nil, encoded))
		if !errors.Is(err, c.want) || c.want == nil && who.Principal != c.by {
			t.Errorf("%s: %+v, %v; expected %v", c.name, who, err, c.want)
		}
	}
}

// TestCheckLater rejects states that lock everybody out, and states that accept a
// key which the list of the previous state revoked.
func TestCheckLater(t *testing.T) {
	signingtest.NeedsKeygen(t)
	maras, adas, cas := signingtest.Line(signingtest.NewKey(t, "ed25519").PublicKey()), signingtest.Line(signingtest.NewKey(t, "ecdsa-256").PublicKey()),
		signingtest.Line(signingtest.NewKey(t, "ed25519").PublicKey())
	both := parse(t, "user:mara "+maras+"\nuser:ada "+adas)
	revoked := withList(t, "user:mara "+maras+"\nuser:ada "+adas, revocation(t, "sha256: "+maras))
	const now, ended = `valid-before="20261201120000Z" `, `valid-before="20261130Z" `
	for _, c := range []struct {
		name     string
		previous *signers.Signers
		next     string
		want     string // in the error; "" for no error
		drops    bool
	}{
		{"the first", nil, "user:mara " + maras, "", false},
		{"the only key ends now", both, "user:mara " + now + maras, "no key is allowed to sign", false},
		{"one of two keys ends now", both, "user:mara " + now + maras + "\nuser:ada " + adas, "", false},
		{"the list is dropped", revoked, "user:mara " + maras + "\nuser:ada " + adas, "on line 1", false},
		{"the revoked key starts later", revoked, "user:ada " + adas + "\nuser:mara valid-after=\"20300101Z\" " + maras, "on line 2", false},
		{"the revoked key certifies", revoked, "user:ada " + adas + "\nuser:mara cert-authority " + maras, "on line 2", true},
		{"the revoked key ends", revoked, "user:mara " + ended + maras + "\nuser:ada " + adas, "", false},
		{"the line of the revoked key is removed", revoked, "user:ada " + adas, "", false},
		{"an authority stays", revoked, "user:ada " + adas + "\nuser:kim cert-authority " + cas, "", true},
	} {
		change := signers.Change{Number: 3, Previous: c.previous, Next: parse(t, c.next)}
		err := change.CheckLater(noon.Add(time.Second))
		if (err != nil) != (c.want != "") || err != nil && (!errors.Is(err, signers.ErrChange) || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v; want %q", c.name, err, c.want)
		}
		if got := change.DropsCertificates(); got != c.drops {
			t.Errorf("%s: drops certificates: %v", c.name, got)
		}
	}
}

// TestChangeOfAnother uses the signature for one change with another.
func TestChangeOfAnother(t *testing.T) {
	mara, ada := signingtest.NewKey(t, "ed25519"), signingtest.NewKey(t, "ed25519")
	one := parse(t, "user:mara "+signingtest.Line(mara.PublicKey()))
	two := parse(t, "user:ada "+signingtest.Line(ada.PublicKey()))
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

// revocation returns a key revocation list made by ssh-keygen.
func revocation(t *testing.T, line string) []byte {
	t.Helper()
	dir := t.TempDir()
	spec, list := filepath.Join(dir, "spec"), filepath.Join(dir, "list")
	signingtest.WriteFile(t, spec, line+"\n")
	signingtest.MustKeygen(t, nil, "-k", "-q", "-f", list, spec)
	b, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
