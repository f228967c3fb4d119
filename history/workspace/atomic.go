package workspace

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"toolcrib/internal/failpoint"
)

// temporary begins the name of a file that is not whole yet.
const temporary = ".toolcrib-"

// maxFile is the longest file of a workspace that is read, in bytes. It is more
// than a project can have.
const maxFile = 64 << 20

// errNoFile is wrapped when something else than a file stands in its place: a
// pipe would keep whoever opens it waiting.
var errNoFile = errors.New("is no file")

// files are those below the folder of a workspace. The folder is often one that
// others write to, agents too: a link in it that leads out of it is not
// followed, neither to read nor to write (os.Root).
type files struct{ dir string }

// in runs fn on the folder.
func (f files) in(fn func(*os.Root) error) error {
	root, err := os.OpenRoot(f.dir)
	if err != nil {
		return err
	}
	return errors.Join(fn(root), root.Close())
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
			if !strings.HasPrefix(e.Name(), temporary) {
				continue
			}
			if err := gone(root.Remove(filepath.Join(dir, e.Name()))); err != nil {
				return err
			}
		}
		return nil
	})
}

// write replaces a file as WriteFile does.
func (f files) write(name string, text []byte) error {
	return f.in(func(root *os.Root) error {
		if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		return replace(root, name, text)
	})
}

// WriteFile replaces the file at name in one step that survives a crash: the
// text goes to a temporary file in the same folder, which is synced, renamed,
// and its folder, which has to be there, synced. The file gets mode 0644.
func WriteFile(name string, text []byte) error {
	return files{filepath.Dir(name)}.write(filepath.Base(name), text)
}

func replace(root *os.Root, name string, text []byte) (err error) {
	dir := filepath.Dir(name)
	part := filepath.Join(dir, temporary+rand.Text())
	f, err := root.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, gone(root.Remove(part)))
		}
	}()
	failpoint.Here("file")
	_, err = f.Write(text)
	err = errors.Join(err, f.Chmod(0o644), f.Sync(), f.Close())
	if err != nil {
		return err
	}
	failpoint.Here("file-written")
	if err := root.Rename(part, name); err != nil {
		return err
	}
	failpoint.Here("file-renamed")
	return syncDir(root, dir)
}

// gone is the error of a removal: what is not there is removed.
func gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// syncDir makes a rename survive a power cut, where the system can.
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
