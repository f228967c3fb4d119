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

// Reasons for not writing a file.
var (
	// ErrChanged is for a file that somebody wrote in between.
	ErrChanged = errors.New("the file changed in between; try again")
	// ErrLink is for a file that is elsewhere than its path says.
	ErrLink = errors.New("a symbolic link leads out of the folder")
)

// Write replaces the content of a file that was read, in one step, if the file is
// still as it was read. It keeps its mode and its owner. Where a symbolic link leads
// elsewhere (File.Target), it is followed only if follow says so.
func (f *File) Write(data []byte, follow bool) error {
	if f.Target != "" && !follow {
		return fmt.Errorf("%s: %w, to %s; --follow-links writes there", f.Path, ErrLink, f.Target)
	}
	return atomicfile.Write(f.real, data, atomicfile.Options{Keep: true, Check: func() error {
		now, target, err := readFile(f.Path)
		if err == nil && (target != f.real || !bytes.Equal(now, f.data)) {
			err = fmt.Errorf("%s: %w", f.Path, ErrChanged)
		}
		return err
	}})
}
