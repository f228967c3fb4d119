package upstream

import (
	"bufio"
	"bytes"
	"fmt"
	"io"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// events is a stream of server-sent events with a tap in it
// (html.spec.whatwg.org/multipage/server-sent-events.html).
type events struct {
	in    io.ReadCloser
	lines *bufio.Reader
	tap   *tap
	rest  []byte
	err   error
}

func newEvents(in io.ReadCloser, t *tap) *events {
	return &events{in: in, lines: bufio.NewReaderSize(in, 64<<10), tap: t}
}

// Read implements io.Reader.
func (e *events) Read(p []byte) (int, error) {
	for len(e.rest) == 0 {
		if e.err != nil {
			return 0, e.err
		}
		if e.rest, e.err = e.event(); e.err != nil {
			e.tap.fail(e.err)
		}
	}
	n := copy(p, e.rest)
	e.rest = e.rest[n:]
	return n, nil
}

// Close implements io.Closer.
func (e *events) Close() error { return e.in.Close() }

// event returns the next event with replaced data for the SDK, and the error that
// ended the stream.
func (e *events) event() ([]byte, error) {
	var head, data []byte
	for {
		line, err := limitedLine(e.lines, MaxMessage)
		text := bytes.TrimRight(line, "\r\n")
		if len(head)+len(data)+len(text) > MaxMessage {
			return nil, fmt.Errorf("%w: an event of more than %d MiB", ErrTooLarge, MaxMessage>>20)
		}
		if part, ok := bytes.CutPrefix(text, []byte("data:")); ok {
			data = append(append(data, bytes.TrimPrefix(part, []byte(" "))...), '\n')
		} else if len(text) > 0 && text[0] != ':' {
			head = append(append(head, text...), '\n')
		}
		if err != nil {
			return nil, err // an event that is cut off is none
		}
		if len(text) == 0 && len(head)+len(data) > 0 {
			return e.tapped(head, bytes.TrimSuffix(data, []byte("\n")))
		}
	}
}

func (e *events) tapped(head, data []byte) ([]byte, error) {
	if len(data) > 0 {
		msg, err := jsonrpc.DecodeMessage(data)
		if err != nil {
			return nil, fmt.Errorf("%w: an event cannot be read: %w", ErrProtocol, err)
		}
		if data, err = jsonrpc.EncodeMessage(e.tap.received(msg)); err != nil {
			return nil, err
		}
		head = append(append(append(head, "data: "...), data...), '\n')
	}
	return append(head, '\n'), nil
}
