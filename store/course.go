package store

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"sync"

	"toolcrib/history"
)

// course is what the rows that verification reads say of each other, gathered as
// they pass: the log tells of every record in the order in which they stand, and
// every version has the decision that approved it. In a sound database the
// lists agree, and the questions that would name what does not need not be
// asked: each of them reads whole tables again.
type course struct {
	mu    sync.Mutex
	ended map[string]bool // tables that were read to their end

	told     []short            // the records that events tell of
	records  map[string][]short // those that are there, by table; of the versions those that nobody decided on
	approved []short            // versions that were decided on
	agreed   []short            // decisions that approved one
	last     map[string]current // the last version of each subject
}

// short is the half of a seal: enough to tell records apart, which are sealed
// and checked by the whole.
type short [16]byte

// current is a version of a subject.
type current struct {
	number  int64
	content string // its whole hash: no seal covers what the live registry says of it
}

func newCourse() *course {
	return &course{ended: map[string]bool{}, records: map[string][]short{}, last: map[string]current{}}
}

// shorten reads half a seal; what is none is like no other.
func shorten(seal string) short {
	var s short
	if len(seal) != 2*sha256.Size {
		return sha256Half("not a seal", seal)
	}
	if _, err := hex.Decode(s[:], []byte(seal[:2*len(s)])); err != nil {
		return sha256Half("not a seal", seal)
	}
	return s
}

func sha256Half(fields ...string) short {
	var s short
	_, _ = hex.Decode(s[:], []byte(history.Seal(fields...)[:2*len(s)])) // a seal is hex
	return s
}

// The methods that gather are each called by the one reader of a table, so only
// what several of them share is locked.

func (c *course) version(subject, number, contentHash, proposal, decidedBy, hash string) {
	c.last[subject] = current{integer(number), strings.Clone(contentHash)}
	if proposal == "" {
		c.add(versionTable, shorten(hash))
		return
	}
	c.approved = append(c.approved, sha256Half(subject, number, hash, proposal, decidedBy))
}

func (c *course) event(record string) {
	if record != "" {
		c.told = append(c.told, shorten(record))
	}
}

// record takes a sealed row: the fields of its seal behind the format, then the
// seal.
func (c *course) record(table string, fields []string) {
	c.add(table, shorten(fields[len(fields)-1]))
	if table == decisionRecords.table && fields[6] == "approved" {
		c.agreed = append(c.agreed, sha256Half(fields[4], fields[12], fields[13], fields[2], fields[8]))
	}
}

func (c *course) add(table string, s short) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.records[table] = append(c.records[table], s)
}

func (c *course) end(table string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended[table] = true
}

// agrees reports whether every table was read, the log tells of each record in
// its place and of nothing else, and versions and decisions go together.
func (c *course) agrees() bool {
	tables := append([]string{versionTable}, recordTables()...)
	for _, table := range append(slices.Clone(tables), eventTable) {
		if !c.ended[table] {
			return false
		}
	}
	next := make([][]short, len(tables))
	for i, table := range tables {
		next[i] = c.records[table]
	}
	for _, told := range c.told {
		i := slices.IndexFunc(next, func(rest []short) bool { return len(rest) > 0 && rest[0] == told })
		if i < 0 {
			return false
		}
		next[i] = next[i][1:]
	}
	untold := slices.ContainsFunc(next, func(rest []short) bool { return len(rest) > 0 })
	return !untold && slices.Equal(c.approved, c.agreed)
}

// recordTables lists the tables of records that form no chain.
func recordTables() []string {
	var tables []string
	for _, k := range plainRecords() {
		tables = append(tables, k.table)
	}
	return tables
}

// liveAgrees reports whether a row of the live registry is the last version of
// its subject.
func (c *course) liveAgrees(subject, version, contentHash string) bool {
	v, ok := c.last[subject]
	return ok && strconv.FormatInt(v.number, 10) == version && v.content == contentHash
}
