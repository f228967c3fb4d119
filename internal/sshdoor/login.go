package sshdoor

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"time"

	"charm.land/ssh"
	gossh "golang.org/x/crypto/ssh"

	"toolcrib/internal/door"
	"toolcrib/internal/owner"
	"toolcrib/internal/visible"
)

// The values that a connection carries, in its context or its permissions.
type contextKey string

const (
	connKey      = contextKey("conn")    // the net.Conn
	preAuthKey   = contextKey("preauth") // the gossh.ServerPreAuthConn
	memberKey    = contextKey("member")  // the *member
	principalExt = "principal"
	keyExt       = "fingerprint"
)

// member is a connection that is authenticated.
type member struct {
	conn                   gossh.Conn
	raw                    net.Conn // below it
	sessions               int      // open ones
	login, principal, name string   // name is the fingerprint of the key
	key                    gossh.PublicKey
	idle                   *time.Timer // ends the connection
}

// connected begins the time that a client has to log in.
func (s *Server) connected(ctx ssh.Context, conn net.Conn) net.Conn {
	ctx.SetValue(connKey, conn)
	_ = conn.SetDeadline(time.Time{}) // the door sets its own
	s.metrics.add(&s.metrics.connections, 1)
	return conn
}

// loginConfig is the configuration of a connection. Who logged in is decided by the
// key whose signature was verified: offered is asked about keys that nobody may have.
func (s *Server) loginConfig(ctx ssh.Context) *gossh.ServerConfig {
	c := &gossh.ServerConfig{
		MaxAuthTries: 6,
		PublicKeyAuthAlgorithms: []string{
			gossh.KeyAlgoED25519, gossh.KeyAlgoSKED25519, gossh.KeyAlgoECDSA256, gossh.KeyAlgoECDSA384, gossh.KeyAlgoSKECDSA256, gossh.KeyAlgoRSASHA512, gossh.KeyAlgoRSASHA256,
		},
		PreAuthConnCallback: func(conn gossh.ServerPreAuthConn) { ctx.SetValue(preAuthKey, conn) },
		VerifiedPublicKeyCallback: func(meta gossh.ConnMetadata, key gossh.PublicKey, _ *gossh.Permissions, _ string) (*gossh.Permissions, error) {
			principal, err := s.config.Identify(meta.User(), key)
			if err != nil {
				return nil, err
			}
			ctx.SetValue(ssh.ContextKeyPublicKey, key)
			return &gossh.Permissions{Extensions: map[string]string{principalExt: principal, keyExt: fingerprint(key)}}, nil
		},
	}
	return c
}

// fingerprint names a key as ssh-keygen -l does, and a certificate by the key in it.
func fingerprint(key gossh.PublicKey) string {
	if cert, ok := key.(*gossh.Certificate); ok {
		key = cert.Key
	}
	return gossh.FingerprintSHA256(key)
}

// offered reports whether a client may log in with a key, and sends it the reason
// if not.
func (s *Server) offered(ctx ssh.Context, key ssh.PublicKey) bool {
	_, err := s.config.Identify(ctx.User(), key)
	if err == nil {
		return true
	}
	if conn, ok := ctx.Value(preAuthKey).(gossh.ServerPreAuthConn); ok {
		_ = conn.SendAuthBanner("toolcrib: " + visible.Line(err.Error()) + "\r\n") // it is refused all the same
	}
	s.config.Logger.LogAttrs(ctx, slog.LevelDebug, "ssh key refused", slog.String("remote", ctx.RemoteAddr().String()), slog.String("key", fingerprint(key)), slog.String("why", err.Error()))
	s.metrics.add(&s.metrics.refused, 1)
	return false
}

// notAuthenticated logs a connection that did not log in, at the level for events
// that anybody can cause.
func (s *Server) notAuthenticated(conn net.Conn, err error) {
	s.config.Logger.LogAttrs(context.Background(), slog.LevelDebug, "ssh login failed", slog.String("remote", conn.RemoteAddr().String()), slog.String("why", err.Error()))
}

// admit makes the connection of a session that was asked for a member, and reports
// whether there is room. One that asks for none keeps the time of a login.
func (s *Server) admit(conn *gossh.ServerConn, ctx ssh.Context) (*member, bool) {
	ctx.Lock()
	defer ctx.Unlock()
	if m, ok := ctx.Value(memberKey).(*member); ok {
		return m, true
	}
	raw, _ := ctx.Value(connKey).(net.Conn)
	if raw == nil || conn.Permissions == nil {
		return nil, false
	}
	key, _ := ctx.Value(ssh.ContextKeyPublicKey).(gossh.PublicKey)
	m := &member{conn: conn, raw: raw, login: conn.User(), principal: conn.Permissions.Extensions[principalExt], name: conn.Permissions.Extensions[keyExt], key: key}
	if m.principal == "" || key == nil || !door.AdmitConn(raw, m.principal) {
		return nil, false
	}
	m.idle = time.AfterFunc(s.limits.Idle, func() { _ = conn.Close() })
	context.AfterFunc(ctx, func() { m.idle.Stop() })
	ctx.SetValue(memberKey, m)
	return m, true
}

// recheckAll closes, until ctx ends, the connections of keys that do not count any
// more: revoked, expired, or taken out of the file.
func (s *Server) recheckAll(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(s.limits.Recheck)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				s.recheck(ctx)
			}
		}
	}()
	return func() {
		cancel()
		<-ended
	}
}

func (s *Server) recheck(ctx context.Context) {
	s.mu.Lock()
	all := make([]*member, 0, len(s.members))
	for m := range s.members {
		all = append(all, m)
	}
	s.mu.Unlock()
	for _, m := range all {
		principal, err := s.config.Identify(m.login, m.key)
		if err == nil && principal == m.principal {
			continue
		}
		s.config.Logger.LogAttrs(ctx, slog.LevelInfo, "ssh key counts no more", slog.String("principal", m.principal), slog.String("key", m.name))
		_ = m.conn.Close()
	}
}

// maxHostKey is the size of the largest file of a host key, in bytes.
const maxHostKey = 64 << 10

// HostKey returns the key of a file by which clients know the host, and makes it
// where there is none. A file that others can read is refused.
func HostKey(file string) (gossh.Signer, error) {
	if _, err := os.Lstat(file); errors.Is(err, fs.ErrNotExist) {
		if err := makeHostKey(file); err != nil && !errors.Is(err, fs.ErrExist) { // another process was first
			return nil, fmt.Errorf("make the host key: %w", err)
		}
	}
	text, err := owner.ReadFile(file, true, maxHostKey)
	if err != nil {
		return nil, fmt.Errorf("the host key: %w", err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm()&0o077 != 0 {
		return nil, errors.Join(fmt.Errorf("the host key %s can be read by others; run chmod 600 on it, or remove it to get a new one", file), err)
	}
	key, err := gossh.ParsePrivateKey(text)
	if err != nil {
		return nil, fmt.Errorf("the host key %s: %w", file, err)
	}
	return key, nil
}

// makeHostKey writes a new key. A file that is cut off would be no key, so it is
// linked to its name when it is whole.
func makeHostKey(file string) error {
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return err
	}
	block, err := gossh.MarshalPrivateKey(private, "toolcrib")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(file), ".host-key-") // with mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) //nolint:errcheck // its other name stays
	_, err = f.Write(pem.EncodeToMemory(block))
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Link(f.Name(), file)
}
