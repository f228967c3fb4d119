package store

import (
	"os"
	"slices"
	"sync"
)

// sharedFiles are the database files that this process has open, each with a
// handle of its own to read pages by. Closing any handle of a file takes away
// all locks that the process holds on it, those of the engine among them
// (https://www.sqlite.org/howtocorrupt.html, "Posix advisory locks canceled");
// so the handle of a file is kept until no DB of the process uses the file. That
// has to be known across all of them, as the engine keeps such a list itself.
var sharedFiles struct {
	sync.Mutex
	list []*sharedFile
}

// sharedFile is a database file that at least one DB uses.
type sharedFile struct {
	info   os.FileInfo // which file it is
	users  int
	handle *os.File // nil until pages are read
}

// useFile notes that a DB uses the file at a path.
func useFile(path string) (*sharedFile, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	sharedFiles.Lock()
	defer sharedFiles.Unlock()
	for _, f := range sharedFiles.list {
		if os.SameFile(f.info, info) {
			f.users++
			return f, nil
		}
	}
	f := &sharedFile{info: info, users: 1}
	sharedFiles.list = append(sharedFiles.list, f)
	return f, nil
}

// open returns the handle of the file at a path, which has to be the same one
// still.
func (f *sharedFile) open(path string) (*os.File, error) {
	sharedFiles.Lock()
	defer sharedFiles.Unlock()
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !os.SameFile(f.info, info) {
		return nil, os.ErrNotExist // and what is opened must not be closed again
	}
	if f.handle == nil {
		f.handle, err = os.Open(path)
	}
	return f.handle, err
}

// leave is called when a DB has closed all that it had open of the file.
func (f *sharedFile) leave() error {
	sharedFiles.Lock()
	defer sharedFiles.Unlock()
	if f.users--; f.users > 0 {
		return nil
	}
	sharedFiles.list = slices.DeleteFunc(sharedFiles.list, func(other *sharedFile) bool { return other == f })
	if f.handle == nil {
		return nil
	}
	return f.handle.Close()
}
