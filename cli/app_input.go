package cli

import (
	"bufio"
	"context"
	"io"
	"strings"
)

// confirm shows what write writes and asks a question at the terminal. Anything but y
// and yes is no, and so is the end of the input.
func (a *app) confirm(question string, write func(*page)) (bool, error) {
	p := &page{colour: a.colour()}
	write(p)
	p.buf.WriteString(question + " [y/N] ")
	if _, err := a.env.Out.Write(p.buf.Bytes()); err != nil {
		return false, err
	}
	answer, _ := bufio.NewReader(a.env.In).ReadString('\n')
	word := strings.ToLower(strings.TrimSpace(answer))
	return word == "y" || word == "yes", nil
}

// untilDone is in, but for a Read that keeps waiting when ctx ends: an
// interrupt has to end a program that waits for somebody to type.
func untilDone(ctx context.Context, in io.Reader) io.Reader {
	return readerFunc(func(p []byte) (int, error) {
		buf := make([]byte, len(p)) // not p: a read that nobody waits for goes on
		n, err := beforeDone(ctx, func() (int, error) { return in.Read(buf) })
		return copy(p, buf[:n]), err
	})
}

// beforeDone returns what do returns, or why ctx ended before. What do opens or reads
// later than that is left to the end of the process.
func beforeDone[T any](ctx context.Context, do func() (T, error)) (result T, err error) {
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

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }
