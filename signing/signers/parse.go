// This file parses the signers file, and verifies certificates of authorities.

package signers

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"

	"toolcrib/signing/sshsig"
	"toolcrib/signing/statement"
)

// Limits of a signers file.
const (
	MaxSize    = 256 << 10 // bytes
	MaxEntries = 1_000
)

// Parse parses a signers file. Errors contain the number of the line.
func Parse(allowed []byte) (*Signers, error) {
	if len(allowed) > MaxSize {
		return nil, fmt.Errorf("%w: the file is larger than %d bytes", ErrFile, MaxSize)
	}
	s := &Signers{}
	people := map[string]string{} // principals of plain keys, by key in wire format
	number := 0
	for line := range bytes.Lines(allowed) {
		number++
		text := strings.Trim(string(line), " \t\r\n")
		if text == "" || text[0] == '#' {
			continue
		}
		e, err := parseEntry(text)
		if err != nil {
			return nil, fmt.Errorf("%w: line %d: %w", ErrFile, number, err)
		}
		e.Line = number
		if !e.Authority {
			if other := people[e.wire]; other != "" && other != e.Principals[0] {
				return nil, fmt.Errorf("%w: line %d: %s and %s have the same key; each person needs a different key", ErrFile, number, e.Principals[0], other)
			}
			people[e.wire] = e.Principals[0]
		}
		if s.entries = append(s.entries, e); len(s.entries) > MaxEntries {
			return nil, fmt.Errorf("%w: the file has more than %d keys", ErrFile, MaxEntries)
		}
	}
	return s, nil
}

func parseEntry(line string) (Entry, error) {
	names, rest, _ := strings.Cut(strings.ReplaceAll(line, "\t", " "), " ")
	key, _, options, _, err := ssh.ParseAuthorizedKey([]byte(rest))
	if err != nil {
		return Entry{}, fmt.Errorf("expected a principal, options, and a key: %w", err)
	}
	if _, ok := key.(*ssh.Certificate); ok {
		return Entry{}, fmt.Errorf("expected a key, not a certificate; put the key of the certificate authority on the line, with the option cert-authority")
	}
	e := Entry{Key: key, wire: string(key.Marshal()), Principals: strings.Split(names, ",")}
	if err := sshsig.CheckKey(key); err != nil {
		return e, err
	}
	for _, option := range options {
		if err := e.option(option); err != nil {
			return e, err
		}
	}
	for _, p := range e.Principals {
		// OpenSSH interprets "*", "?", and "!" as parts of patterns. Principals
		// cannot contain these characters.
		if !statement.ValidPrincipal(p) {
			return e, fmt.Errorf("expected a principal such as user:mara, without patterns or quotes; got %.80q", p)
		}
	}
	switch {
	case !e.Authority && len(e.Principals) > 1:
		return e, fmt.Errorf("the key has several principals (%s); only a certificate authority can have several principals", names)
	case !e.ValidBefore.IsZero() && !e.ValidAfter.Before(e.ValidBefore):
		return e, fmt.Errorf("valid-before must be after valid-after")
	case e.VerifyRequired && !e.Authority && !strings.HasPrefix(key.Type(), "sk-"):
		return e, fmt.Errorf("%s requires a hardware key", verifyRequired)
	}
	return e, nil
}

// option parses an option of a line. The names of options are case-insensitive.
func (e *Entry) option(option string) error {
	name, value, valued := strings.Cut(option, "=")
	name = strings.ToLower(name)
	if quoted := len(value) >= 2 && value[0] == '"' && value[len(value)-1] == '"'; valued && !quoted {
		return fmt.Errorf("expected %s=\"…\"; got %.80q", name, option)
	}
	if valued {
		value = value[1 : len(value)-1]
	}
	switch {
	case name == "cert-authority" && !valued && !e.Authority:
		e.Authority = true
	case name == verifyRequired && !valued && !e.VerifyRequired:
		e.VerifyRequired = true
	case name == "namespaces" && valued && e.Namespaces == nil:
		e.Namespaces = strings.Split(value, ",")
		for _, n := range e.Namespaces {
			if n == "" || strings.ContainsAny(n, "*?! \t\"\\") {
				return fmt.Errorf("expected namespaces separated by commas, without patterns; got %.80q", value)
			}
		}
	case name == "valid-after" && valued && e.ValidAfter.IsZero():
		return parseTime(name, value, &e.ValidAfter)
	case name == "valid-before" && valued && e.ValidBefore.IsZero():
		return parseTime(name, value, &e.ValidBefore)
	default:
		return fmt.Errorf("expected each of cert-authority, namespaces, valid-after, valid-before and %s at most once; got %.80q", verifyRequired, option)
	}
	return nil
}

const secondForm = "20060102150405Z"

func parseTime(name, value string, to *time.Time) error {
	for _, form := range []string{"20060102Z", "200601021504Z", secondForm} {
		if t, err := time.Parse(form, value); err == nil && !t.IsZero() {
			*to = t
			return nil
		}
	}
	return fmt.Errorf("expected %s=\"YYYYMMDDZ\", or YYYYMMDDHHMMZ, or YYYYMMDDHHMMSSZ; without the Z, the time would depend on the time zone of the machine; got %.80q", name, value)
}

// String returns the entry in canonical form: as a line of a signers file without a
// comment.
func (e Entry) String() string {
	var options []string
	if e.Authority {
		options = append(options, "cert-authority")
	}
	if e.Namespaces != nil {
		names := slices.Compact(slices.Sorted(slices.Values(e.Namespaces)))
		options = append(options, `namespaces="`+strings.Join(names, ",")+`"`)
	}
	if !e.ValidAfter.IsZero() {
		options = append(options, `valid-after="`+e.ValidAfter.Format(secondForm)+`"`)
	}
	if !e.ValidBefore.IsZero() {
		options = append(options, `valid-before="`+e.ValidBefore.Format(secondForm)+`"`)
	}
	if e.VerifyRequired {
		options = append(options, verifyRequired)
	}
	fields := []string{strings.Join(slices.Compact(slices.Sorted(slices.Values(e.Principals))), ",")}
	if options != nil {
		fields = append(fields, strings.Join(options, ","))
	}
	return strings.Join(append(fields, strings.TrimSpace(string(ssh.MarshalAuthorizedKey(e.Key)))), " ")
}

// Principal returns the principal of a user who logs in with key at time t. In that
// session, only this principal can sign with key. If key is a certificate for several
// principals, the result is "user:" followed by login, which must be one of these
// principals. Errors wrap one of this package's sentinel errors or sshsig.ErrKey.
func (s *Signers) Principal(login string, key ssh.PublicKey, t time.Time) (string, error) {
	if err := sshsig.CheckKey(key); err != nil {
		return "", err
	}
	var may []string
	var reason error
	for _, principal := range s.principals(key) {
		if _, err := s.May(principal, key, t); err != nil {
			reason = err
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
		return "", fmt.Errorf("%w: the certificate is valid for several principals (%s); log in as one of these users", ErrUnknownKey, strings.Join(may, " and "))
	case reason != nil:
		return "", reason
	}
	_, err := s.May("", key, t)
	return "", err
}

// principals returns the principals of all entries with the given key. For a certificate,
// it uses the entries of the certificate authority. It returns only principals that the
// certificate contains, or all principals if the certificate contains none of them.
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
		return all // the May method returns the reason why these principals cannot use the certificate
	}
	return named
}

// verifyRequired is an option of an entry or of a certificate. It requires a hardware key
// that verifies its user.
const verifyRequired = "verify-required"

// checkCertificate verifies that a certificate of a known authority is valid for
// principal at time t. It rejects a certificate without principals, which OpenSSH accepts
// for everybody.
func checkCertificate(cert *ssh.Certificate, principal string, t time.Time) error {
	if cert.CertType != ssh.UserCert {
		return fmt.Errorf("%w: the certificate is not a user certificate", ErrUnknownKey)
	}
	if !slices.Contains(cert.ValidPrincipals, principal) {
		return fmt.Errorf("%w: the certificate is for %q, not for %s", ErrUnknownKey, cert.ValidPrincipals, principal)
	}
	if now := uint64(t.Unix()); t.Unix() < 0 || now < cert.ValidAfter || now >= cert.ValidBefore {
		return fmt.Errorf("%w: the certificate is not valid at %s", ErrNotValid, t.UTC().Format(time.RFC3339))
	}
	// x/crypto/ssh would accept further signature formats.
	if err := sshsig.CheckForm(cert.SignatureKey, cert.Signature); err != nil {
		return fmt.Errorf("signature of the certificate: %w", err)
	}
	checker := ssh.CertChecker{SupportedCriticalOptions: []string{verifyRequired}, Clock: func() time.Time { return t }}
	if err := checker.CheckCert(principal, cert); err != nil {
		return fmt.Errorf("%w: invalid certificate: %w", sshsig.ErrSignature, err)
	}
	return nil
}
