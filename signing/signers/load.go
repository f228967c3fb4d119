package signers

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"toolcrib/internal/owner"
	"toolcrib/signing/krl"
)

// The names of the files in their folder.
const (
	AllowedFile = "allowed_signers"
	RevokedFile = "revoked_keys"
)

// SystemFolder is where the administrator of a machine keeps the files.
const SystemFolder = "/etc/toolcrib"

// ErrNoFile is returned where there is no signers file.
var ErrNoFile = errors.New("there is no signers file")

// Load reads the signers file of the system's folder or, where there is none,
// that of the user's, and the revocation list beside it. Both folders are
// absolute; neither comes from a project. A file that is there and cannot be
// used is an error, so that nobody gets to the user's file by breaking the
// system's. It returns the signers file's name.
func Load(system, user string) (*Signers, string, error) {
	for _, folder := range []string{system, user} {
		if !filepath.IsAbs(folder) {
			return nil, "", fmt.Errorf("%w: its folder %q is not absolute", ErrFile, folder)
		}
	}
	folder, own := system, false
	allowed, err := read(filepath.Join(system, AllowedFile), own, MaxSize)
	if errors.Is(err, fs.ErrNotExist) {
		folder, own = user, true
		allowed, err = read(filepath.Join(user, AllowedFile), own, MaxSize)
	}
	file := filepath.Join(folder, AllowedFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, "", fmt.Errorf("%w: neither %s nor %s", ErrNoFile, filepath.Join(system, AllowedFile), file)
	}
	if err != nil {
		return nil, file, err
	}
	revoked, err := read(filepath.Join(folder, RevokedFile), own, krl.MaxSize)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, file, err
	}
	s, err := Parse(allowed, revoked)
	if err != nil {
		return nil, file, fmt.Errorf("%s: %w", file, err)
	}
	return s, file, nil
}

// read reads one of the files.
func read(name string, own bool, most int64) ([]byte, error) {
	b, err := owner.ReadFile(name, own, most)
	if errors.Is(err, owner.ErrUnsafe) {
		err = fmt.Errorf("%w: %w", ErrFile, err)
	}
	return b, err
}
