// Package atomicfile replaces files atomically. After a crash, a file has either its old
// or its new content.
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

// Temporary is the prefix of the names of temporary files. A temporary file is in the
// folder of the file to replace. It remains there if the process is killed.
const Temporary = ".toolcrib-"

// Options control how Write replaces a file.
type Options struct {
	// Mode is the mode of the new file.
	Mode fs.FileMode
	// Keep copies the mode and the owner of an existing file to the new file. Mode then
	// applies only if the file does not exist.
	Keep bool
	// Check, if not nil, is called when the new content is on disk, but has not yet
	// replaced the old content. If Check returns an error, the old content remains.
	Check func() error
	// New makes Write return an error that wraps fs.ErrExist if the file exists, even if
	// another program creates the file while Write runs. If the existing file has the
	// same content, Write returns nil, because an earlier, interrupted Write may have
	// created this file.
	New bool
}

// Write replaces the file with the given name by a file that contains text. The folder
// must exist. Write writes and syncs a temporary file in this folder, renames the
// temporary file, and syncs the folder. It does not follow a symbolic link, but replaces
// it. To write the target of a link, resolve the link first.
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

// Stream replaces a file like Write. The new content is the data that fill writes.
func Stream(name string, o Options, fill func(io.Writer) error) error {
	root, err := os.OpenRoot(filepath.Dir(name))
	if err != nil {
		return err
	}
	return errors.Join(writeIn(root, filepath.Base(name), o, fill), root.Close())
}

// WriteJSON writes v as one line of JSON to a file that only the owner can read. It
// creates the folder if necessary.
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

// WriteIn replaces a file below root, like Write. It does not follow links that leave
// root (see os.Root).
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

// create creates a file with the given name and the content of the temporary file temp.
// It does not remove temp. It creates a hard link, because renaming temp would replace an
// existing file.
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

// duplicate copies the temporary file to a new file with the given name, and syncs the
// new file. If the process is killed while copying, an incomplete file remains.
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

// sameContent reports whether two regular files have the same content. It also syncs both
// files, because a process may have been killed after it wrote the second file and before
// it synced this file.
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

// prepare writes and syncs a temporary file in the folder of the file to replace. It
// returns the name of the temporary file.
func prepare(root *os.Root, name string, o Options, fill func(io.Writer) error) (temp string, err error) {
	temp = filepath.Join(filepath.Dir(name), Temporary+rand.Text())
	f, err := root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return "", fmt.Errorf("cannot write to the folder of the file: %w", cause(err))
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

// cause returns err without the path of the temporary file, which means nothing to users.
func cause(err error) error {
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		return at.Err
	}
	return err
}

// setAttributes sets the mode and, with Keep, the owner of the temporary file f.
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

// syncDir syncs a folder, to make a rename survive a power failure. It ignores the errors
// of systems that cannot sync folders.
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
