package openai

import (
	"context"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"
)

// firstPause is the wait before the second attempt; every further one is twice
// as long, up to Config.RetryDelay.
const firstPause = 500 * time.Millisecond

// pause returns how long to wait after an attempt, counted from 0, before the
// next one, and whether there is a next one. A nil response means that nobody
// answered.
func (c *Client) pause(attempt int, response *http.Response) (time.Duration, bool) {
	if attempt >= c.config.Retries || response != nil && !retryable(response) {
		return 0, false
	}
	if response != nil {
		if wait, ok := retryAfter(response.Header); ok {
			return wait, wait <= c.config.RetryDelay
		}
	}
	wait := min(firstPause<<attempt, c.config.RetryDelay)
	return wait - rand.N(wait/4+1), true // clients that failed together do not come back together
}

// retryable reports whether the same request may succeed later. OpenAI's
// servers say so themselves where the status does not tell.
func retryable(response *http.Response) bool {
	switch response.Header.Get("X-Should-Retry") {
	case "true":
		return true
	case "false":
		return false
	}
	switch response.StatusCode {
	case http.StatusRequestTimeout, http.StatusConflict, http.StatusTooManyRequests:
		return true
	}
	return response.StatusCode >= http.StatusInternalServerError
}

// retryAfter returns the wait that the endpoint asks for, in seconds or as a
// date (RFC 9110, section 10.2.3), and whether it asks for one.
func retryAfter(h http.Header) (time.Duration, bool) {
	value := h.Get("Retry-After")
	if seconds, err := strconv.ParseUint(value, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second, true
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(0, time.Until(at)), true
	}
	return 0, false
}

// sleep waits for d and reports whether ctx is still in force.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return ctx.Err() == nil
	}
}
