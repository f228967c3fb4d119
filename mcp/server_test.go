package mcp_test

import (
	"errors"
	"reflect"
	"regexp"
	"testing"

	"toolcrib/mcp"
	"toolcrib/proposals"
)

// TestNothingDecides looks at what a server is given: no method of it could
// approve, reject, waive, or answer a call that waits for the user.
func TestNothingDecides(t *testing.T) {
	decides := regexp.MustCompile(`(?i)approve|reject|refuse|decide|waive|answer|commit|override|settier|assess|review|update|exec$`)
	for _, face := range []reflect.Type{reflect.TypeFor[mcp.Desk](), reflect.TypeFor[mcp.Gateway](), reflect.TypeFor[mcp.Registry]()} {
		for m := range face.Methods() {
			if decides.MatchString(m.Name) {
				t.Errorf("%s has %s", face, m.Name)
			}
		}
	}
}

// TestOnlyAgentsAreServed refuses everybody else, whatever is said on the
// command line.
func TestOnlyAgentsAreServed(t *testing.T) {
	for _, kind := range []proposals.ActorKind{proposals.User, proposals.Chief, proposals.System} {
		if _, err := mcp.New(mcp.Config{As: proposals.Actor{Kind: kind, Name: "x"}}); !errors.Is(err, proposals.ErrAuthority) {
			t.Errorf("%s: %v", kind, err)
		}
	}
	if _, err := mcp.New(mcp.Config{As: proposals.Actor{Kind: proposals.Agent, Name: "x"}}); err != nil {
		t.Error(err)
	}
}

func TestLoopback(t *testing.T) {
	for host, want := range map[string]bool{
		"127.0.0.1": true, "localhost": true, "LOCALHOST": true, "::1": true, "127.8.8.8": true,
		"": false, "0.0.0.0": false, "::": false, "localhost.example.com": false, "192.168.0.1": false,
	} {
		if mcp.Loopback(host) != want {
			t.Errorf("%q", host)
		}
	}
}
