package history

import (
	"encoding/json"
	"fmt"

	"toolcrib/registry/jsondoc"
)

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
