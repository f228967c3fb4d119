// Package atomicfile replaces files atomically: after a crash, the file has either
// the old or the new content.
package atomicfile

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"toolcrib/internal/failpoint"
)

// Temporary is the prefix of the names of temporary files. A killed process leaves
// its temporary file in the folder of the target.
const Temporary = ".toolcrib-"

// Options control how Write replaces a file.
type Options struct {
	// Mode is the mode of the file.
	Mode fs.FileMode
	// Keep makes the new file keep mode and owner of an existing one; Mode then
	// applies to new files only.
	Keep bool
	// Check, if not nil, runs after the new content is on disk and before it
	// replaces the old. If it returns an error, the old file stays.
	Check func() error
	// New makes Write create the file and never replace one, not even a file that another program creates
	// while Write runs: the error then wraps fs.ErrExist. An existing file with the same content is not an
	// error, because an interrupted Write leaves one.
	New bool
}

// Write replaces the file at name, whose folder must exist. It writes and syncs a
// temporary file in the same folder, renames it, and syncs the folder. A symbolic
// link at name is replaced, not followed: resolve it first to write its target.
func Write(name string, text []byte, o Options) error {
	return Stream(name, o, content(text))
}

// content returns a function that writes text.
func content(text []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	}
}

// Stream is like Write, for a text that fill writes.
func Stream(name string, o Options, fill func(io.Writer) error) error {
	root, err := os.OpenRoot(filepath.Dir(name))
	if err != nil {
		return err
	}
	return errors.Join(writeIn(root, filepath.Base(name), o, fill), root.Close())
}

// WriteJSON writes v as one line of JSON that only the owner can read. It creates
// the folder if necessary.
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

// WriteIn is like Write, for a file below root. It does not follow links that leave root (see os.Root).
func WriteIn(root *os.Root, name string, text []byte, o Options) error {
	return writeIn(root, name, o, content(text))
}

func writeIn(root *os.Root, name string, o Options, fill func(io.Writer) error) error {
	temp, err := prepare(root, name, o, fill)
	if err != nil {
		return err
	}
	if o.Check != nil {
		err = o.Check()
	}
	failpoint.Here("file-checked")
	switch {
	case err != nil:
		err = errors.Join(err, root.Remove(temp))
	case o.New:
		err = errors.Join(create(root, temp, name), root.Remove(temp))
	default:
		if err = root.Rename(temp, name); err != nil {
			err = errors.Join(err, root.Remove(temp))
		}
	}
	if err != nil {
		return err
	}
	failpoint.Here("file-renamed")
	return syncDir(root, filepath.Dir(name))
}

// create makes a new file with the content of the temporary file, which stays. Unlike
// a rename, a hard link does not replace an existing file.
func create(root *os.Root, temp, name string) error {
	err := root.Link(temp, name)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		err = duplicate(root, temp, name) // the file system may not support hard links
	}
	if errors.Is(err, fs.ErrExist) && sameContent(root, temp, name) {
		err = nil
	}
	failpoint.Here("file-linked")
	return err
}

// duplicate copies the temporary file to a new file and syncs it. If the process is killed in the meantime, an
// incomplete file remains at name.
func duplicate(root *os.Root, temp, name string) error {
	from, err := root.Open(temp)
	if err != nil {
		return err
	}
	defer from.Close()
	info, err := from.Stat()
	if err != nil {
		return err
	}
	to, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	created, err := to.Stat()
	if err == nil {
		_, err = io.Copy(to, from)
	}
	if err = errors.Join(err, to.Chmod(info.Mode().Perm()), to.Sync(), to.Close()); err == nil {
		return nil
	}
	if now, failed := root.Lstat(name); failed == nil && os.SameFile(now, created) {
		return errors.Join(err, root.Remove(name))
	}
	return err
}

// sameContent reports whether two regular files have the same content, and syncs the
// second: the process that wrote it may have been killed before its sync.
func sameContent(root *os.Root, first, second string) bool {
	sum := func(name string) (sum [sha256.Size]byte, err error) {
		if info, err := root.Lstat(name); err != nil || !info.Mode().IsRegular() {
			return sum, errors.Join(err, fs.ErrInvalid)
		}
		f, err := root.OpenFile(name, os.O_RDWR, 0)
		if err != nil {
			return sum, err
		}
		defer f.Close()
		h := sha256.New()
		_, err = io.Copy(h, f)
		return [sha256.Size]byte(h.Sum(nil)), errors.Join(err, f.Sync())
	}
	a, err := sum(first)
	b, failed := sum(second)
	return err == nil && failed == nil && a == b
}

// prepare writes and syncs the temporary file and returns its name.
func prepare(root *os.Root, name string, o Options, fill func(io.Writer) error) (temp string, err error) {
	temp = filepath.Join(filepath.Dir(name), Temporary+rand.Text())
	f, err := root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return "", fmt.Errorf("cannot write to its folder: %w", cause(err))
	}
	if err != nil {
		return "", err
	}
	failpoint.Here("file")
	err = cause(fill(f))
	err = errors.Join(err, o.setAttributes(root, name, f), f.Sync(), f.Close())
	if err != nil {
		return "", errors.Join(err, root.Remove(temp))
	}
	failpoint.Here("file-written")
	return temp, nil
}

// cause removes the path of the temporary file from err, because users do not know that file.
func cause(err error) error {
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		return at.Err
	}
	return err
}

// setAttributes sets mode and owner of the temporary file.
func (o Options) setAttributes(root *os.Root, name string, f *os.File) error {
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

// syncDir syncs a folder, so that a rename survives a power failure. It ignores
// systems that cannot sync folders.
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
