package clients

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"toolcrib/internal/atomicfile"
)

// readFile returns the content of a regular file and the path it has once
// symbolic links are followed. A pipe is not waited for.
func readFile(name string) (data []byte, target string, err error) {
	target, err = filepath.EvalSymlinks(name)
	if err != nil {
		return nil, "", err
	}
	f, err := os.OpenFile(target, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, target, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, target, err
	}
	if !info.Mode().IsRegular() {
		return nil, target, errors.New("not a regular file")
	}
	data, err = io.ReadAll(io.LimitReader(f, MaxBytes+1))
	if err == nil && len(data) > MaxBytes {
		err = fmt.Errorf("larger than %d MB", MaxBytes>>20)
	}
	return data, target, err
}

// reason returns what an error says behind the path, which a problem has.
func reason(err error) string {
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		return at.Err.Error()
	}
	return err.Error()
}

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
func ReplaceFile(name string, text, before []byte) error {
	o := atomicfile.Options{Mode: 0o600, Keep: true}
	if before != nil {
		o.Check = func() error {
			now, target, err := readFile(name)
			if err == nil && (target != name || !bytes.Equal(now, before)) {
				err = fmt.Errorf("%s: %w", name, ErrChanged)
			}
			return err
		}
	}
	return atomicfile.Write(name, text, o)
}
