package server

import (
	"reflect"
	"testing"

	"toolcrib/gateway/mcp"
)

// TestAgentsGetNoMore checks that the types for agents have only the methods that the server needs, so that no type
// assertion finds others.
func TestAgentsGetNoMore(t *testing.T) {
	for _, c := range []struct{ given, asked reflect.Type }{
		{reflect.TypeFor[proposer](), reflect.TypeFor[mcp.Desk]()},
		{reflect.TypeFor[toolUser](), reflect.TypeFor[mcp.Gateway]()},
		{reflect.TypeFor[approved](), reflect.TypeFor[mcp.Registry]()},
		{reflect.TypeFor[prompter](), reflect.TypeFor[mcp.Prompter]()},
	} {
		if !c.given.Implements(c.asked) || c.given.NumMethod() != c.asked.NumMethod() {
			t.Errorf("%s has %d methods, %s asks for %d", c.given, c.given.NumMethod(), c.asked, c.asked.NumMethod())
		}
		if p := reflect.PointerTo(c.given); p.NumMethod() != c.asked.NumMethod() {
			t.Errorf("%s has %d methods", p, p.NumMethod())
		}
	}
}
