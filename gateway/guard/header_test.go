package guard_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"toolcrib/gateway/guard"
)

func TestHeaderVariables(t *testing.T) {
	for name, want := range map[string]string{
		"Authorization":  "TOOLCRIB_HEADER_Authorization",
		"authorization":  "TOOLCRIB_HEADER_authorization",
		"X-API-Key":      "TOOLCRIB_HEADER_X_API_Key",
		"x_api_key":      "TOOLCRIB_HEADER_x__5fapi__5fkey",
		"a--b":           "TOOLCRIB_HEADER_a___2db",
		"a-_5f":          "TOOLCRIB_HEADER_a___5f5f",
		"trailing-":      "TOOLCRIB_HEADER_trailing_",
		"!#$%&'*+.^`|~9": "TOOLCRIB_HEADER___21__23__24__25__26__27__2a__2b__2e__5e__60__7c__7e9",
	} {
		got := guard.HeaderVariable(name)
		if got != want {
			t.Errorf("%s is carried by %s, want %s", name, got, want)
		}
		if back, ok := guard.HeaderName(got); !ok || back != name {
			t.Errorf("%s reads as %q, %v", got, back, ok)
		}
	}
	for _, variable := range []string{"TOOLCRIB_HEADER_", "TOOLCRIB_HEADERS_X", "toolcrib_header_X", "TOOLCRIB_HEADER_a__41b", "TOOLCRIB_HEADER_a__2Db", "PATH"} {
		if name, ok := guard.HeaderName(variable); ok {
			t.Errorf("%s carries the header %q", variable, name)
		}
	}
}

func TestEveryHeaderNameComesBack(t *testing.T) {
	const alphabet = "aB9-_!.~25fd"
	seen := map[string]string{}
	for range 100_000 {
		var b strings.Builder
		for range 1 + rand.IntN(8) {
			b.WriteByte(alphabet[rand.IntN(len(alphabet))])
		}
		name, variable := b.String(), guard.HeaderVariable(b.String())
		if back, ok := guard.HeaderName(variable); !ok || back != name {
			t.Fatalf("%q is carried by %s and reads as %q, %v", name, variable, back, ok)
		}
		if other, ok := seen[variable]; ok && other != name {
			t.Fatalf("%q and %q are both carried by %s", name, other, variable)
		}
		seen[variable] = name
	}
}

func TestHeadersOfAnEnvironment(t *testing.T) {
	h := guard.Headers([]string{"PATH=/bin", "TOOLCRIB_HEADER_Authorization=Bearer a=b", "TOOLCRIB_HEADER_X_Empty="})
	if len(h) != 2 || h.Get("Authorization") != "Bearer a=b" || h.Values("X-Empty")[0] != "" {
		t.Errorf("the headers are %v", h)
	}
}
