package pages

import (
	"fmt"
	"io"
	"sync/atomic"
)

// File is one snapshot of a database, page by page. What is claimed, by reading
// a tree or the free list, is claimed once for all readers.
type File struct {
	header
	at      io.ReaderAt
	count   uint32
	logged  map[uint32]bool
	engine  func(page uint32) ([]byte, error)
	claimed []uint64 // a bit for each page
}

// Open reads the header of a snapshot of count pages. The pages in logged are
// asked of the engine, which may know newer ones in its log, all others are read
// from at, where they stay as they are while the snapshot is held (see Logged).
func Open(at io.ReaderAt, count uint32, logged map[uint32]bool, engine func(page uint32) ([]byte, error)) (*File, error) {
	f := &File{at: at, count: count, logged: logged, engine: engine, claimed: make([]uint64, int(count)/64+1)}
	first := make([]byte, headerSize)
	var err error
	if logged[1] {
		first, err = engine(1)
	} else {
		_, err = at.ReadAt(first, 0)
	}
	if err != nil {
		return nil, fmt.Errorf("the header of the database: %w", err)
	}
	f.header, err = parseHeader(first)
	return f, err
}

// lockPage is the number of the page that is never used.
func (f *File) lockPage() uint32 { return uint32(pendingByte/f.pageSize) + 1 }

// claim takes a page for what it was reached from. A page that is not in the
// file or has another use already is an error, so that nothing is followed in
// circles.
func (f *File) claim(page uint32) error {
	if page == 0 || page > f.count || page == f.lockPage() {
		return unsound("page %d is not in the file", page)
	}
	bit := uint64(1) << (page % 64)
	if atomic.OrUint64(&f.claimed[page/64], bit)&bit != 0 {
		return unsound("page %d is used twice", page)
	}
	return nil
}

// Unclaimed returns the first page that nothing uses, 0 when there is none. It
// is asked when every tree and the free list were read.
func (f *File) Unclaimed() uint32 {
	for page := uint32(1); page != 0 && page <= f.count; page++ {
		if f.claimed[page/64]&(1<<(page%64)) == 0 && page != f.lockPage() {
			return page
		}
	}
	return 0
}

// read reads a page that was claimed, or is about to be, into b, which is as
// long as a page.
func (f *File) read(page uint32, b []byte) error {
	if page == 0 || page > f.count {
		return unsound("page %d is not in the file", page)
	}
	if f.logged[page] {
		return f.ask(page, b)
	}
	if _, err := f.at.ReadAt(b[:f.pageSize], int64(page-1)*int64(f.pageSize)); err != nil {
		return fmt.Errorf("page %d: %w", page, err)
	}
	return nil
}

func (f *File) ask(page uint32, b []byte) error {
	got, err := f.engine(page)
	if err != nil {
		return fmt.Errorf("page %d: %w", page, err)
	}
	if len(got) != f.pageSize {
		return unsound("page %d has %d bytes", page, len(got))
	}
	copy(b, got)
	return nil
}

// readRun reads pages into b one after the other, those that stand together in
// the file at once.
func (f *File) readRun(pages []leaf, b []byte) error {
	for len(pages) > 0 {
		n := 1
		for n < len(pages) && pages[n].page == pages[0].page+uint32(n) && !f.logged[pages[n].page] && !f.logged[pages[0].page] {
			n++
		}
		first, last := pages[0].page, pages[n-1].page
		switch {
		case first == 0 || last > f.count || last < first:
			return unsound("page %d is not in the file", last)
		case n == 1:
			if err := f.read(first, b[:f.pageSize]); err != nil {
				return err
			}
		default:
			if _, err := f.at.ReadAt(b[:n*f.pageSize], int64(first-1)*int64(f.pageSize)); err != nil {
				return fmt.Errorf("pages %d to %d: %w", first, last, err)
			}
		}
		b, pages = b[n*f.pageSize:], pages[n:]
	}
	return nil
}
