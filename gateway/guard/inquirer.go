package guard

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"
)

// reply is the answer to a request of the guard's own.
type reply struct {
	result json.RawMessage
	err    error
}

// errNoTools reports a server without tools.
var errNoTools = errors.New("the server has no tools")

// inquirer asks the server for its tools, beside the client.
type inquirer struct {
	server  Server
	session *session
	limit   time.Duration // for a whole list

	mu    sync.Mutex
	asked map[string]chan reply // by id
}

// maxPages limits the pages of one list.
const maxPages = 1_000

// lists asks the server for all of its tools.
func (q *inquirer) lists(ctx context.Context) (Listing, error) {
	ctx, cancel := context.WithTimeout(ctx, q.limit)
	defer cancel()
	if q.session.facts().shakes && wait(ctx, q.session.introduced) != nil {
		return Listing{}, fmt.Errorf("it did not answer initialize within %s", q.limit)
	}
	s := q.session.facts()
	if s.toolless {
		return Listing{}, errNoTools
	}
	l := Listing{Server: s.server, Protocol: s.protocol, Capabilities: s.capabilities}
	size, seen := 0, map[string]bool{}
	for cursor := ""; ; {
		result, err := q.page(ctx, s.meta, cursor)
		if err != nil {
			return Listing{}, err
		}
		var page struct {
			Tools []json.RawMessage `json:"tools"`
			Next  string            `json:"nextCursor"`
		}
		if err := readResult(result, &page.Tools, &page.Next); err != nil {
			return Listing{}, err
		}
		l.Tools = append(l.Tools, page.Tools...)
		size += len(result)
		switch {
		case page.Next == "":
			return l, nil
		case seen[page.Next], len(seen) == maxPages, size > MaxLine:
			return Listing{}, errors.New("its list does not end")
		}
		cursor, seen[page.Next] = page.Next, true
	}
}

// readResult reads the tools and the next cursor of a list.
func readResult(result json.RawMessage, tools *[]json.RawMessage, next *string) error {
	m := message{text: result}
	var list, cursor span
	if err := m.members(span{0, len(result)}, []string{"tools", "nextCursor"}, func(key string, value span) {
		switch key {
		case "tools":
			list = value
		case "nextCursor":
			cursor = value
		}
	}); err != nil {
		return err
	}
	if !list.there() || result[list.from] != '[' {
		return errors.New("its answer to tools/list has no list of tools")
	}
	*next = m.str(cursor)
	s := scanner{text: result[:list.to], at: list.from}
	return s.elements(0, func(value span) error {
		*tools = append(*tools, value.of(result))
		return nil
	})
}

// page asks the server for one page of its tools.
func (q *inquirer) page(ctx context.Context, meta json.RawMessage, cursor string) (json.RawMessage, error) {
	params := []byte("{")
	if cursor != "" {
		params = append(append(params, `"cursor":`...), quote(cursor)...)
	}
	if len(meta) > 0 {
		if len(params) > 1 {
			params = append(params, ',')
		}
		params = append(append(params, `"_meta":`...), meta...)
	}
	id := quote("toolcrib-guard-" + rand.Text()) // nobody guesses it
	line := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"method":"tools/list","params":%s}`+"\n", id, append(params, '}'))
	answer := make(chan reply, 1)
	q.mu.Lock()
	q.asked[idKey(id)] = answer
	q.mu.Unlock()
	defer q.waiter(idKey(id))
	m, err := read(bytes.TrimRight(line, "\n"))
	if err == nil {
		err = q.server.send(ctx, &m, line)
	}
	if err != nil {
		return nil, err
	}
	select {
	case a := <-answer:
		return a.result, a.err
	case <-ctx.Done():
		return nil, fmt.Errorf("it did not answer within %s", q.limit)
	}
}

// codeNoMethod is the code of JSON-RPC 2.0 for an unknown method.
const codeNoMethod = "-32601"

// waiter returns who waits for the answer to a request of the guard's own, nil for
// nobody, and forgets the request.
func (q *inquirer) waiter(key string) chan<- reply {
	q.mu.Lock()
	defer q.mu.Unlock()
	answer := q.asked[key]
	delete(q.asked, key)
	return answer
}

// replied reports whether an answer was to a request of the guard's own, and takes it.
func (q *inquirer) replied(key string, m *message) bool {
	answer := q.waiter(key)
	if answer == nil {
		return false
	}
	switch {
	case !m.failure.there():
		answer <- reply{result: bytes.Clone(m.result.of(m.text))}
	case string(m.member(m.failure, "code").of(m.text)) == codeNoMethod:
		answer <- reply{err: errNoTools}
	default:
		answer <- reply{err: fmt.Errorf("it answers: %s", clip(m.str(m.member(m.failure, "message"))))}
	}
	return true
}
