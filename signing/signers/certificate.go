package signers

import (
	"fmt"
	"slices"
	"time"

	"golang.org/x/crypto/ssh"

	"toolcrib/signing/sshsig"
)

// verifyRequired is the option of an entry, and of a certificate, that asks for
// a key in hardware that verifies its user.
const verifyRequired = "verify-required"

// checkCertificate returns nil when a certificate by an authority that is known
// is for principal at a time. It has to name the principal: one for everybody is
// for nobody here.
func checkCertificate(cert *ssh.Certificate, principal string, at time.Time) error {
	if cert.CertType != ssh.UserCert {
		return fmt.Errorf("%w: the certificate is not one of a user", ErrUnknownKey)
	}
	if !slices.Contains(cert.ValidPrincipals, principal) {
		return fmt.Errorf("%w: the certificate is for %q, not for %s", ErrUnknownKey, cert.ValidPrincipals, principal)
	}
	if now := uint64(at.Unix()); at.Unix() < 0 || now < cert.ValidAfter || now >= cert.ValidBefore {
		return fmt.Errorf("%w: the certificate is for another time than %s", ErrNotValid, at.UTC().Format(time.RFC3339))
	}
	// The library accepts more formats of signatures by an authority.
	if err := sshsig.CheckForm(cert.SignatureKey, cert.Signature); err != nil {
		return fmt.Errorf("the certificate: %w", err)
	}
	checker := ssh.CertChecker{SupportedCriticalOptions: []string{verifyRequired}, Clock: func() time.Time { return at }}
	if err := checker.CheckCert(principal, cert); err != nil {
		return fmt.Errorf("%w: the certificate: %w", sshsig.ErrSignature, err)
	}
	return nil
}
