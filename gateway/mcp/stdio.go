package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// inbox passes on the messages of a client, one a line, and answers itself what
// is none: to the SDK a line that it cannot read is the end of the session, so
// that one nesting in a model's arguments would end the server. A batch, which
// the revision 2025-03-26 has, is passed on message by message.
type inbox struct {
	lines *bufio.Reader
	out   io.Writer // for the answers; a message is written by one call
	rest  []byte
}

// Read implements io.Reader.
func (b *inbox) Read(p []byte) (int, error) {
	for len(b.rest) == 0 {
		line, err := b.line()
		var answered error
		b.rest, answered = b.messages(line)
		switch {
		case answered != nil:
			return 0, answered
		case err != nil && !errors.Is(err, errLong) && len(b.rest) == 0:
			return 0, err
		case errors.Is(err, errLong):
			if err := b.refuse(nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: fmt.Sprintf("a message may have %d MiB", maxMessage>>20)}); err != nil {
				return 0, err
			}
		}
	}
	n := copy(p, b.rest)
	b.rest = b.rest[n:]
	return n, nil
}

var errLong = errors.New("the line exceeds the limit")

// line reads a line; of one that is too long nothing is kept.
func (b *inbox) line() ([]byte, error) {
	var line []byte
	long := false
	for {
		part, err := b.lines.ReadSlice('\n')
		long = long || len(line)+len(part) > maxMessage
		if long {
			line = nil
		} else {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case err == nil && long:
			return nil, errLong
		default:
			return line, err
		}
	}
}

// messages returns the messages of a line, one a line.
func (b *inbox) messages(line []byte) ([]byte, error) {
	text := bytes.TrimSpace(line)
	if len(text) == 0 {
		return nil, nil
	}
	parts := []json.RawMessage{text}
	if text[0] == '[' && (json.Unmarshal(text, &parts) != nil || len(parts) == 0) {
		return nil, b.refuse(nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "cannot parse the batch, or it is empty"})
	}
	var all []byte
	for _, part := range parts {
		if refused, id := checkMessage(part); refused != nil {
			if err := b.refuse(id, refused); err != nil {
				return nil, err
			}
			continue
		}
		all = append(append(all, part...), '\n')
	}
	return all, nil
}

// refuse answers a message that is not passed on.
func (b *inbox) refuse(id json.RawMessage, why *jsonrpc.Error) error {
	_, err := b.out.Write(refusal(id, why))
	return err
}

// shared is a writer for several, that stays open.
type shared struct {
	mu sync.Mutex
	to io.Writer
}

// Write implements io.Writer.
func (s *shared) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.to.Write(p)
}

// Close implements io.Closer.
func (s *shared) Close() error { return nil }
