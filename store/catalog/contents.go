package catalog

import (
	"context"
	"fmt"

	"toolcrib/registry"
	"toolcrib/store/engine"
	"toolcrib/store/session"
)

// contentTables stores the bytes of binary files by SHA-256.
type contentTables struct{ *session.Session }

// Content implements review.RegistryReader.
func (s contentTables) Content(ctx context.Context, sha256 string) (data []byte, ok bool, err error) {
	ok, err = s.Maybe(ctx, "SELECT bytes FROM contents WHERE sha256 = $1", []any{sha256}, &data)
	if ok && registry.HashBytes(data) != sha256 {
		return nil, false, fmt.Errorf("%w: the bytes stored under the SHA-256 %.12s do not match it; run toolcrib verify", engine.ErrDamaged, sha256)
	}
	return data, ok, err
}

// AddContent implements review.RegistryWriter.
func (s contentTables) AddContent(ctx context.Context, data []byte) error {
	if data == nil {
		data = []byte{} // so that the driver does not store NULL
	}
	_, err := s.Exec(ctx, "INSERT INTO contents (sha256, bytes) VALUES ($1, $2)", registry.HashBytes(data), data)
	return err
}
