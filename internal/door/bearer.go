package door

import (
	"net/http"
	"strings"
)

// Bearer returns the bearer token of a request; false when it has none. The name of the
// scheme is the same in every case, and any number of spaces follows it (RFC 9110, 11.4).
func Bearer(r *http.Request) (token string, ok bool) {
	scheme, token, ok := strings.Cut(r.Header.Get("Authorization"), " ")
	token = strings.TrimLeft(token, " ")
	return token, ok && token != "" && strings.EqualFold(scheme, "Bearer")
}
