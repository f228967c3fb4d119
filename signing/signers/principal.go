package signers

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"

	"toolcrib/signing/sshsig"
)

// Principal returns whom a key logs in as at a time: the one principal that may sign
// with it. A certificate may be of several; login, the name after "user:", then
// chooses one of them. The error wraps one of this package's.
func (s *Signers) Principal(login string, key ssh.PublicKey, at time.Time) (string, error) {
	if err := sshsig.CheckKey(key); err != nil {
		return "", err
	}
	var may []string
	var why error
	for _, principal := range s.principals(key) {
		if _, err := s.May(principal, key, at); err != nil {
			why = err
		} else if !slices.Contains(may, principal) {
			may = append(may, principal)
		}
	}
	chosen := "user:" + login
	switch {
	case len(may) == 1:
		return may[0], nil
	case slices.Contains(may, chosen):
		return chosen, nil
	case len(may) > 1:
		return "", fmt.Errorf("%w: the certificate is for %s; log in with the name of one of them", ErrUnknownKey, strings.Join(may, " and "))
	case why != nil:
		return "", why
	}
	_, err := s.May("", key, at)
	return "", err
}

// principals returns whom the file has a key for, of which a certificate may name
// more.
func (s *Signers) principals(key ssh.PublicKey) []string {
	own, wire := ownKey(key)
	var all []string
	for _, e := range s.entries {
		if e.Authority != own && e.wire == wire {
			all = append(all, e.Principals...)
		}
	}
	cert, ok := key.(*ssh.Certificate)
	if !ok {
		return all
	}
	named := slices.DeleteFunc(slices.Clone(all), func(p string) bool { return !slices.Contains(cert.ValidPrincipals, p) })
	if len(named) == 0 {
		return all // of which none counts; the error tells why
	}
	return named
}
