package openai

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// endless returns a handler for an endless response: plain bytes, or compressed bytes that expand to many.
func endless(written *atomic.Int64, packed bool) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		var to io.Writer = w
		if packed {
			w.Header().Set("Content-Encoding", "gzip")
			to = gzip.NewWriter(w)
		}
		chunk := []byte(strings.Repeat("x", 64<<10))
		_, err := io.WriteString(to, `{"choices":[{"message":{"content":"`)
		for n := 0; err == nil && written.Load() < 1<<30; {
			n, err = to.Write(chunk)
			written.Add(int64(n))
		}
	}
}

func TestHugeAnswer(t *testing.T) {
	for _, packed := range []bool{false, true} {
		t.Run(fmt.Sprint("packed ", packed), func(t *testing.T) {
			var written atomic.Int64
			client, asked := serve(t, Config{Retries: 2, MaxAnswer: 10_000}, endless(&written, packed))
			_, err := client.Answer(t.Context(), "", "x")
			if !errors.Is(err, errTooLarge) || asked.Load() != 1 {
				t.Errorf("got %v after %d requests", err, asked.Load())
			}
		})
	}
}

func TestAnswerOfTheLargestSize(t *testing.T) {
	text := strings.Repeat("\x01", 20_000) // six bytes each in JSON
	client, _ := serve(t, Config{MaxAnswer: len(text)}, func(w http.ResponseWriter, _ *http.Request) { says(w, text) })
	if got, err := client.Answer(t.Context(), "", "x"); err != nil || got != text {
		t.Errorf("got %d bytes, %v", len(got), err)
	}
}

func TestTimeout(t *testing.T) {
	hangs := func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // only then does the server notice that the client has disconnected
		<-r.Context().Done()
	}
	dribbles := func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"choices":`)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}
	for name, h := range map[string]http.HandlerFunc{"hangs": hangs, "dribbles": dribbles} {
		t.Run(name, func(t *testing.T) {
			client, asked := serve(t, Config{Timeout: 100 * time.Millisecond, Retries: 2}, h)
			_, err := client.Answer(t.Context(), "", "x")
			if err == nil || err.Error() != "no answer within 100ms" || asked.Load() > 1 { // it may expire before the request
				t.Errorf("got %v after %d requests", err, asked.Load())
			}
		})
	}
}

func TestCallerGivesUp(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	client, _ := serve(t, Config{Retries: 2}, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		cancel()
		<-r.Context().Done()
	})
	if _, err := client.Answer(ctx, "", "x"); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
