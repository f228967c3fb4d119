package openai

import (
	"io"
	"net/http"
)

// bounded reads no response beyond limit bytes, unpacked.
type bounded struct {
	next  http.RoundTripper
	limit int64
}

// bodyLimit returns how many bytes the response around an answer of n bytes
// may have: in JSON a byte can take six, and what is around it takes some.
func bodyLimit(n int) int64 { return 6*int64(n) + 64<<10 }

func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := b.next.RoundTrip(r)
	if err != nil {
		return response, err
	}
	response.Body = &boundedBody{ReadCloser: response.Body, left: b.limit}
	return response, nil
}

type boundedBody struct {
	io.ReadCloser
	left int64
}

// Read returns errTooLarge in place of what is too much.
func (b *boundedBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		// The limit may be the end.
		var one [1]byte
		n, err := b.ReadCloser.Read(one[:])
		if n > 0 {
			return 0, errTooLarge
		}
		return 0, err
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}
