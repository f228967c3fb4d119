package signers

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"toolcrib/internal/owner"
)

// File is a signers file that is read again whenever it changes. It is safe for
// concurrent use.
type File struct {
	System, User string // folders, see Load

	mu      sync.Mutex
	seen    []fs.FileInfo // state of the files at the last read
	signers *Signers
	name    string
	err     error
}

// Signers returns the current signers.
func (f *File) Signers() (*Signers, error) {
	s, _, err := f.Load()
	return s, err
}

// Load returns the current signers and the name of their file.
func (f *File) Load() (*Signers, string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := f.stat()
	if f.seen == nil || !slices.EqualFunc(now, f.seen, func(a, b fs.FileInfo) bool {
		return a == b || a != nil && b != nil && os.SameFile(a, b) && a.Mode() == b.Mode() && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
	}) {
		f.seen = now
		f.signers, f.name, f.err = Load(f.System, f.User)
	}
	return f.signers, f.name, f.err
}

// stat returns the file info of every file that Load may read, nil for missing
// ones.
func (f *File) stat() []fs.FileInfo {
	var found []fs.FileInfo
	for _, folder := range []string{f.System, f.User} {
		for _, name := range []string{"", AllowedFile, revokedFile} {
			info, _ := os.Stat(filepath.Join(folder, name))
			found = append(found, info)
		}
	}
	return found
}

// AllowedFile is the name of the signers file in its folder.
const AllowedFile = "allowed_signers"

// revokedFile is the name of the key revocation list that earlier versions read
// beside the signers file.
const revokedFile = "revoked_keys"

// SystemFolder is where the administrator of a machine keeps the file.
const SystemFolder = "/etc/toolcrib"

// ErrNoFile is returned if no signers file exists.
var ErrNoFile = errors.New("no signers file")

// Load reads the signers file in the system folder or, if there is none, that in
// the user's folder, and returns its name. Both paths must be absolute and must not
// come from a project. An unusable file in the system folder is an error, so that
// breaking it does not give way to the user's file. A key revocation list beside
// the file is an error too, because ignoring it would let revoked keys sign.
func Load(system, user string) (*Signers, string, error) {
	for _, folder := range []string{system, user} {
		if !filepath.IsAbs(folder) {
			return nil, "", fmt.Errorf("%w: its folder %q is not absolute", ErrFile, folder)
		}
	}
	folder, own := system, false
	allowed, err := read(filepath.Join(system, AllowedFile), own)
	if errors.Is(err, fs.ErrNotExist) {
		folder, own = user, true
		allowed, err = read(filepath.Join(user, AllowedFile), own)
	}
	file := filepath.Join(folder, AllowedFile)
	list := filepath.Join(folder, revokedFile)
	if _, missing := os.Lstat(list); !errors.Is(missing, fs.ErrNotExist) {
		return nil, file, fmt.Errorf("%w: %s: toolcrib does not read key revocation lists: put valid-before on the lines of its keys in %s, or remove those lines, then delete %s and run toolcrib signers record",
			ErrFile, list, file, list)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, "", fmt.Errorf("%w: neither %s nor %s", ErrNoFile, filepath.Join(system, AllowedFile), file)
	}
	if err != nil {
		return nil, file, err
	}
	s, err := Parse(allowed)
	if err != nil {
		return nil, file, fmt.Errorf("%s: %w", file, err)
	}
	return s, file, nil
}

// read reads a file that only its owner can write, see owner.ReadFile.
func read(name string, own bool) ([]byte, error) {
	b, err := owner.ReadFile(name, own, MaxSize)
	if errors.Is(err, owner.ErrUnsafe) {
		err = fmt.Errorf("%w: %w", ErrFile, err)
	}
	return b, err
}
