package history

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"toolcrib/registry/jsondoc"
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

// NewEvent returns the event of an act with its details; none when data is empty.
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

// Account is the account of the operating system whose process acted. Every event
// has it, beside the actor that the act is attributed to.
type Account struct {
	UID   string `json:"uid,omitempty"`   // its number; the SID on Windows
	Login string `json:"login,omitempty"` // as the account database has it
	Host  string `json:"host,omitempty"`  // the name of the machine
	// Via is the door through which somebody else acted, such as "ssh SHA256:…" with
	// the fingerprint of the key that logged in.
	Via string `json:"via,omitempty"`
}

// EncodeRendered writes rendered hashes as canonical JSON, the form they are
// stored and sealed in.
func EncodeRendered(m map[string]string) string {
	if len(m) == 0 {
		return "{}"
	}
	return mustMarshal(m)
}

// DecodeRendered reads what EncodeRendered wrote.
func DecodeRendered(s string) (map[string]string, error) {
	return decode[map[string]string]("rendered hashes", s)
}

// EncodeWaivers writes waivers as canonical JSON, the form they are stored and
// sealed in.
func EncodeWaivers(ws []Waiver) string {
	if len(ws) == 0 {
		return "[]"
	}
	return mustMarshal(ws)
}

// EncodeWaiver writes one waiver as canonical JSON.
func EncodeWaiver(w Waiver) string { return mustMarshal(w) }

// DecodeWaivers reads what EncodeWaivers wrote.
func DecodeWaivers(s string) ([]Waiver, error) {
	return decode[[]Waiver]("waivers", s)
}

// EncodeApprovals writes approvals as canonical JSON, the form they are stored and
// sealed in; "" for none.
func EncodeApprovals(as []Approval) string {
	if len(as) == 0 {
		return ""
	}
	return mustMarshal(as)
}

// DecodeApprovals reads what EncodeApprovals wrote.
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

// Seal returns the SHA-256, in lower-case hex, over a list of fields. Every
// field is written as a netstring (D. J. Bernstein, 1997: its length in bytes
// in decimal, ":", the bytes, ","), so no two different lists are hashed as the
// same bytes.
func Seal(fields ...string) string {
	size := 0
	for _, f := range fields {
		size += len(f) + 12
	}
	return sum(appendFields(make([]byte, 0, size), fields))
}

func appendFields(b []byte, fields []string) []byte {
	for _, f := range fields {
		b = AppendField(b, f)
	}
	return b
}

// AppendField appends a field as Seal hashes it, for callers that build the list
// without allocating strings.
func AppendField[T string | []byte](b []byte, field T) []byte {
	b = strconv.AppendInt(b, int64(len(field)), 10)
	b = append(b, ':')
	b = append(b, field...)
	return append(b, ',')
}

func sum(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
