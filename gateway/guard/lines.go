package guard

import (
	"bytes"
	"errors"
	"io"
	"sync"
)

// MaxLine limits one message, in bytes.
const MaxLine = 64 << 20

// errLong reports a line of more than MaxLine bytes.
var errLong = errors.New("a message has more than 64 MB")

// How large the buffer of a reader begins, and is at most kept between messages.
const (
	firstBuffer = 64 << 10
	keptBuffer  = 4 << 20
)

// lineReader reads lines into one buffer, which it uses again.
type lineReader struct {
	from       io.Reader
	buf        []byte
	start, end int // what was read and not returned
}

func newLineReader(from io.Reader) *lineReader {
	return &lineReader{from: from, buf: make([]byte, firstBuffer)}
}

// next returns the next line with its end, or what stands before the end of the
// input. The line is valid until the next call.
func (r *lineReader) next() ([]byte, error) {
	looked := r.start
	for {
		if i := bytes.IndexByte(r.buf[looked:r.end], '\n'); i >= 0 {
			line := r.buf[r.start : looked+i+1]
			r.start = looked + i + 1
			return line, nil
		}
		looked = r.end
		if looked == len(r.buf) {
			looked -= r.makeRoom()
			if len(r.buf) > MaxLine+firstBuffer {
				return nil, errLong
			}
		}
		n, err := r.from.Read(r.buf[r.end:])
		r.end += n
		if n == 0 && err != nil {
			rest := r.buf[r.start:r.end]
			r.start = r.end
			if len(rest) > 0 {
				return rest, nil
			}
			return nil, err
		}
	}
}

// makeRoom moves what was not returned to the beginning of the buffer, grows a full
// one, and returns how far it moved it.
func (r *lineReader) makeRoom() (moved int) {
	moved, used := r.start, r.end-r.start
	to := r.buf
	switch {
	case moved == 0:
		to = make([]byte, 2*len(r.buf))
	case len(r.buf) > keptBuffer && used < firstBuffer:
		to = make([]byte, firstBuffer)
	}
	copy(to, r.buf[r.start:r.end])
	r.buf, r.start, r.end = to, 0, used
	return moved
}

// lineWriter writes whole lines, of several goroutines.
type lineWriter struct {
	mu     sync.Mutex
	to     io.Writer
	failed error
}

// write writes a line, which is to end where it ends.
func (w *lineWriter) write(line []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.failed == nil {
		_, w.failed = w.to.Write(line)
	}
	return w.failed
}

// gone reports whether nobody takes lines any more.
func (w *lineWriter) gone() bool {
	if !w.mu.TryLock() {
		return false // somebody waits for the client
	}
	defer w.mu.Unlock()
	return w.failed != nil
}

// ended returns text as a line of its own.
func ended(text []byte) []byte {
	if bytes.HasSuffix(text, []byte("\n")) {
		return text
	}
	return append(bytes.Clone(text), '\n')
}
