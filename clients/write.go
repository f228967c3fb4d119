package clients

import (
	"bytes"
	"errors"
	"fmt"
	"os"

	"toolcrib/internal/atomicfile"
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
