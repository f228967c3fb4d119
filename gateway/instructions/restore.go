package instructions

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"

	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
)

// ErrNotKept is returned for a binary that was approved before its bytes were
// stored.
var ErrNotKept = errors.New("its bytes are not stored, because only its hash was approved in an earlier version of toolcrib; copy the file from its source and propose it again (toolcrib import --files)")

// Restore writes the approved bytes of the given files of a skill or of
// instructions below dir. Each file is replaced atomically, and links are replaced
// and not followed. If it cannot write a file, Restore continues with the others
// and returns all errors. content returns the bytes of a binary by their SHA-256,
// and false if they are not stored.
func Restore(dir string, kind registry.Kind, f registry.Folder, files []string, content func(sha256 string) ([]byte, bool, error)) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close() //nolint:errcheck // files are closed separately
	base := f.Path
	if kind == registry.KindInstructions {
		base = path.Dir(f.Path)
	}
	var errs []error
	for _, name := range files {
		if err := restore(root, path.Join(base, name), f.Files[name], content); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", jsondoc.Quote(path.Join(base, name)), err))
		}
	}
	return errors.Join(errs...)
}

// Remove deletes the given files of a skill below dir, and folders that become
// empty. It follows no links.
func Remove(dir string, f registry.Folder, files []string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close() //nolint:errcheck // files are closed separately
	var errs []error
	for _, name := range files {
		p := path.Join(f.Path, name)
		if err := plainFolders(root, path.Dir(p)); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", jsondoc.Quote(p), err))
			continue
		}
		if err := root.Remove(p); err != nil {
			errs = append(errs, err)
			continue
		}
		for parent := path.Dir(p); parent != f.Path && strings.HasPrefix(parent, f.Path); parent = path.Dir(parent) {
			if root.Remove(parent) != nil {
				break // not empty
			}
		}
	}
	return errors.Join(errs...)
}

func restore(root *os.Root, p string, f registry.File, content func(string) ([]byte, bool, error)) error {
	data, ok := f.Bytes()
	if f.Binary() {
		var err error
		if data, ok, err = content(f.SHA256); err != nil {
			return err
		}
	}
	if !ok && f.Link == "" {
		return ErrNotKept
	}
	if err := plainFolders(root, path.Dir(p)); err != nil {
		return err
	}
	if err := root.MkdirAll(path.Dir(p), 0o755); err != nil {
		return err
	}
	mode := fs.FileMode(0o644)
	if f.Executable {
		mode = 0o755
	}
	now, err := root.Lstat(p)
	switch {
	case err == nil && now.IsDir():
		return errors.New("is a folder; move it away first")
	case err == nil && now.Mode().IsRegular():
		mode = now.Mode().Perm()&^0o111 | mode&0o111&(now.Mode().Perm()>>2|0o100)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	next := path.Join(path.Dir(p), ".toolcrib-"+rand.Text())
	if f.Link != "" {
		err = root.Symlink(f.Link, next)
	} else {
		err = write(root, next, data, mode)
	}
	if err == nil {
		err = root.Rename(next, p)
	}
	if err != nil {
		return errors.Join(err, removed(root, next))
	}
	return nil
}

// removed deletes an unfinished temporary file.
func removed(root *os.Root, name string) error {
	if err := root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// write writes and syncs a new file before it is renamed.
func write(root *os.Root, name string, data []byte, mode fs.FileMode) error {
	out, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = out.Write(data)
	if err == nil {
		err = out.Chmod(mode) // regardless of the umask
	}
	if err == nil {
		err = out.Sync()
	}
	return errors.Join(err, out.Close())
}

// plainFolders returns an error if dir or one of its parents is a link.
func plainFolders(root *os.Root, dir string) error {
	at := ""
	for element := range strings.SplitSeq(dir, "/") {
		at = path.Join(at, element)
		info, err := root.Lstat(at)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case !info.IsDir():
			return fmt.Errorf("%s is not a plain folder; toolcrib does not write through links", jsondoc.Quote(at))
		}
	}
	return nil
}
