package clients

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
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
