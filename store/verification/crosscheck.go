// This file compares the audit log with the records that events refer to. It needs little memory for each record.

package verification

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"sync"

	"toolcrib/history"
	"toolcrib/internal/lists"
	"toolcrib/store/catalog"
	"toolcrib/store/records"
)

// crossCheck collects references between rows while verification reads the rows. The log refers to all records in the
// order of their tables, and each version has the decision that approved it. If these references agree, verification
// skips the consistency checks that would find a mismatch, because each of these checks reads whole tables again.
type crossCheck struct {
	mu       sync.Mutex
	complete map[string]bool // tables that were read completely

	logged   []recordID            // records that events refer to
	records  map[string][]recordID // existing records by table; for versions, only versions without a proposal
	approved []recordID            // versions that a decision approved
	decided  []recordID            // decisions that approved a version
	newest   map[string]newest     // newest version of each subject
}

// recordID is the first half of a seal. The half is sufficient to distinguish records, because the whole seal is
// verified when the row is read.
type recordID [16]byte

// newest describes the newest version of a subject.
type newest struct {
	number      int64
	contentHash string // the whole hash, because no seal covers its copy in the live registry
}

func newCrossCheck() *crossCheck {
	return &crossCheck{complete: map[string]bool{}, records: map[string][]recordID{}, newest: map[string]newest{}}
}

// idOfSeal returns the id of a seal. The id of a malformed seal differs from the ids of all valid seals.
func idOfSeal(seal string) recordID {
	var id recordID
	if len(seal) == 2*sha256.Size {
		if _, err := hex.Decode(id[:], []byte(seal[:2*len(id)])); err == nil {
			return id
		}
	}
	return idOf("not a seal", seal)
}

// idOf returns an id that is a hash of fields.
func idOf(fields ...string) recordID {
	var id recordID
	_, _ = hex.Decode(id[:], []byte(history.Seal(fields...)[:2*len(id)])) // Seal returns hexadecimal digits
	return id
}

// version adds a row of the table versions. Each table is read by one goroutine, which calls the method version, event,
// or record. The lock is therefore needed only for maps that several goroutines use.
func (c *crossCheck) version(subject, number, contentHash, proposal, decidedBy, hash string) {
	c.newest[subject] = newest{integer(number), strings.Clone(contentHash)}
	if proposal == "" {
		c.add(catalog.VersionTable.Name, idOfSeal(hash))
		return
	}
	c.approved = append(c.approved, idOf(subject, number, hash, proposal, decidedBy))
}

// event adds the record that an event refers to.
func (c *crossCheck) event(record string) {
	if record != "" {
		c.logged = append(c.logged, idOfSeal(record))
	}
}

// record adds a sealed row. The fields are the name of the seal's format, the columns, and the seal.
func (c *crossCheck) record(table string, fields []string) {
	c.add(table, idOfSeal(fields[len(fields)-1]))
	if table == records.DecisionTable.Name && fields[6] == "approved" {
		c.decided = append(c.decided, idOf(fields[4], fields[12], fields[13], fields[2], fields[8]))
	}
}

func (c *crossCheck) add(table string, id recordID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.records[table] = append(c.records[table], id)
}

// end records that the named table was read completely.
func (c *crossCheck) end(table string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.complete[table] = true
}

// agrees reports whether all tables were read, the log refers to exactly the existing records in their order, and
// the approved versions match the decisions.
func (c *crossCheck) agrees() bool {
	tables := append([]string{catalog.VersionTable.Name}, recordNames()...)
	for _, table := range append(slices.Clone(tables), records.EventTable.Name) {
		if !c.complete[table] {
			return false
		}
	}
	next := lists.Map(tables, func(table string) []recordID { return c.records[table] })
	for _, id := range c.logged {
		i := slices.IndexFunc(next, func(rest []recordID) bool { return len(rest) > 0 && rest[0] == id })
		if i < 0 {
			return false
		}
		next[i] = next[i][1:]
	}
	unlogged := slices.ContainsFunc(next, func(rest []recordID) bool { return len(rest) > 0 })
	return !unlogged && slices.Equal(c.approved, c.decided)
}

// recordNames returns the names of the sealed tables that are not hash chains.
func recordNames() []string {
	return lists.Map(plainRecords(), func(k record) string { return k.Name })
}

// liveAgrees reports whether a row of the live table has the number and the hash of the newest version of its subject.
func (c *crossCheck) liveAgrees(subject, version, contentHash string) bool {
	v, ok := c.newest[subject]
	return ok && strconv.FormatInt(v.number, 10) == version && v.contentHash == contentHash
}
