package signers

import (
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// File is the signers file with the revocation list beside it, read again when
// one of them changed. It is safe for concurrent use.
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
		for _, name := range []string{"", AllowedFile, RevokedFile} {
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
