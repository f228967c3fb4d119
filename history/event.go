// This file defines the events of the audit log, and computes the seals of rows.

package history

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
)

// Event is an entry of the audit log. All events form a single hash chain, in which Seq counts from 1 without gaps. Act
// is the recorded act, such as "submit", "approve", or "ship". If the act wrote a record, such as a decision, Record is
// the seal of the record; otherwise Record is "". Data is canonical JSON with further details, and never nil.
type Event struct {
	Seq      int64           `json:"seq"`
	ID       string          `json:"id"`
	At       time.Time       `json:"at"`
	Actor    string          `json:"actor"`
	Act      string          `json:"act"`
	Subject  string          `json:"subject"`
	Proposal string          `json:"proposal"`
	Revision int             `json:"revision"`
	Record   string          `json:"record"`
	Data     json.RawMessage `json:"data"`
	PrevHash string          `json:"prev_hash"`
	Hash     string          `json:"hash"`
}

// NewEvent returns an event with the given details. data may be empty.
func NewEvent(id, act, actor string, at time.Time, data map[string]any) (Event, error) {
	e := Event{ID: id, At: at, Actor: actor, Act: act}
	if len(data) > 0 {
		b, err := jsondoc.Marshal(data)
		if err != nil {
			return e, err
		}
		e.Data = json.RawMessage(b)
	}
	return e, nil
}

// EventFormat is the first sealed field of an event. It identifies the format of the seal.
const EventFormat = "toolcrib event 1"

// Sum computes the seal of e, which Hash must equal.
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

// Account is the operating system account of the process that performed an act. Every
// event contains it in addition to the actor.
type Account struct {
	UID   string `json:"uid,omitempty"`   // user id; the SID on Windows
	Login string `json:"login,omitempty"` // login name
	Host  string `json:"host,omitempty"`  // name of the machine
	// Via describes the connection of a remote user. For SSH, it is "ssh" and the
	// fingerprint of the user's key.
	Via string `json:"via,omitempty"`
}

// EncodeRendered returns the hashes of rendered prompts as canonical JSON, which is stored and sealed.
func EncodeRendered(m map[string]string) string {
	if len(m) == 0 {
		return "{}"
	}
	return mustMarshal(m)
}

// DecodeRendered parses the output of EncodeRendered.
func DecodeRendered(s string) (map[string]string, error) {
	return decode[map[string]string]("rendered hashes", s)
}

// EncodeWaivers returns ws as canonical JSON, which is stored and sealed.
func EncodeWaivers(ws []Waiver) string {
	if len(ws) == 0 {
		return "[]"
	}
	return mustMarshal(ws)
}

// EncodeWaiver returns w as canonical JSON.
func EncodeWaiver(w Waiver) string { return mustMarshal(w) }

// DecodeWaivers parses the output of EncodeWaivers.
func DecodeWaivers(s string) ([]Waiver, error) {
	return decode[[]Waiver]("waivers", s)
}

// EncodeApprovals encodes approvals as canonical JSON, which is stored and sealed. It returns "" if there are no
// approvals.
func EncodeApprovals(approvals []Approval) string {
	if len(approvals) == 0 {
		return ""
	}
	return mustMarshal(approvals)
}

// DecodeApprovals parses the output of EncodeApprovals.
func DecodeApprovals(s string) ([]Approval, error) {
	if s == "" {
		return nil, nil
	}
	return decode[[]Approval]("approvals", s)
}

func decode[T any](what, s string) (v T, err error) {
	if err := json.Unmarshal([]byte(s), &v); err != nil {
		return *new(T), fmt.Errorf("%s: %w", what, err)
	}
	return v, nil
}

func mustMarshal(v any) string {
	b, err := jsondoc.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("history: %T does not marshal: %v", v, err))
	}
	return string(b)
}

// Seal returns the SHA-256 hash of the given fields in lower-case hexadecimal. Each field is encoded as a netstring (D.
// J. Bernstein, 1997): its length in bytes in decimal, ":", the bytes, and ",". Netstrings ensure that different lists
// of fields have different encodings.
func Seal(fields ...string) string {
	size := 0
	for _, f := range fields {
		size += len(f) + 12
	}
	return registry.HashBytes(appendFields(make([]byte, 0, size), fields))
}

func appendFields(b []byte, fields []string) []byte {
	for _, f := range fields {
		b = append(strconv.AppendInt(b, int64(len(f)), 10), ':')
		b = append(append(b, f...), ',')
	}
	return b
}
