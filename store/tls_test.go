package store_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"toolcrib/store"
	"toolcrib/store/pg"
	"toolcrib/store/pg/pgtest"
	"toolcrib/store/storetest"
)

// authority signs certificates.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	file string // contains its certificate
}

func newAuthority(t *testing.T, name string) authority {
	t.Helper()
	a := authority{file: filepath.Join(t.TempDir(), "ca.pem")}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	var text []byte
	a.cert, a.key, text = a.sign(t, template)
	if err := os.WriteFile(a.file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return a
}

// sign returns a certificate for a new key. If the authority has no certificate yet, it is self-signed.
func (a authority) sign(t *testing.T, template *x509.Certificate) (*x509.Certificate, *ecdsa.PrivateKey, []byte) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	if a.key == nil {
		a.cert, a.key = template, key
	}
	template.NotBefore, template.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, &key.PublicKey, a.key)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return cert, key, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}

// encrypted starts a cluster with a certificate of the authority for its address, and returns the URL of a migrated
// database without settings.
func (a authority) encrypted(t *testing.T) string {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("other systems have no further loopback addresses")
	}
	host := fmt.Sprintf("127.%d.%d.77", 1+os.Getpid()>>8&0x7f, os.Getpid()&0xff)
	_, key, cert := a.sign(t, &x509.Certificate{SerialNumber: big.NewInt(2), IPAddresses: []net.IP{net.ParseIP(host)}})
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	c := pgtest.Private(t, pgtest.Options{
		Settings: []string{"listen_addresses=" + host, "ssl=on", "ssl_cert_file=../server.crt", "ssl_key_file=../server.key"},
		Files:    map[string][]byte{"server.crt": cert, "server.key": pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der})},
	})
	db := openOn(t, c, nil)
	if err := c.Exec(t.Context(), "CREATE ROLE mara LOGIN IN ROLE toolcrib_server"); err != nil {
		t.Fatal(err)
	}
	_, name, _ := strings.Cut(db.Path(), "@/")
	name, _, _ = strings.Cut(name, "?")
	return "postgres://mara@" + host + "/" + name
}

// TestTLS connects to servers with a trusted and with an unknown certificate authority, and without encryption.
func TestTLS(t *testing.T) {
	if !storetest.OnPostgres() {
		t.Skip("it starts a server of its own; make postgres runs it")
	}
	own, other := newAuthority(t, "ours"), newAuthority(t, "theirs")
	url := own.encrypted(t)
	opened := func(url string) error {
		db, err := store.Open(t.Context(), url, options())
		if err != nil {
			return err
		}
		return db.Close()
	}
	sound := url + "?sslmode=verify-full&sslrootcert=" + own.file
	if err := opened(sound); err != nil {
		t.Fatal(err)
	}
	if a, err := pg.Examine(t.Context(), sound); err != nil || !strings.HasPrefix(a.TLS, "TLSv1.") || a.Local || len(a.Problems) > 0 {
		t.Errorf("verified: %+v, %v", a, err)
	}
	plain := url + "?sslmode=disable"
	if a, err := pg.Examine(t.Context(), plain); err != nil || a.TLS != "" || len(a.Problems) != 1 || !strings.Contains(a.Problems[0], "not encrypted; add sslmode=verify-full") {
		t.Errorf("not encrypted: %+v, %v", a, err)
	}
	for what, refused := range map[string]string{
		"another authority":   url + "?sslmode=verify-full&sslrootcert=" + other.file,
		"those of the system": url + "?sslmode=verify-full",
	} {
		_, examined := pg.Examine(t.Context(), refused)
		for _, err := range []error{opened(refused), examined} {
			if !errors.Is(err, store.ErrLost) || !strings.Contains(err.Error(), "name the authority that signed it with sslrootcert=FILE") {
				t.Errorf("%s: %v", what, err)
			}
		}
	}
}
