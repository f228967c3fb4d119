// Package filelock provides locks between processes. When a process ends, the operating
// system releases its locks.
package filelock

import "os"

// Lock waits for the lock on the file with the given name, and creates the file if
// necessary. unlock releases the lock.
func Lock(name string) (unlock func(), err error) {
	unlock, _, err = open(name, true)
	return unlock, err
}

// Try is like Lock, but does not wait. busy is true if another process, or another caller
// in this process, holds the lock.
func Try(name string) (unlock func(), busy bool, err error) { return open(name, false) }

func open(name string, wait bool) (unlock func(), held bool, err error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, false, err
	}
	held, err = lock(f, wait)
	if held || err != nil {
		f.Close() // the file was not written, so the error can be ignored
		return nil, held, err
	}
	return func() { f.Close() }, false, nil // closing the file releases the lock
}
