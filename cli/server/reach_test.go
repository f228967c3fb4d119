package server

import (
	"reflect"
	"slices"
	"testing"

	"toolcrib/gateway"
	"toolcrib/gateway/mcp"
	"toolcrib/review/service"
)

// TestAgentsReachNoDecision checks that the values passed to agents have only the methods of their interfaces, even for
// a type assertion.
func TestAgentsReachNoDecision(t *testing.T) {
	for _, c := range []struct {
		value any
		face  reflect.Type
	}{
		{proposerOf(&service.Desk{}), reflect.TypeFor[mcp.Desk]()},
		{toolUser{&gateway.Gateway{}}, reflect.TypeFor[mcp.Gateway]()},
	} {
		names := func(t reflect.Type) []string {
			var all []string
			for i := range t.NumMethod() {
				all = append(all, t.Method(i).Name)
			}
			return all
		}
		if got, want := names(reflect.TypeOf(c.value)), names(c.face); !slices.Equal(got, want) {
			t.Errorf("%T has %v, and agents may use %v", c.value, got, want)
		}
	}
}
