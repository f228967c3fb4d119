package history

import (
	"encoding/json"
	"strconv"
	"time"
)

// Event is one entry of the audit log. All events form one chain.
type Event struct {
	Seq      int64 // counted from 1 without gaps
	ID       string
	At       time.Time
	Actor    string
	Act      string // the act, such as "submit", "approve", "ship", …
	Subject  string
	Proposal string
	Revision int
	Record   string          // seal of the record that the event wrote, "" when it wrote none
	Data     json.RawMessage // canonical JSON with what else matters, never nil
	PrevHash string
	Hash     string
}

// EventFormat is the first of the fields that Sum seals: it names the list.
const EventFormat = "toolcrib event 1"

// Sum computes what Hash has to be.
func (e Event) Sum() string {
	return Seal(
		EventFormat,
		strconv.FormatInt(e.Seq, 10),
		e.ID,
		Timestamp(e.At),
		e.Actor,
		e.Act,
		e.Subject,
		e.Proposal,
		strconv.Itoa(e.Revision),
		e.Record,
		string(e.Data),
		e.PrevHash,
	)
}
