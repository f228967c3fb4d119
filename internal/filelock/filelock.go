// Package filelock locks a file between processes. The operating system releases the
// lock of a process that ends.
package filelock

import "os"

// Lock waits for the lock on the file name, which it creates if necessary, and returns
// the function that releases it.
func Lock(name string) (unlock func(), err error) {
	unlock, _, err = open(name, true)
	return unlock, err
}

// Try is like Lock, but does not wait: held reports whether another process, or
// another caller of this one, has the lock.
func Try(name string) (unlock func(), held bool, err error) { return open(name, false) }

func open(name string, wait bool) (unlock func(), held bool, err error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, false, err
	}
	held, err = lock(f, wait)
	if held || err != nil {
		f.Close() // nothing was written
		return nil, held, err
	}
	return func() { f.Close() }, false, nil // closing releases the lock
}
