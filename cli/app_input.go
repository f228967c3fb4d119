package cli

import (
	"context"
	"io"
	"os"
)

// untilDone is in, but for a Read that keeps waiting when ctx ends: an
// interrupt has to end a program that waits for somebody to type.
func untilDone(ctx context.Context, in io.Reader) io.Reader {
	return readerFunc(func(p []byte) (int, error) {
		type answer struct {
			n   int
			err error
		}
		done := make(chan answer, 1)
		buf := make([]byte, len(p)) // not p: a read that nobody waits for goes on
		go func() {
			n, err := in.Read(buf)
			done <- answer{n, err}
		}()
		select {
		case <-ctx.Done():
			return 0, ctx.Err()
		case a := <-done:
			return copy(p, buf[:a.n]), a.err
		}
	})
}

// openUntilDone is openFile, but for a pipe that nobody has opened to write
// when ctx ends. What is opened later than that is left to the end of the
// process.
func openUntilDone(ctx context.Context, name string) (*os.File, error) {
	type answer struct {
		f   *os.File
		err error
	}
	done := make(chan answer, 1)
	go func() {
		f, err := openFile(name)
		done <- answer{f, err}
	}()
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case a := <-done:
		return a.f, a.err
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }
