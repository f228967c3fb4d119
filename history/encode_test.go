package history

import (
	"maps"
	"testing"
	"time"

	"toolcrib/registry"
)

// v returns a version with a subject and a time.
func v() Version {
	return Version{
		Subject:   registry.Subject{Kind: registry.KindTool, Layer: registry.LayerUser, ID: "scene_pacer"},
		DecidedAt: time.Date(2026, 11, 20, 22, 42, 0, 0, time.UTC),
	}
}

// TestEncodings decodes encoded values, including empty ones.
func TestEncodings(t *testing.T) {
	expires := v().DecidedAt
	waivers := []Waiver{
		{ID: "1", Rule: "N103", Path: "definition.aliases[0]", Field: []string{"a", "a", "b"}, Reason: "\"<é>\"\n", By: "user:ada", At: v().DecidedAt, ExpiresAt: &expires},
		{ID: "2", Field: []string{}},
	}
	for _, want := range [][]Waiver{nil, waivers} {
		got, err := DecodeWaivers(EncodeWaivers(want))
		if err != nil || EncodeWaivers(got) != EncodeWaivers(want) {
			t.Errorf("%+v is decoded as %+v, %v", want, got, err)
		}
	}
	for _, want := range []map[string]string{nil, {}, {"b": "2", "a": "1"}} {
		got, err := DecodeRendered(EncodeRendered(want))
		if err != nil || !maps.Equal(got, want) {
			t.Errorf("%v is decoded as %v, %v", want, got, err)
		}
	}
	if got := EncodeRendered(map[string]string{"b": "2", "a": "1"}); got != `{"a":"1","b":"2"}` {
		t.Errorf("rendered hashes are written %s", got)
	}
	for _, bad := range []string{"", "{", "[]x", "7"} {
		_, err := DecodeRendered(bad)
		_, other := DecodeWaivers(bad)
		if err == nil || other == nil {
			t.Errorf("%q was decoded", bad)
		}
	}
}
