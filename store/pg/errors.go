package pg

import (
	"context"
	"crypto/tls"
	"database/sql"
	sqldriver "database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"

	"github.com/jackc/pgx/v5/pgconn"

	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/store/engine"
)

// errCertificate means that TLS verification of the server failed.
var errCertificate = fmt.Errorf("%w: the certificate does not prove that this is the server of the URL; name the authority that signed it with sslrootcert=FILE, and the server as its certificate does", engine.ErrLost)

// Describe implements session.Engine: it converts errors by their SQLSTATE
// (https://www.postgresql.org/docs/current/errcodes-appendix.html) and returns all others unchanged.
func (s *Server) Describe(err error) error {
	for _, known := range []error{proposals.ErrAuthority, engine.ErrRefused, engine.ErrBusy, engine.ErrDamaged, engine.ErrAgain, engine.ErrLost, engine.ErrForeign, engine.ErrNumbering} {
		if err == nil || errors.Is(err, known) {
			return err
		}
	}
	var e *pgconn.PgError
	if !errors.As(err, &e) {
		if strange := new(tls.CertificateVerificationError); errors.As(err, &strange) {
			return fmt.Errorf("%w: %w", errCertificate, err)
		}
		if lost(err) {
			return fmt.Errorf("%w: %w", engine.ErrLost, err)
		}
		return err
	}
	switch e.Code {
	case "40001", "40P01": // serialization failure, deadlock
		return fmt.Errorf("%w: %w", engine.ErrAgain, err)
	case "55P03": // lock timeout
		return s.waited()
	case "57014": // statement timeout
		return fmt.Errorf("%w: other processes are using it; nothing was written, try again", engine.ErrBusy)
	case "57P01", "57P02", "57P03", "57P05", "25P03": // the server is stopping, crashed, or starting, or the session or transaction timed out
		return fmt.Errorf("%w: %w", engine.ErrLost, err)
	case "42501":
		return fmt.Errorf("%w: the database refuses this to the login %s, or refuses it in another name: %w", proposals.ErrAuthority, s.config.User, err)
	case "25006", "0A000": // 0A000: a standby was asked for a write transaction
		return fmt.Errorf("%w; the server is a standby, or takes no writes: %w", review.ErrReadOnly, err)
	case "22021": // the argument contains U+0000 or invalid UTF-8, which no row contains
		return fmt.Errorf("%w: %w", proposals.ErrNotFound, err)
	case "53100":
		return fmt.Errorf("the disk of the server is full; nothing was written: %w", err)
	case "42P01", "3F000": // no such table, no such schema
		return fmt.Errorf("%w: its schema is not toolcrib's; run toolcrib migrate: %w", engine.ErrForeign, err)
	}
	switch e.Code[:2] {
	case "23":
		return fmt.Errorf("%w: %w", engine.ErrRefused, err)
	case "08":
		return fmt.Errorf("%w: %w", engine.ErrLost, err)
	case "XX":
		return fmt.Errorf("%w; keep the server's data and restore a backup: %w", engine.ErrDamaged, err)
	}
	return err
}

// lost reports whether a client-side error means that the connection ended or could not be
// established.
func lost(err error) bool {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return false
	}
	var network net.Error
	var connect *pgconn.ConnectError
	return errors.As(err, &network) || errors.As(err, &connect) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, sqldriver.ErrBadConn) || errors.Is(err, sql.ErrConnDone) || errors.Is(err, net.ErrClosed) || pgconn.SafeToRetry(err)
}
