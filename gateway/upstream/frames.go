package upstream

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// frames passes on the messages of a stream, one a line, and drops lines that
// are none: many servers print a greeting or their log where only messages
// belong. A message that cannot be read, or more noise than a server can
// mean well with, ends the stream.
type frames struct {
	in    io.ReadCloser
	lines *bufio.Reader
	rest  []byte
	noise int
}

func newFrames(in io.ReadCloser) *frames {
	return &frames{in: in, lines: bufio.NewReaderSize(in, 64<<10)}
}

// Read implements io.Reader.
func (f *frames) Read(p []byte) (int, error) {
	for len(f.rest) == 0 {
		line, err := f.line()
		if err != nil {
			return 0, err
		}
		if f.rest, err = f.messages(line); err != nil {
			return 0, err
		}
	}
	n := copy(p, f.rest)
	f.rest = f.rest[n:]
	return n, nil
}

// Close implements io.Closer.
func (f *frames) Close() error { return f.in.Close() }

// line returns the next line with an end of line behind it.
func (f *frames) line() ([]byte, error) {
	line, err := limitedLine(f.lines, MaxMessage)
	if len(line) > 0 && errors.Is(err, io.EOF) {
		return append(line, '\n'), nil
	}
	return line, err
}

// limitedLine reads a line of at most limit bytes, its end included.
func limitedLine(r *bufio.Reader, limit int) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		if len(line)+len(part) > limit {
			return nil, fmt.Errorf("%w: a message of more than %d MiB", ErrTooLarge, limit>>20)
		}
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// messages returns the messages of a line, one a line, nothing for noise. A
// line may be a batch, which the revision 2025-03-26 has.
func (f *frames) messages(line []byte) ([]byte, error) {
	text := bytes.TrimSpace(line)
	if len(text) == 0 {
		f.noise++ // an endless row of empty lines is noise, too
		return nil, f.quiet()
	}
	parts := []json.RawMessage{text}
	if text[0] == '[' && json.Unmarshal(text, &parts) != nil {
		parts = []json.RawMessage{text}
	}
	var all []byte
	for _, part := range parts {
		m, err := f.message(part)
		if err != nil {
			return nil, err
		}
		all = append(all, m...)
	}
	return all, nil
}

func (f *frames) message(text []byte) ([]byte, error) {
	_, err := jsonrpc.DecodeMessage(text)
	switch {
	case err == nil:
		return append(bytes.Clone(text), '\n'), nil
	case text[0] == '{' && bytes.Contains(text, []byte(`"jsonrpc"`)):
		return nil, fmt.Errorf("%w: a message cannot be read: %w", ErrProtocol, err)
	}
	f.noise += len(text)
	return nil, f.quiet()
}

func (f *frames) quiet() error {
	if f.noise > maxNoise {
		return fmt.Errorf("%w: its standard output contains lines that are not messages", ErrProtocol)
	}
	return nil
}
