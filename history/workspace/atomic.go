package workspace

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"toolcrib/internal/atomicfile"
)

// maxFile is the longest file of a workspace that is read, in bytes. It is more
// than a project can have.
const maxFile = 64 << 20

// errNoFile is wrapped when the path is not a regular file: opening a pipe would
// block.
var errNoFile = errors.New("is not a file")

// files accesses the files below the folder of a workspace. The folder is often one that
// others write to, agents too: a link in it that leads out of it is not
// followed, neither to read nor to write (os.Root).
type files struct{ dir string }

// in runs fn on the folder.
func (f files) in(fn func(*os.Root) error) error {
	root, err := os.OpenRoot(f.dir)
	if err != nil {
		return err
	}
	return errors.Join(f.explain(fn(root)), root.Close())
}

// errLeadsOut is wrapped when a link keeps a file from being read or written.
var errLeadsOut = errors.New("the workspace contains a link that leads outside it")

// explain names the link that os.Root did not follow. It has no exported error
// for one, only this text.
func (f files) explain(err error) error {
	var at *fs.PathError
	for inner := err; errors.As(inner, &at); inner = at.Err {
		if at.Err.Error() == "path escapes from parent" {
			return fmt.Errorf("%w: %s; nothing was read or written through it", errLeadsOut, filepath.Join(f.dir, at.Path))
		}
	}
	return err
}

// read returns what a file holds; fs.ErrNotExist when there is none.
func (f files) read(name string) (text []byte, err error) {
	err = f.in(func(root *os.Root) error {
		text, err = readIn(root, name)
		return err
	})
	return text, err
}

func readIn(root *os.Root, name string) ([]byte, error) {
	info, err := root.Stat(name)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s %w", filepath.Join(root.Name(), name), errNoFile)
	case info.Size() > maxFile:
		return nil, fmt.Errorf("%s has more than %d MiB", filepath.Join(root.Name(), name), maxFile>>20)
	}
	file, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, maxFile))
}

// sweep removes what processes that were killed while they wrote left in the
// folder dir. The caller sees to it that nobody is writing there now.
func (f files) sweep(dir string) error {
	return f.in(func(root *os.Root) error {
		entries, err := fs.ReadDir(root.FS(), filepath.ToSlash(dir))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		for _, e := range entries {
			if !strings.HasPrefix(e.Name(), atomicfile.Temporary) {
				continue
			}
			if err := root.Remove(filepath.Join(dir, e.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
		return nil
	})
}

// write replaces a file in one step that survives a crash. It gets mode 0644.
func (f files) write(name string, text []byte) error {
	return f.in(func(root *os.Root) error {
		if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		return atomicfile.WriteIn(root, name, text, atomicfile.Options{Mode: 0o644})
	})
}
