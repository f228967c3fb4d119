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

// ErrNotKept is wrapped by the error about a binary that was approved before its bytes were
// stored.
var ErrNotKept = errors.New("only its hash was approved, in an earlier version of toolcrib, so its bytes cannot be written; copy the file from its source and propose it again (toolcrib import --files)")

// Restore writes the approved bytes of the given files of a skill or of instructions
// below dir, each in one step: a file that is there is whole at every moment, the old or
// the new one. Links are replaced and never followed. It goes on after a file that it
// cannot write, and returns the errors of all. content returns the bytes of a binary by
// their SHA-256, false if they are not stored.
func Restore(dir string, kind registry.Kind, f registry.Folder, files []string, content func(sha256 string) ([]byte, bool, error)) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close() //nolint:errcheck // each file is closed by itself
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

// Remove deletes the given files of a skill below dir, and what folders that leaves
// empty. It never follows a link.
func Remove(dir string, f registry.Folder, files []string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close() //nolint:errcheck // each file is closed by itself
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
				break // it still holds something
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
		return errors.New("is a folder now; move it away first")
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

// removed deletes what was not finished.
func removed(root *os.Root, name string) error {
	if err := root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// write makes a file that is on the disk before it gets its name.
func write(root *os.Root, name string, data []byte, mode fs.FileMode) error {
	out, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = out.Write(data)
	if err == nil {
		err = out.Chmod(mode) // whatever the umask says
	}
	if err == nil {
		err = out.Sync()
	}
	return errors.Join(err, out.Close())
}

// plainFolders reports a folder on the way to dir that is a link.
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
			return fmt.Errorf("%s is not a plain folder; nothing is written through links", jsondoc.Quote(at))
		}
	}
	return nil
}
