// This file shuffles the rows that the proxy for compatible engines returns.

package storetest

import (
	"bufio"
	"io"
	"strings"
	"sync"
)

// rowShuffler shuffles the rows of statements without ORDER BY on one connection, as distributed engines do. The method
// sent handles messages to the server, and copyRows handles messages from the server.
type rowShuffler struct {
	c *compatible

	mu       sync.Mutex
	open     map[string]bool // prepared statements without ORDER BY
	bound    bool            // whether the statement of the last portal has no ORDER BY
	expected []answer        // expected responses in the order of the statements
}

// answer is an expected response of the server: the rows of a statement, or the message that the server is ready for
// the next statement.
type answer int

const (
	ready answer = iota
	orderedRows
	openRows
)

// sent handles a message to the server.
func (r *rowShuffler) sent(m []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	fields := strings.SplitN(string(m[5:]), "\x00", 3)
	switch m[0] {
	case 'P': // Parse: name, text
		r.open[fields[0]] = leavesOrderOpen(fields[1])
	case 'B': // Bind: portal, name
		r.bound = r.open[fields[1]]
	case 'E': // Execute
		r.expected = append(r.expected, map[bool]answer{false: orderedRows, true: openRows}[r.bound])
	case 'Q', 'S': // Query, Sync
		r.expected = append(r.expected, ready)
	}
}

// next returns the expected response that a message of the given kind belongs to. It removes the responses that the
// message completes. After an error, the server ignores all messages until the next Sync.
func (r *rowShuffler) next(kind byte) answer {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.expected) == 0 {
		return ready
	}
	now := r.expected[0]
	switch kind {
	case 'C', 'I', 's': // CommandComplete, EmptyQueryResponse, PortalSuspended
		if now != ready {
			r.expected = r.expected[1:]
		}
	case 'Z': // ReadyForQuery
		for len(r.expected) > 0 && r.expected[0] != ready {
			r.expected = r.expected[1:]
		}
		r.expected = r.expected[min(1, len(r.expected)):]
	}
	return now
}

// copyRows copies the server's messages to the client and shuffles the rows of statements without ORDER BY.
func (r *rowShuffler) copyRows(client io.Writer, server io.Reader) error {
	in := bufio.NewReader(server)
	var rows [][]byte
	for {
		m, err := readMessage(in, false)
		if err != nil {
			return err
		}
		if now := r.next(m[0]); m[0] == 'D' && now == openRows {
			rows = append(rows, m)
			continue
		}
		r.c.shuffle(rows)
		for _, row := range rows {
			if _, err := client.Write(row); err != nil {
				return err
			}
		}
		rows = nil
		if _, err := client.Write(m); err != nil {
			return err
		}
	}
}

func (c *compatible) shuffle(rows [][]byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.rand.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
}

// leavesOrderOpen reports whether a statement has no ORDER BY outside of parentheses. An ORDER BY in a subquery does
// not determine the order of the result.
func leavesOrderOpen(statement string) bool {
	var outside strings.Builder
	depth, quoted := 0, false
	for _, c := range statement {
		switch {
		case c == '\'':
			quoted = !quoted
		case quoted:
		case c == '(':
			depth++
		case c == ')':
			depth--
		case depth == 0:
			outside.WriteRune(c)
		}
	}
	return !strings.Contains(strings.Join(strings.Fields(outside.String()), " "), "ORDER BY")
}
