package signers_test

import (
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"toolcrib/signing/signers"
	"toolcrib/signing/signingtest"
	"toolcrib/signing/sshsig"
)

var (
	text = []byte("toolcrib decision 1\n")
	noon = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
)

// sign makes an armored signature by a key, under its certificate if there is
// one.
func sign(t testing.TB, key ssh.Signer, cert *ssh.Certificate, message []byte) []byte {
	t.Helper()
	made, err := key.Sign(rand.Reader, sshsig.Message(message))
	if err != nil {
		t.Fatal(err)
	}
	public := key.PublicKey()
	if cert != nil {
		public = cert
	}
	s, err := sshsig.New(public, message, made)
	if err != nil {
		t.Fatal(err)
	}
	return s.Armor()
}

func parse(t testing.TB, allowed string, revoked []byte) *signers.Signers {
	t.Helper()
	s, err := signers.Parse([]byte(allowed), revoked)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// certify makes a certificate that change may make worse.
func certify(t testing.TB, authority ssh.Signer, key ssh.PublicKey, change func(*ssh.Certificate)) *ssh.Certificate {
	t.Helper()
	c := &ssh.Certificate{
		Key: key, Serial: 12, CertType: ssh.UserCert, KeyId: "mara-laptop", ValidPrincipals: []string{"user:mara"},
		ValidAfter: uint64(noon.Add(-time.Hour).Unix()), ValidBefore: uint64(noon.Add(time.Hour).Unix()),
	}
	change(c)
	if err := c.SignCert(rand.Reader, authority); err != nil {
		t.Fatal(err)
	}
	return c
}

// TestLikeKeygen holds Check against ssh-keygen -Y verify, for plain keys and
// certificates, with every option and limit, and with revocation lists. Where
// toolcrib is stricter, a case has the reason.
func TestLikeKeygen(t *testing.T) {
	signingtest.NeedsKeygen(t)
	mara, ada, authority, other := signingtest.NewKey(t, "ed25519"), signingtest.NewKey(t, "ecdsa-256"), signingtest.NewKey(t, "ed25519"), signingtest.NewKey(t, "ed25519")
	maras, cas := signingtest.Line(mara.PublicKey()), signingtest.Line(authority.PublicKey())
	cert := func(change func(*ssh.Certificate)) *ssh.Certificate {
		return certify(t, authority, mara.PublicKey(), change)
	}
	good := cert(func(*ssh.Certificate) {})
	const ours = `namespaces="toolcrib-decision-v1"`
	for _, c := range []struct {
		name     string
		allowed  string
		key      ssh.Signer
		cert     *ssh.Certificate
		revoke   string // line for ssh-keygen -k
		want     error
		stricter bool // ssh-keygen accepts it
	}{
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
		{name: "revoked", allowed: "user:mara " + maras, key: mara, revoke: "key: " + maras, want: signers.ErrRevoked},
		{name: "revoked by hash", allowed: "user:mara " + maras, key: mara, revoke: "sha256: " + maras, want: signers.ErrRevoked},
		{name: "another revoked", allowed: "user:mara " + maras, key: mara, revoke: "key: " + cas},

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
		{name: "a certificate by number", allowed: "user:mara cert-authority " + cas, key: mara, cert: good, revoke: "serial: 12", want: signers.ErrRevoked},
		{name: "a certificate by its id", allowed: "user:mara cert-authority " + cas, key: mara, cert: good, revoke: "id: mara-laptop", want: signers.ErrRevoked},
		{name: "its authority", allowed: "user:mara cert-authority " + cas, key: mara, cert: good, revoke: "key: " + cas, want: signers.ErrRevoked},
		{name: "its key", allowed: "user:mara cert-authority " + cas, key: mara, cert: good, revoke: "key: " + maras, want: signers.ErrRevoked},
	} {
		q := question{t: t, dir: t.TempDir(), allowed: c.allowed, signature: sign(t, c.key, c.cert, text)}
		list := q.revokes(c.revoke, cas)
		s, err := signers.Parse([]byte(c.allowed+"\n"), list)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		who, err := s.Check(text, q.signature, "user:mara", noon)
		if !errors.Is(err, c.want) || c.want == nil && who.Principal != "user:mara" {
			t.Errorf("%s: %+v, %v; expected %v", c.name, who, err, c.want)
		}
		if said, ok := q.keygen(); ok != (c.want == nil || c.stricter) {
			t.Errorf("%s: ssh-keygen says %s", c.name, said)
		}
		if again, err := signers.Restore(s.Text(), list); err != nil || again.Digest() != s.Digest() {
			t.Errorf("%s: the state %q is not restored: %v", c.name, s.Text(), err)
		}
	}
}

// question holds the arguments of one ssh-keygen call.
type question struct {
	t         *testing.T
	dir       string
	allowed   string
	signature []byte
	list      string // file
}

func (q *question) revokes(spec, authority string) []byte {
	q.t.Helper()
	if spec == "" {
		return nil
	}
	ca, lines := filepath.Join(q.dir, "ca.pub"), filepath.Join(q.dir, "spec")
	q.list = filepath.Join(q.dir, "revoked_keys")
	signingtest.WriteFile(q.t, ca, authority+"\n")
	signingtest.WriteFile(q.t, lines, spec+"\n")
	signingtest.MustKeygen(q.t, nil, "-k", "-q", "-s", ca, "-f", q.list, lines)
	b, err := os.ReadFile(q.list)
	if err != nil {
		q.t.Fatal(err)
	}
	return b
}

func (q *question) keygen() (string, bool) {
	q.t.Helper()
	allowed, sig := filepath.Join(q.dir, "allowed_signers"), filepath.Join(q.dir, "sig")
	signingtest.WriteFile(q.t, allowed, q.allowed+"\n")
	signingtest.WriteFile(q.t, sig, string(q.signature))
	args := []string{"-Y", "verify", "-n", sshsig.Namespace, "-f", allowed, "-I", "user:mara", "-s", sig, "-O", "verify-time=" + noon.Format("20060102150405Z")}
	if q.list != "" {
		args = append(args, "-r", q.list)
	}
	_, said, ok := signingtest.Keygen(q.t, text, args...)
	return said, ok
}

// TestVerifyRequired asks for keys in hardware that verify their user.
func TestVerifyRequired(t *testing.T) {
	key := signingtest.NewKey(t, "sk-ed25519")
	hardware := key.Signer.(*signingtest.HardwareKey)
	line := signingtest.Line(key.PublicKey())
	authority := signingtest.NewKey(t, "ed25519")
	asks := certify(t, authority, key.PublicKey(), func(c *ssh.Certificate) { c.CriticalOptions = map[string]string{"verify-required": ""} })
	plain := certify(t, authority, key.PublicKey(), func(*ssh.Certificate) {})
	ca := signingtest.Line(authority.PublicKey())
	for _, c := range []struct {
		name, allowed string
		cert          *ssh.Certificate
		needed        bool
	}{
		{"a key", "user:mara " + line, nil, false},
		{"a key that has to", "user:mara verify-required " + line, nil, true},
		{"a key that has to by one line of two", "user:mara " + line + "\nuser:mara verify-required " + line, nil, true},
		{"a certificate", "user:mara cert-authority " + ca, plain, false},
		{"an authority that asks for it", "user:mara cert-authority,verify-required " + ca, plain, true},
		{"a certificate that asks for it", "user:mara cert-authority " + ca, asks, true},
	} {
		s := parse(t, c.allowed, nil)
		for _, flags := range []byte{signingtest.UserPresent, signingtest.UserPresent | signingtest.UserVerified} {
			hardware.Flags = flags
			_, err := s.Check(text, sign(t, hardware, c.cert, text), "user:mara", noon)
			if refused := c.needed && flags == signingtest.UserPresent; refused != errors.Is(err, sshsig.ErrSignature) || !refused && err != nil {
				t.Errorf("%s with flags %x: %v", c.name, flags, err)
			}
		}
	}
}

// TestHardwareAuthority has a key in hardware sign certificates: somebody has to
// be there for that too.
func TestHardwareAuthority(t *testing.T) {
	authority := signingtest.NewKey(t, "sk-ecdsa")
	hardware := authority.Signer.(*signingtest.HardwareKey)
	mara := signingtest.NewKey(t, "ed25519")
	s := parse(t, "user:mara cert-authority "+signingtest.Line(authority.PublicKey()), nil)
	for flags, want := range map[byte]error{signingtest.UserPresent: nil, 0: sshsig.ErrSignature} {
		hardware.Flags = flags
		cert := certify(t, hardware, mara.PublicKey(), func(*ssh.Certificate) {})
		if _, err := s.Check(text, sign(t, mara, cert, text), "user:mara", noon); !errors.Is(err, want) {
			t.Errorf("flags %x: %v", flags, err)
		}
	}
	hardware.Flags = signingtest.UserPresent
	cert := certify(t, hardware, mara.PublicKey(), func(*ssh.Certificate) {})
	cert.KeyId = "another"
	if _, err := s.Check(text, sign(t, mara, cert, text), "user:mara", noon); !errors.Is(err, sshsig.ErrSignature) {
		t.Errorf("a certificate that was changed: %v", err)
	}
}

// TestFileIsStrict refuses lines that mean more, or something else elsewhere.
func TestFileIsStrict(t *testing.T) {
	key, hard, weak, large := signingtest.NewKey(t, "ed25519"), signingtest.NewKey(t, "sk-ed25519"), signingtest.NewKey(t, "rsa-2048"), signingtest.NewKey(t, "ecdsa-521")
	line := signingtest.Line(key.PublicKey())
	cert := certify(t, key, key.PublicKey(), func(*ssh.Certificate) {})
	for _, c := range []struct{ allowed, problem string }{
		{"* " + line, "line 1: expected a principal"},
		{"# one\n*@example.com " + line, "line 2: expected a principal"},
		{"user:* " + line, "expected a principal"},
		{"user:mar? " + line, "expected a principal"},
		{"!user:ada,user:mara cert-authority " + line, "expected a principal"},
		{"user:mara,user:* cert-authority " + line, "expected a principal"},
		{`"user:mara" ` + line, "expected a principal"},
		{"mara " + line, "expected a principal"},
		{"agent:mara " + line, "expected a principal"},
		{"user: " + line, "expected a principal"},
		{"user:mara,user:ada " + line, "share a key"},
		{"user:mara " + line + "\nuser:ada " + line, "a key is one person's"},
		{"user:mara", "a key"},
		{line, "a key"},
		{"user:mara " + line[:40], "a key"},
		{"user:mara ssh-rsa " + strings.Fields(line)[1], "a key"},
		{"user:mara " + signingtest.Line(weak.PublicKey()), "2048 bits"},
		{"user:mara " + signingtest.Line(large.PublicKey()), "ecdsa-sha2-nistp521"},
		{"user:mara " + signingtest.Line(cert), "not a certificate"},
		{`user:mara namespaces="*" ` + line, "without patterns"},
		{`user:mara namespaces="!git,toolcrib-decision-v1" ` + line, "without patterns"},
		{`user:mara namespaces="" ` + line, "without patterns"},
		{`user:mara namespaces=git ` + line, `expected namespaces="`},
		{`user:mara namespaces="a",namespaces="b" ` + line, "at most once"},
		{`user:mara cert-authority,cert-authority ` + line, "at most once"},
		{`user:mara no-touch-required ` + line, "at most once"},
		{`user:mara restrict ` + line, "at most once"},
		{`user:mara valid-after="20261201" ` + line, "without the Z"},
		{`user:mara valid-after="2026-12-01Z" ` + line, "without the Z"},
		{`user:mara valid-before="202612011Z" ` + line, "without the Z"},
		{`user:mara valid-after="20261202Z",valid-before="20261201Z" ` + line, "not after"},
		{`user:mara verify-required ` + line, "keys in hardware"},
		{`user:mara verify-required="yes" ` + signingtest.Line(hard.PublicKey()), "at most once"},
		{strings.Repeat("#", signers.MaxSize+1), "bytes"},
		{strings.Repeat("user:mara "+line+"\n", signers.MaxEntries+1), "keys"},
	} {
		if _, err := signers.Parse([]byte(c.allowed+"\n"), nil); !errors.Is(err, signers.ErrFile) || !strings.Contains(err.Error(), c.problem) {
			t.Errorf("%.80q: %v; expected an error about %q", c.allowed, err, c.problem)
		}
	}
	if _, err := signers.Parse(nil, []byte("ssh-ed25519 AAAA")); !errors.Is(err, signers.ErrFile) {
		t.Errorf("a list of keys for a revocation list: %v", err)
	}
}

// TestState tells states apart by who may sign, and not by how it is written.
func TestState(t *testing.T) {
	mara, ada := signingtest.Line(signingtest.NewKey(t, "ed25519").PublicKey()), signingtest.Line(signingtest.NewKey(t, "ecdsa-384").PublicKey())
	state := func(allowed string) string { return parse(t, allowed, nil).Digest() }
	one := state("user:mara " + mara + "\nuser:ada " + ada)
	for name, same := range map[string]string{
		"another order":  "user:ada " + ada + "\nuser:mara " + mara,
		"comments":       "# hello\n\tuser:mara\t " + mara + " mara@laptop\r\n\nuser:ada " + ada,
		"a line twice":   "user:mara " + mara + "\nuser:ada " + ada + "\nuser:mara " + mara,
		"no line at end": "user:mara " + mara + "\nuser:ada " + ada,
	} {
		if state(same) != one {
			t.Errorf("%s makes another state", name)
		}
	}
	for name, other := range map[string]string{
		"nobody":       "",
		"one less":     "user:mara " + mara,
		"other names":  "user:ada " + mara + "\nuser:mara " + ada,
		"a limit":      `user:mara valid-before="20300101Z" ` + mara + "\nuser:ada " + ada,
		"an authority": "user:mara " + mara + "\nuser:ada cert-authority " + ada,
	} {
		if state(other) == one {
			t.Errorf("%s is the same state", name)
		}
	}
	list, err := os.ReadFile(filepath.Join("..", "krl", "testdata", "revoked_keys"))
	if err != nil {
		t.Fatal(err)
	}
	if parse(t, "user:mara "+mara+"\nuser:ada "+ada, list).Digest() == one {
		t.Error("a revocation list makes no difference")
	}
	for _, wrong := range []string{"", "toolcrib signers 1\n", "toolcrib signers 1\n\nrevoked x\n", "toolcrib signers 1\nuser:ada " + ada + "\nuser:ada " + ada + "\nrevoked -\n"} {
		if _, err := signers.Restore([]byte(wrong), nil); !errors.Is(err, signers.ErrFile) {
			t.Errorf("%q is restored: %v", wrong, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	line := signingtest.Line(signingtest.NewKey(f, "ed25519").PublicKey())
	f.Add([]byte("user:mara " + line))
	f.Add([]byte(`user:mara,user:ada cert-authority,namespaces="a,b",valid-after="20261201Z",valid-before="20271201Z",verify-required ` + line))
	f.Fuzz(func(t *testing.T, allowed []byte) {
		s, err := signers.Parse(allowed, nil)
		if err != nil {
			if !errors.Is(err, signers.ErrFile) {
				t.Fatalf("not about the file: %v", err)
			}
			return
		}
		if again, err := signers.Restore(s.Text(), nil); err != nil || again.Digest() != s.Digest() {
			t.Fatalf("%q is read as %q, which is not restored: %v", allowed, s.Text(), err)
		}
	})
}

func BenchmarkCheck(b *testing.B) {
	mara, authority := signingtest.NewKey(b, "ed25519"), signingtest.NewKey(b, "ed25519")
	cert := certify(b, authority, mara.PublicKey(), func(*ssh.Certificate) {})
	s := parse(b, "user:mara "+signingtest.Line(mara.PublicKey())+"\nuser:mara cert-authority "+signingtest.Line(authority.PublicKey()), nil)
	for name, signature := range map[string][]byte{"key": sign(b, mara, nil, text), "certificate": sign(b, mara, cert, text)} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := s.Check(text, signature, "user:mara", noon); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
