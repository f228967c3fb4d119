package builtin

import (
	"testing"
	"time"
)

// TestCronSchedules covers days on which clocks change.
func TestCronSchedules(t *testing.T) {
	for _, test := range []struct{ cron, zone, after, want string }{
		{"30 7 * * 1-5", "Europe/Berlin", "2027-01-01T12:00:00Z", "2027-01-04T06:30:00Z"},
		{"0 9 * * 7", "UTC", "2027-01-01T12:00:00Z", "2027-01-03T09:00:00Z"},
		{"0 9 1 * *", "UTC", "2027-01-01T09:00:00Z", "2027-02-01T09:00:00Z"},
		{"0 9 29 2 *", "UTC", "2027-01-01T09:00:00Z", "2028-02-29T09:00:00Z"},
		{"0 9 13 * 5", "UTC", "2027-01-09T00:00:00Z", "2027-01-13T09:00:00Z"}, // one matching day is enough
		// Clocks are set forward on 28 March: 02:30 does not exist, and runs as
		// 03:30.
		{"30 2 * * *", "Europe/Berlin", "2027-03-27T12:00:00Z", "2027-03-28T01:30:00Z"},
		{"30 2 * * *", "Europe/Berlin", "2027-03-28T01:30:00Z", "2027-03-29T00:30:00Z"},
		{"30 7 * * *", "Europe/Berlin", "2027-03-27T12:00:00Z", "2027-03-28T05:30:00Z"},
		// Clocks are set back on 31 October: 02:30 occurs twice, and runs once.
		{"30 2 * * *", "Europe/Berlin", "2027-10-30T12:00:00Z", "2027-10-31T00:30:00Z"},
		{"30 2 * * *", "Europe/Berlin", "2027-10-31T00:30:00Z", "2027-11-01T01:30:00Z"},
		{"30 2 * * *", "Europe/Berlin", "2027-10-31T01:10:00Z", "2027-11-01T01:30:00Z"},
		// Hourly schedules run in both hours.
		{"30 * * * *", "Europe/Berlin", "2027-10-31T00:30:00Z", "2027-10-31T01:30:00Z"},
		{"0 2 * * *", "America/New_York", "2027-03-13T20:00:00Z", "2027-03-14T07:00:00Z"},
		{"0 0 * * *", "America/Santiago", "2027-09-04T12:00:00Z", "2027-09-05T04:00:00Z"}, // midnight is skipped
		{"15 9 * * *", "Asia/Kathmandu", "2027-01-01T00:00:00.5Z", "2027-01-01T03:30:00Z"},
	} {
		r, err := parseCron(test.cron)
		if err != nil {
			t.Errorf("%s: %v", test.cron, err)
			continue
		}
		after, err := time.Parse(time.RFC3339Nano, test.after)
		if err != nil {
			t.Fatal(err)
		}
		got, ok := r.next(after, zone(test.zone))
		if !ok || got.Format(time.RFC3339) != test.want {
			t.Errorf("%s in %s after %s: %s, want %s", test.cron, test.zone, test.after, got.Format(time.RFC3339), test.want)
		}
	}
}
