package sshdoor

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	gossh "golang.org/x/crypto/ssh"

	"toolcrib/internal/owner"
)

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
