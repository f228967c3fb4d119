package process

import (
	"context"
	"io"
)

// UntilDone is in, but for a Read that keeps waiting when ctx ends: an
// interrupt has to end a program that waits for somebody to type.
func UntilDone(ctx context.Context, in io.Reader) io.Reader {
	return ReaderFunc(func(p []byte) (int, error) {
		buf := make([]byte, len(p)) // not p: a read that nobody waits for goes on
		n, err := BeforeDone(ctx, func() (int, error) { return in.Read(buf) })
		return copy(p, buf[:n]), err
	})
}

// BeforeDone returns what do returns, or why ctx ended before. What do opens or reads
// later than that is left to the end of the process.
func BeforeDone[T any](ctx context.Context, do func() (T, error)) (result T, err error) {
	done := make(chan func() (T, error), 1)
	go func() {
		result, err := do()
		done <- func() (T, error) { return result, err }
	}()
	select {
	case <-ctx.Done():
		return result, ctx.Err()
	case returned := <-done:
		return returned()
	}
}

// ReaderFunc is a function that reads.
type ReaderFunc func([]byte) (int, error)

func (f ReaderFunc) Read(p []byte) (int, error) { return f(p) }
