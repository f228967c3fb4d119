package signers

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
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

// read reads a file that only the administrator, or when it is the user's own
// the user, can have written. It looks before it opens: a pipe would keep it
// waiting.
func read(name string, own bool, most int64) ([]byte, error) {
	for _, path := range []string{name, filepath.Dir(name)} {
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		if err := safe(info, own); err != nil {
			return nil, fmt.Errorf("%w: %s: %w", ErrFile, path, err)
		}
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if err := safe(info, own); err != nil || info.IsDir() {
		return nil, fmt.Errorf("%w: %s is a folder, or changed while it was read", ErrFile, name)
	}
	b, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(b)) > most {
		err = fmt.Errorf("%w: %s has more than %d bytes", ErrFile, name, most)
	}
	return b, err
}

// safe returns nil for what no other account can change.
func safe(info fs.FileInfo, own bool) error {
	switch mode := info.Mode(); {
	case !mode.IsRegular() && !mode.IsDir():
		return errors.New("it is no file")
	case mode.Perm()&0o022 != 0:
		return fmt.Errorf("others may write to it (mode %04o); take that away with chmod go-w", mode.Perm())
	}
	account, known := owner.Of(info)
	if known && account != 0 && (!own || account != os.Geteuid()) {
		return fmt.Errorf("it belongs to another account (%d)", account)
	}
	return nil
}
