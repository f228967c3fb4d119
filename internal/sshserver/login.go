// This file authenticates clients and reads the host key.

package sshserver

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

	"toolcrib/internal/httpserver"
	"toolcrib/internal/owner"
	"toolcrib/internal/visible"
)

// contextKey is the type of the keys for values in the context of a connection.
type contextKey string

const (
	connKey      = contextKey("conn")    // the net.Conn
	preAuthKey   = contextKey("preauth") // the gossh.ServerPreAuthConn
	memberKey    = contextKey("member")  // the *member
	principalExt = "principal"           // name of an extension in gossh.Permissions
	keyExt       = "fingerprint"
)

// member is an authenticated connection. The client has requested at least one session.
type member struct {
	conn                   gossh.Conn
	raw                    net.Conn // network connection below conn
	sessions               int      // number of open sessions
	login, principal, name string   // name is the fingerprint of the key
	key                    gossh.PublicKey
	idle                   *time.Timer // closes the connection when it fires
}

// loginConfig returns the configuration of a new connection. The principal is determined
// from the key of a verified signature, because a client can offer keys without having
// their private halves.
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

// fingerprint returns the SHA-256 fingerprint of key in the format of ssh-keygen -l. If
// key is a certificate, fingerprint returns the fingerprint of the certified key.
func fingerprint(key gossh.PublicKey) string {
	if cert, ok := key.(*gossh.Certificate); ok {
		key = cert.Key
	}
	return gossh.FingerprintSHA256(key)
}

// offered reports whether the client can log in with key. If not, offered sends the
// reason to the client.
func (s *Server) offered(ctx ssh.Context, key ssh.PublicKey) bool {
	_, err := s.config.Identify(ctx.User(), key)
	if err == nil {
		return true
	}
	if conn, ok := ctx.Value(preAuthKey).(gossh.ServerPreAuthConn); ok {
		_ = conn.SendAuthBanner("toolcrib: " + visible.Line(err.Error()) + "\r\n") // errors can be ignored, because the login fails in any case
	}
	s.config.Logger.LogAttrs(ctx, slog.LevelDebug, "ssh key refused", slog.String("remote", ctx.RemoteAddr().String()), slog.String("key", fingerprint(key)), slog.String("why", err.Error()))
	s.metrics.add(&s.metrics.refused, 1)
	return false
}

// admit makes a connection a member when the client requests its first session. Until
// then, the time limit for logins applies to the connection. admit returns false if a
// connection limit is reached.
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
	if m.principal == "" || key == nil || !httpserver.AdmitConn(raw, m.principal) {
		return nil, false
	}
	m.idle = time.AfterFunc(s.limits.Idle, func() { _ = conn.Close() })
	context.AfterFunc(ctx, func() { m.idle.Stop() })
	ctx.SetValue(memberKey, m)
	return m, true
}

// recheckAll starts periodic checks of the keys of all connections with sessions. A
// connection is closed if its key has expired, or was revoked or removed. The checks end
// when ctx is done or stop is called.
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
		s.config.Logger.LogAttrs(ctx, slog.LevelInfo, "ssh key is no longer valid", slog.String("principal", m.principal), slog.String("key", m.name))
		_ = m.conn.Close()
	}
}

// HostKey returns the host key in file. It creates the file with a new key if the file
// does not exist, and returns an error if other accounts can read the file.
func HostKey(file string) (gossh.Signer, error) {
	if _, err := os.Lstat(file); errors.Is(err, fs.ErrNotExist) {
		if err := makeHostKey(file); err != nil && !errors.Is(err, fs.ErrExist) { // another process may have created the file first
			return nil, fmt.Errorf("cannot create the host key: %w", err)
		}
	}
	text, err := owner.ReadFile(file, true, 64<<10)
	if err != nil {
		return nil, fmt.Errorf("cannot read the host key: %w", err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm()&0o077 != 0 {
		return nil, errors.Join(fmt.Errorf("other accounts can read the host key %s; run chmod 600 on the file, or remove it to create a new host key", file), err)
	}
	key, err := gossh.ParsePrivateKey(text)
	if err != nil {
		return nil, fmt.Errorf("cannot parse the host key %s: %w", file, err)
	}
	return key, nil
}

// makeHostKey creates file with a new key. To prevent other processes from reading an
// incomplete key, it writes the key to a temporary file, and then creates a hard link
// with the final name.
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
	f, err := os.CreateTemp(filepath.Dir(file), ".host-key-") // CreateTemp uses mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) //nolint:errcheck // the hard link remains
	_, err = f.Write(pem.EncodeToMemory(block))
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Link(f.Name(), file)
}
