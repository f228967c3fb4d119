package signers

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"toolcrib/internal/owner"
)

// File is the signers file, read again when it changed. It is safe for concurrent
// use.
type File struct {
	System, User string // folders, as Load takes them

	mu      sync.Mutex
	seen    []fs.FileInfo // the files when it was read
	signers *Signers
	name    string
	err     error
}

// Signers returns the signers of the file as it is now.
func (f *File) Signers() (*Signers, error) {
	s, _, err := f.Load()
	return s, err
}

// Load returns the signers of the file as it is now, and its name.
func (f *File) Load() (*Signers, string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := f.look()
	if f.seen == nil || !alike(now, f.seen) {
		f.seen = now
		f.signers, f.name, f.err = Load(f.System, f.User)
	}
	return f.signers, f.name, f.err
}

// look returns the state of every file that Load may read; a missing one is nil.
func (f *File) look() []fs.FileInfo {
	var found []fs.FileInfo
	for _, folder := range []string{f.System, f.User} {
		for _, name := range []string{"", AllowedFile, revokedFile} {
			info, _ := os.Stat(filepath.Join(folder, name))
			found = append(found, info)
		}
	}
	return found
}

func alike(a, b []fs.FileInfo) bool {
	for i := range a {
		if a[i] == nil || b[i] == nil {
			if a[i] != b[i] {
				return false
			}
			continue
		}
		if !os.SameFile(a[i], b[i]) || a[i].Mode() != b[i].Mode() || a[i].Size() != b[i].Size() || !a[i].ModTime().Equal(b[i].ModTime()) {
			return false
		}
	}
	return true
}

// AllowedFile is the name of the signers file in its folder.
const AllowedFile = "allowed_signers"

// revokedFile is the name of the key revocation list that earlier versions read
// beside the signers file.
const revokedFile = "revoked_keys"

// SystemFolder is where the administrator of a machine keeps the file.
const SystemFolder = "/etc/toolcrib"

// ErrNoFile is returned where there is no signers file.
var ErrNoFile = errors.New("there is no signers file")

// Load reads the signers file of the system's folder or, where there is none,
// that of the user's. Both folders are absolute; neither comes from a project. A
// file that is there and cannot be used is an error, so that nobody gets to the
// user's file by breaking the system's. A key revocation list beside the file is
// an error, too: ignoring it would let revoked keys sign. It returns the signers
// file's name.
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
	if list := filepath.Join(folder, revokedFile); !missing(list) {
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

// missing reports whether nothing has a name.
func missing(name string) bool {
	_, err := os.Lstat(name)
	return errors.Is(err, fs.ErrNotExist)
}

// read reads a file as Load does.
func read(name string, own bool, most int64) ([]byte, error) {
	b, err := owner.ReadFile(name, own, most)
	if errors.Is(err, owner.ErrUnsafe) {
		err = fmt.Errorf("%w: %w", ErrFile, err)
	}
	return b, err
}
