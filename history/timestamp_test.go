package history

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestTimestamp(t *testing.T) {
	berlin := time.FixedZone("CET", 3600)
	for want, at := range map[string]time.Time{
		"2026-11-20T22:42:00.000000Z": time.Date(2026, 11, 20, 23, 42, 0, 0, berlin),
		"2026-11-20T22:42:00.000001Z": time.Date(2026, 11, 20, 22, 42, 0, 1_999, time.UTC),
		"2026-01-01T00:00:00.100000Z": time.Date(2026, 1, 1, 0, 0, 0, 100_000_000, time.UTC),
		"0001-01-01T00:00:00.000000Z": {},
		"9999-12-31T23:59:59.999999Z": time.Date(9999, 12, 31, 23, 59, 59, 999_999_999, time.UTC),
	} {
		if got := Timestamp(at); got != want {
			t.Errorf("Timestamp(%s) = %s; want %s", at, got, want)
		}
	}
	for _, bad := range []string{"", "yesterday", "2026-11-20", "2026-11-20 22:42:00", "2026-13-01T00:00:00.000000Z"} {
		if at, err := ParseTimestamp(bad); err == nil {
			t.Errorf("%q was parsed as %s", bad, at)
		}
	}
}

// TestTimestampOrder formats random times of ten thousand years in random zones,
// parses them, and sorts them as text: the order must be that of the times.
func TestTimestampOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	last := time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC).Unix()
	times := make([]time.Time, 5_000)
	for i := range times {
		at := time.Unix(random.Int64N(last), random.Int64N(1e9))
		if i%2 == 1 { // times that differ only in microseconds
			at = times[i-1].Add(time.Duration(random.IntN(3)) * time.Microsecond)
		}
		times[i] = at.In(time.FixedZone("", random.IntN(24*3600)-12*3600)).Truncate(time.Microsecond)
	}
	slices.SortFunc(times, func(a, b time.Time) int { return strings.Compare(Timestamp(a), Timestamp(b)) })
	for i, at := range times {
		got, err := ParseTimestamp(Timestamp(at))
		if err != nil || !got.Equal(at) || got.Location() != time.UTC {
			t.Errorf("%s was parsed as %s, %v", at, got, err)
		}
		if i > 0 && at.Before(times[i-1]) {
			t.Errorf("%s is sorted after %s", Timestamp(at), Timestamp(times[i-1]))
		}
	}
}
