package clients

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// writeNew makes a file that only its owner can read.
func writeNew(name string, text []byte) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		err = errors.Join(err, os.Remove(name))
	}
	return err
}

// ReplaceFile replaces a file in one step. One that is there keeps its mode and
// its owner; with before, it is refused when it does not hold that any more. A
// new one is readable by its owner alone.
func ReplaceFile(name string, text, before []byte) (err error) {
	part := filepath.Join(filepath.Dir(name), "."+filepath.Base(name)+"."+rand.Text())
	if err := writeNew(part, text); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(part))
		}
	}()
	if err := likeFile(part, name); err != nil {
		return err
	}
	if before != nil {
		now, target, err := readFile(name)
		if err != nil {
			return err
		}
		if target != name || !bytes.Equal(now, before) {
			return fmt.Errorf("%s: %w", name, ErrChanged)
		}
	}
	if err := os.Rename(part, name); err != nil {
		return err
	}
	return syncDir(filepath.Dir(name))
}

// likeFile gives a file the mode and the owner of another, if that is there.
func likeFile(part, like string) error {
	info, err := os.Stat(like)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	f, err := os.OpenFile(part, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(keepOwner(f, info), f.Chmod(info.Mode().Perm()), f.Close())
}

// syncDir makes a rename survive a power cut, where the system can.
func syncDir(name string) error {
	d, err := os.Open(name)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, fs.ErrPermission) && !errors.Is(err, fs.ErrInvalid) {
		return err
	}
	return nil
}
