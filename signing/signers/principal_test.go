package signers_test

import (
	"errors"
	"testing"

	"golang.org/x/crypto/ssh"

	"toolcrib/signing/signers"
	"toolcrib/signing/signingtest"
)

// TestPrincipal checks that the key determines the principal, and that the login
// name matters only for certificates with several.
func TestPrincipal(t *testing.T) {
	mara, ada, ca, other := signingtest.NewKey(t, "ed25519"), signingtest.NewKey(t, "ecdsa-256"), signingtest.NewKey(t, "ed25519"), signingtest.NewKey(t, "ed25519")
	late := signingtest.NewKey(t, "ed25519")
	who := parse(t, "user:mara "+signingtest.Line(mara.PublicKey())+"\n"+
		"user:ada "+signingtest.Line(ada.PublicKey())+"\n"+
		"user:late valid-before=\"20261130Z\" "+signingtest.Line(late.PublicKey())+"\n"+
		"user:mara,user:ada cert-authority "+signingtest.Line(ca.PublicKey()))
	cert := func(names ...string) ssh.PublicKey {
		return certify(t, ca, other.PublicKey(), func(c *ssh.Certificate) { c.ValidPrincipals = names })
	}
	for _, tt := range []struct {
		name, login string
		key         ssh.PublicKey
		want        string
		err         error
	}{
		{"a key", "root", mara.PublicKey(), "user:mara", nil},
		{"the login of another", "mara", ada.PublicKey(), "user:ada", nil},
		{"an unknown key", "mara", other.PublicKey(), "", signers.ErrUnknownKey},
		{"an authority is not a user", "mara", ca.PublicKey(), "", signers.ErrUnknownKey},
		{"a key that has expired", "late", late.PublicKey(), "", signers.ErrNotValid},
		{"a certificate", "root", cert("user:ada"), "user:ada", nil},
		{"a certificate for several", "ada", cert("user:mara", "user:ada"), "user:ada", nil},
		{"a certificate for several, by another login", "root", cert("user:mara", "user:ada"), "", signers.ErrUnknownKey},
		{"a certificate beyond its authority", "root", cert("user:root"), "", signers.ErrUnknownKey},
		{"a certificate for nobody", "mara", cert(), "", signers.ErrUnknownKey},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := who.Principal(tt.login, tt.key, noon)
			if got != tt.want || !errors.Is(err, tt.err) || (err == nil) != (tt.err == nil) {
				t.Errorf("%q, %v; want %q, %v", got, err, tt.want, tt.err)
			}
		})
	}
}
