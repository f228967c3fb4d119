// This file imitates engines that are compatible with PostgreSQL. It runs a proxy in front of a PostgreSQL server.

package storetest

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

// compatible is a proxy that makes a PostgreSQL server behave like a compatible engine. It rejects features that
// CockroachDB and YugabyteDB lack, and shuffles the rows of queries without ORDER BY. It also fails some transactions
// with SQLSTATE 40001, at a statement or at COMMIT.
type compatible struct {
	dir    string // folder of the proxy's socket
	server string // path of the server's socket

	mu   sync.Mutex
	rand *rand.Rand
}

// The average numbers of statements, reads, and commits per failure, and the maximum number of consecutive failures on
// a connection. Only the first statements of a read transaction can fail. A verification runs more than a hundred
// statements, and thousands if it finds damage, and each attempt uses new connections. Without the limit, no attempt
// would succeed.
const (
	statementsPerFailure = 20
	readsPerFailure      = 1000
	commitsPerFailure    = 5
	failuresInARow       = 2
	firstStatements      = 200
)

// seedVariable is the environment variable that sets the seed of the random choices. The same seed repeats the
// failures of an earlier run if goroutines are scheduled in the same order.
const seedVariable = "TOOLCRIB_TEST_SEED"

// seed returns the seed for all random choices.
var seed = sync.OnceValues(func() (uint64, error) {
	seed := uint64(time.Now().UnixNano()) //nolint:gosec // any bits will do
	if text := os.Getenv(seedVariable); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			return 0, fmt.Errorf("%s: %w", seedVariable, err)
		}
	}
	fmt.Fprintf(os.Stderr, "%s=%d\n", seedVariable, seed)
	return seed, nil
})

// startCompatible starts a proxy that listens in a new folder. The folder is not removed.
func startCompatible(server string) (*compatible, error) {
	seed, err := seed()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "compatible")
	if err != nil {
		return nil, err
	}
	c := &compatible{dir: dir, server: server, rand: rand.New(rand.NewPCG(seed, 0))} //nolint:gosec // the sequence must be reproducible
	l, err := net.Listen("unix", filepath.Join(dir, filepath.Base(server)))          //nolint:noctx // the proxy listens until the process ends
	if err != nil {
		return nil, err
	}
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			go c.serve(client)
		}
	}()
	return c, nil
}

// before converts the URL of a database on the server to the URL of the same database at the proxy.
func (c *compatible) before(address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil {
		return "", err
	}
	q := u.Query()
	q.Set("host", c.dir)
	u.RawQuery = q.Encode()
	return u.String(), nil
}

// one returns true with a probability of 1/n.
func (c *compatible) one(n int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.rand.IntN(n) == 0
}

func (c *compatible) serve(client net.Conn) {
	defer client.Close()                      //nolint:errcheck // the other end has closed
	server, err := net.Dial("unix", c.server) //nolint:noctx // this connection lasts as long as the connection of the client
	if err != nil {
		return
	}
	defer server.Close() //nolint:errcheck // the other end has closed
	rows := &rowShuffler{c: c, open: map[string]bool{}}
	go func() {
		_ = rows.copyRows(client, server)
		_ = client.Close()
	}()
	s := &compatibleSession{c: c}
	in := bufio.NewReader(client)
	for first := true; ; first = false {
		m, err := readMessage(in, first)
		if err != nil {
			return
		}
		if !first {
			if m = s.pass(m); m == nil {
				continue
			}
			rows.sent(m)
		}
		if _, err := server.Write(m); err != nil {
			return
		}
	}
}

// readMessage reads a message of the protocol: its type, its length, and its content. A startup message, the first
// message on a connection, has no type.
func readMessage(in io.Reader, startup bool) ([]byte, error) {
	m := make([]byte, 5)
	if startup {
		m = m[:4]
	}
	if _, err := io.ReadFull(in, m); err != nil {
		return nil, err
	}
	head := len(m)
	m = append(m, make([]byte, int(binary.BigEndian.Uint32(m[head-4:]))-4)...)
	_, err := io.ReadFull(in, m[head:])
	return m, err
}

// compatibleSession is the state of one connection through the proxy.
type compatibleSession struct {
	c        *compatible
	inside   bool // in a transaction
	writes   bool
	done     int  // number of statements in the transaction
	failures int  // failures since the last committed transaction
	skipping bool // discard the remaining messages of a rejected statement
}

// pass returns the message to send to the server in place of m, a message of the client. It returns nil if no message
// is to be sent.
func (s *compatibleSession) pass(m []byte) []byte {
	if s.skipping {
		s.skipping = m[0] != 'S' // Sync
		return nil
	}
	switch kind, text := m[0], string(m[5:]); {
	case kind != 'Q' && kind != 'P' && kind != 'B':
	case kind != 'B' && lacking(text):
		s.skipping = kind != 'Q'
		return raise("0A000", "the engine does not have this")
	case kind == 'Q' && strings.HasPrefix(text, "ROLLBACK\x00"):
		s.inside = false
	case kind == 'Q' && strings.HasPrefix(text, "BEGIN"):
		s.inside, s.writes, s.done = true, strings.Contains(text, "READ WRITE"), 0
	case kind == 'Q' && strings.HasPrefix(text, "COMMIT"):
		if s.fails(commitsPerFailure) {
			return raise("40001", "the transaction cannot be committed")
		}
		s.inside, s.failures = false, 0
	case kind == 'B' && s.fails(s.statements()):
		s.skipping = true
		return raise("40001", "the transaction has to be tried again")
	}
	return m
}

// statements returns the average number of statements per failure in the current transaction.
func (s *compatibleSession) statements() int {
	if s.writes {
		return statementsPerFailure
	}
	return readsPerFailure
}

// fails decides at random whether the transaction fails now, with a probability of about 1/per.
func (s *compatibleSession) fails(per int) bool {
	s.done++
	if !s.inside || s.failures >= failuresInARow || !s.writes && s.done > firstStatements || !s.c.one(per) {
		return false
	}
	s.failures++
	return true
}

// lacking reports whether a statement uses a feature that compatible engines lack.
func lacking(statement string) bool {
	for _, word := range []string{"LISTEN ", "NOTIFY ", "pg_advisory", "pg_try_advisory", "INDEXED BY"} {
		if strings.Contains(statement, word) {
			return true
		}
	}
	return false
}

// raise returns a message that causes an error on the server. The error also aborts the transaction.
func raise(code, why string) []byte {
	text := fmt.Sprintf("DO $$ BEGIN RAISE EXCEPTION '%s' USING ERRCODE = '%s'; END $$\x00", why, code)
	m := binary.BigEndian.AppendUint32([]byte{'Q'}, uint32(4+len(text))) //nolint:gosec // it is short
	return append(m, text...)
}
