// Package atomicfile replaces files in one step that survives a crash.
package atomicfile

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"toolcrib/internal/failpoint"
)

// Temporary begins the name of a file that is not whole yet. It stands in the
// folder of the file that it becomes; a process that is killed leaves it there.
const Temporary = ".toolcrib-"

// Options are how a file is replaced.
type Options struct {
	// Mode is the mode of the file.
	Mode fs.FileMode
	// Keep gives the file the mode and the owner of the one that is there; Mode
	// is for a new one.
	Keep bool
	// Check runs when the new text is on the disk, right before it takes the
	// place of the old. Its error keeps the old.
	Check func() error
}

// Write replaces the file at name, whose folder has to exist. The text goes to a
// temporary file beside it, which is synced and renamed; then the folder is
// synced. A symbolic link at name is replaced, not followed: resolve it first to
// write its target.
func Write(name string, text []byte, o Options) error {
	root, err := os.OpenRoot(filepath.Dir(name))
	if err != nil {
		return err
	}
	return errors.Join(WriteIn(root, filepath.Base(name), text, o), root.Close())
}

// WriteJSON writes a line of JSON that only the owner can read, and makes the folder.
func WriteJSON(name string, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	return Write(name, append(text, '\n'), Options{Mode: 0o600})
}

// WriteIn is Write for a file below root. A link in its folder that leads out of
// root is not followed (os.Root).
func WriteIn(root *os.Root, name string, text []byte, o Options) (err error) {
	part, err := prepare(root, name, text, o)
	if err != nil {
		return err
	}
	if o.Check != nil {
		err = o.Check()
	}
	if err == nil {
		err = root.Rename(part, name)
	}
	if err != nil {
		return errors.Join(err, root.Remove(part))
	}
	failpoint.Here("file-renamed")
	return syncDir(root, filepath.Dir(name))
}

// prepare writes and syncs the temporary file and returns its name.
func prepare(root *os.Root, name string, text []byte, o Options) (part string, err error) {
	part = filepath.Join(filepath.Dir(name), Temporary+rand.Text())
	f, err := root.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return "", fmt.Errorf("its folder cannot be written to: %w", cause(err))
	}
	if err != nil {
		return "", err
	}
	failpoint.Here("file")
	_, err = f.Write(text)
	err = cause(err)
	err = errors.Join(err, o.dress(root, name, f), f.Sync(), f.Close())
	if err != nil {
		return "", errors.Join(err, root.Remove(part))
	}
	failpoint.Here("file-written")
	return part, nil
}

// cause returns what failed without the path of the temporary file, which tells nobody
// anything.
func cause(err error) error {
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		return at.Err
	}
	return err
}

// dress gives the temporary file its mode and its owner.
func (o Options) dress(root *os.Root, name string, f *os.File) error {
	if !o.Keep {
		return f.Chmod(o.Mode)
	}
	info, err := root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return f.Chmod(o.Mode)
	case err != nil:
		return err
	}
	return errors.Join(keepOwner(f, info), f.Chmod(info.Mode().Perm()))
}

// syncDir makes a rename in a folder survive a power cut, where the system can.
func syncDir(root *os.Root, dir string) error {
	d, err := root.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, fs.ErrPermission) && !errors.Is(err, fs.ErrInvalid) {
		return err
	}
	return nil
}
