package httpserver

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// TestBearer checks that the case of the scheme and extra spaces do not matter
// (S26).
func TestBearer(t *testing.T) {
	for header, want := range map[string]string{
		"Bearer abc": "abc", "bearer abc": "abc", "BEARER  abc": "abc", "Bearer": "", "Bearer ": "", "Basic abc": "", "abc": "", "": "",
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		r.Header.Set("Authorization", header)
		if got, ok := Bearer(r); ok != (want != "") || ok && got != want {
			t.Errorf("%q: %q, %t", header, got, ok)
		}
	}
}
