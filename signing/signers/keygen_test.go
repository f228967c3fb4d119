package signers_test

import (
	"errors"
	"path/filepath"
	"testing"

	"golang.org/x/crypto/ssh"

	"toolcrib/internal/shortrun"
	"toolcrib/signing/signers"
	"toolcrib/signing/signingtest"
	"toolcrib/signing/sshsig"
)

// keygenCase is a signature by key, with an optional certificate, that is checked
// against allowed signers.
type keygenCase struct {
	name     string
	allowed  string
	key      ssh.Signer
	cert     *ssh.Certificate
	want     error
	stricter bool // ssh-keygen accepts the signature
}

// compare checks the signature with Check and with ssh-keygen.
func (c keygenCase) compare(t *testing.T) {
	t.Helper()
	q := question{t: t, dir: t.TempDir(), allowed: c.allowed, signature: sign(t, c.key, c.cert, text)}
	s, err := signers.Parse([]byte(c.allowed + "\n"))
	if err != nil {
		t.Errorf("%s: %v", c.name, err)
		return
	}
	who, err := s.Check(text, q.signature, "user:mara", noon)
	if !errors.Is(err, c.want) || c.want == nil && who.Principal != "user:mara" {
		t.Errorf("%s: %+v, %v; expected %v", c.name, who, err, c.want)
	}
	if said, ok := q.keygen(); ok != (c.want == nil || c.stricter) {
		t.Errorf("%s: ssh-keygen: %s", c.name, said)
	}
	if again, err := signers.Restore(s.Text(), nil); err != nil || again.Digest() != s.Digest() {
		t.Errorf("%s: the state %q is not restored: %v", c.name, s.Text(), err)
	}
}

// TestLikeKeygen compares Check with ssh-keygen -Y verify for plain keys and
// certificates, with every option and limit. Cases in which toolcrib is stricter
// give the reason.
func TestLikeKeygen(t *testing.T) {
	shortrun.NeedsLong(t)
	signingtest.NeedsKeygen(t)
	mara, ada, authority, other := signingtest.NewKey(t, "ed25519"), signingtest.NewKey(t, "ecdsa-256"), signingtest.NewKey(t, "ed25519"), signingtest.NewKey(t, "ed25519")
	maras, cas := signingtest.Line(mara.PublicKey()), signingtest.Line(authority.PublicKey())
	cert := func(change func(*ssh.Certificate)) *ssh.Certificate {
		return certify(t, authority, mara.PublicKey(), change)
	}
	good := cert(func(*ssh.Certificate) {})
	const ours = `namespaces="toolcrib-decision-v1"`
	for _, c := range []keygenCase{
		{name: "a plain key", allowed: "user:mara " + maras, key: mara},
		{name: "with a comment", allowed: "# who may sign\n\nuser:mara " + maras + " mara's laptop", key: mara},
		{name: "another's key", allowed: "user:mara " + maras, key: ada, want: signers.ErrUnknownKey},
		{name: "a key of another", allowed: "user:ada " + maras, key: mara, want: signers.ErrUnknownKey},
		{name: "a second key", allowed: "user:mara " + signingtest.Line(ada.PublicKey()) + "\nuser:mara " + maras, key: mara},
		{name: "this namespace", allowed: "user:mara " + ours + " " + maras, key: mara},
		{name: "one of two namespaces", allowed: `user:mara NameSpaces="git,toolcrib-decision-v1" ` + maras, key: mara},
		{name: "another namespace", allowed: `user:mara namespaces="git" ` + maras, key: mara, want: signers.ErrUnknownKey},
		{name: "from today", allowed: `user:mara valid-after="20261201Z" ` + maras, key: mara},
		{name: "from this second", allowed: `user:mara valid-after="20261201120000Z" ` + maras, key: mara},
		{name: "from the next second", allowed: `user:mara valid-after="20261201120001Z" ` + maras, key: mara, want: signers.ErrNotValid},
		{name: "until this second", allowed: `user:mara valid-before="20261201120000Z" ` + maras, key: mara},
		{name: "until the second before", allowed: `user:mara valid-before="20261201115959Z" ` + maras, key: mara, want: signers.ErrNotValid},
		{name: "within minutes", allowed: `user:mara ` + ours + `,valid-after="202612011100Z",valid-before="202612011300Z" ` + maras, key: mara},
		{name: "valid again", allowed: `user:mara valid-before="20260101Z" ` + maras + "\n" + `user:mara valid-after="20261101Z" ` + maras, key: mara},

		{name: "a certificate", allowed: "user:mara cert-authority " + cas, key: mara, cert: good},
		{name: "for one of two", allowed: "user:ada,user:mara cert-authority " + cas, key: mara, cert: good},
		{name: "for another", allowed: "user:ada cert-authority " + cas, key: mara, cert: good, want: signers.ErrUnknownKey},
		{name: "another authority", allowed: "user:mara cert-authority " + signingtest.Line(other.PublicKey()), key: mara, cert: good, want: signers.ErrUnknownKey},
		{name: "no authority", allowed: "user:mara " + cas, key: mara, cert: good, want: signers.ErrUnknownKey},
		{name: "the key of the authority", allowed: "user:mara cert-authority " + maras, key: mara, want: signers.ErrUnknownKey},
		{name: "only the key itself", allowed: "user:mara " + maras, key: mara, cert: good, want: signers.ErrUnknownKey},
		{name: "an authority no more", allowed: `user:mara cert-authority,valid-before="20261101Z" ` + cas, key: mara, cert: good, want: signers.ErrNotValid},
		{name: "a certificate for another", allowed: "user:mara cert-authority " + cas, key: mara, cert: cert(func(c *ssh.Certificate) { c.ValidPrincipals = []string{"user:ada"} }), want: signers.ErrUnknownKey},
		{name: "a certificate for all", allowed: "user:mara cert-authority " + cas, key: mara, cert: cert(func(c *ssh.Certificate) { c.ValidPrincipals = nil }), want: signers.ErrUnknownKey},
		{name: "a certificate for a pattern", allowed: "user:mara cert-authority " + cas, key: mara, cert: cert(func(c *ssh.Certificate) { c.ValidPrincipals = []string{"user:*"} }), want: signers.ErrUnknownKey},
		{name: "a certificate of a host", allowed: "user:mara cert-authority " + cas, key: mara, cert: cert(func(c *ssh.Certificate) { c.CertType = ssh.HostCert }), want: signers.ErrUnknownKey},
		{name: "too early for it", allowed: "user:mara cert-authority " + cas, key: mara, cert: cert(func(c *ssh.Certificate) { c.ValidAfter = uint64(noon.Unix()) + 1 }), want: signers.ErrNotValid},
		{name: "too late for it", allowed: "user:mara cert-authority " + cas, key: mara, cert: cert(func(c *ssh.Certificate) { c.ValidBefore = uint64(noon.Unix()) }), want: signers.ErrNotValid},
		{name: "without an end", allowed: "user:mara cert-authority " + cas, key: mara, cert: cert(func(c *ssh.Certificate) { c.ValidAfter, c.ValidBefore = 0, ssh.CertTimeInfinity })},
		{name: "an option that is critical", allowed: "user:mara cert-authority " + cas, key: mara, cert: cert(func(c *ssh.Certificate) { c.CriticalOptions = map[string]string{"force-command": "true"} }), want: sshsig.ErrSignature, stricter: true},
		{name: "verification", allowed: "user:mara cert-authority " + cas, key: mara, cert: cert(func(c *ssh.Certificate) { c.CriticalOptions = map[string]string{"verify-required": ""} }), want: sshsig.ErrSignature, stricter: true},
	} {
		c.compare(t)
	}
}

// question has the arguments of one ssh-keygen call.
type question struct {
	t         *testing.T
	dir       string
	allowed   string
	signature []byte
}

func (q *question) keygen() (string, bool) {
	q.t.Helper()
	allowed, sig := filepath.Join(q.dir, "allowed_signers"), filepath.Join(q.dir, "sig")
	signingtest.WriteFile(q.t, allowed, q.allowed+"\n")
	signingtest.WriteFile(q.t, sig, string(q.signature))
	args := []string{"-Y", "verify", "-n", sshsig.Namespace, "-f", allowed, "-I", "user:mara", "-s", sig, "-O", "verify-time=" + noon.Format("20060102150405Z")}
	_, said, ok := signingtest.Keygen(q.t, text, args...)
	return said, ok
}
