package openai

import (
	"net/http"
	"testing"
	"time"
)

func TestPause(t *testing.T) {
	c, err := New(Config{BaseURL: "http://localhost/v1", Model: "m", Retries: 4, RetryDelay: 3 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	header := func(key, value string) http.Header { return http.Header{key: {value}} }
	tests := []struct {
		name     string
		attempt  int
		response *http.Response
		min, max time.Duration
		again    bool
	}{
		{"nobody answered", 0, nil, 375 * time.Millisecond, 500 * time.Millisecond, true},
		{"twice as long", 1, nil, 750 * time.Millisecond, time.Second, true},
		{"at most the limit", 3, nil, 2250 * time.Millisecond, 3 * time.Second, true},
		{"the last attempt", 4, nil, 0, 0, false},
		{"done", 0, &http.Response{StatusCode: 200}, 0, 0, false},
		{"refused", 0, &http.Response{StatusCode: 401}, 0, 0, false},
		{"failed", 0, &http.Response{StatusCode: 503}, 375 * time.Millisecond, 500 * time.Millisecond, true},
		{"asks for seconds", 0, &http.Response{StatusCode: 429, Header: header("Retry-After", "2")}, 2 * time.Second, 2 * time.Second, true},
		{"asks for none", 0, &http.Response{StatusCode: 429, Header: header("Retry-After", "0")}, 0, 0, true},
		{"asks for too many", 0, &http.Response{StatusCode: 429, Header: header("Retry-After", "4")}, 4 * time.Second, 4 * time.Second, false},
		{"names a time that passed", 0, &http.Response{StatusCode: 429, Header: header("Retry-After", "Wed, 21 Oct 2015 07:28:00 GMT")}, 0, 0, true},
		{"asks for nonsense", 0, &http.Response{StatusCode: 429, Header: header("Retry-After", "-1")}, 375 * time.Millisecond, 500 * time.Millisecond, true},
		{"will not help", 0, &http.Response{StatusCode: 429, Header: header("X-Should-Retry", "false")}, 0, 0, false},
		{"may help", 0, &http.Response{StatusCode: 400, Header: header("X-Should-Retry", "true")}, 375 * time.Millisecond, 500 * time.Millisecond, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			wait, again := c.pause(tt.attempt, tt.response)
			if again != tt.again || wait < tt.min || wait > tt.max {
				t.Errorf("got %v, %v; want %v to %v, %v", wait, again, tt.min, tt.max, tt.again)
			}
		})
	}
}
