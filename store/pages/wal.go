package pages

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

const (
	walHeader   = 32
	frameHeader = 24
)

// Logged returns the pages that a write-ahead log has a frame of, whether the
// frame is good or not (https://www.sqlite.org/fileformat2.html#walformat).
//
// These are all the pages that may be another in the database file than in a
// snapshot, if the snapshot is held by a read transaction that began before the
// log was read. Only a checkpoint writes to the database file, and it writes no
// frame beyond the mark of a reader (https://www.sqlite.org/wal.html,
// "Checkpointing"); the frames up to the mark were in the log when the
// transaction began, and stay where they are while it lives, as the log is not
// begun anew under a reader that uses it
// (https://www.sqlite.org/walformat.html, "WAL read locks"). A reader whose
// mark is 0 uses the database file alone, and holds the lock that keeps every
// checkpoint from writing to it.
func Logged(log io.ReaderAt, pageSize int) (map[uint32]bool, error) {
	var head [walHeader]byte
	n, err := log.ReadAt(head[:], 0)
	if n < len(head) && errors.Is(err, io.EOF) {
		return nil, nil // it holds no frame
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if size := binary.BigEndian.Uint32(head[8:]); int64(size) != int64(pageSize) {
		return nil, unsound("the log has pages of %d bytes", size)
	}
	logged := map[uint32]bool{}
	for at := int64(walHeader); ; at += frameHeader + int64(pageSize) {
		var frame [4]byte
		switch n, err := log.ReadAt(frame[:], at); {
		case n < len(frame) && errors.Is(err, io.EOF):
			return logged, nil
		case err != nil && !errors.Is(err, io.EOF):
			return nil, fmt.Errorf("the log: %w", err)
		}
		logged[binary.BigEndian.Uint32(frame[:])] = true
	}
}
