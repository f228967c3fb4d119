package gateway

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"os"
	"syscall"
)

// Unreached returns in a few words why something at an address did not answer,
// without the address, which agents must not learn. sure reports that the request
// did not get there, so that nothing of it was done.
func Unreached(err error) (why string, sure bool) {
	var name *net.DNSError
	var certificate *tls.CertificateVerificationError
	var op *net.OpError
	dialing := errors.As(err, &op) && (op.Op == "dial" || op.Op == "proxyconnect")
	switch {
	case errors.As(err, &name):
		return "its name cannot be resolved", true
	case errors.As(err, &certificate):
		return "its certificate is not accepted", true
	case errors.Is(err, syscall.ECONNREFUSED):
		return "the connection was refused", dialing
	case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, context.DeadlineExceeded):
		return "it did not answer in time", dialing
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "the connection broke off", dialing
	}
	return "the connection failed", dialing
}
