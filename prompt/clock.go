package prompt

import (
	"fmt"
	"time"
	_ "time/tzdata" // so that a prompt does not depend on the zones a machine has
)

// zone returns the location of an IANA time zone name, UTC when there is none
// of that name. "Local" is unknown too: a prompt does not depend on where it
// is rendered.
func zone(name string) *time.Location {
	if name == "Local" {
		return time.UTC
	}
	loc, err := time.LoadLocation(name)
	if err != nil {
		return time.UTC
	}
	return loc
}

// clockLayout is how a prompt writes a time; the zone's name follows it.
const clockLayout = "Monday, January 2, 2006 3:04 PM"

func currentTime(now time.Time, loc *time.Location) string {
	return fmt.Sprintf("%s (%s)", now.In(loc).Format(clockLayout), loc)
}

// steps are the units of ago, the largest first. Weeks, months and years are
// used from two of them on, because "12 days ago" says more than "1 week ago".
var steps = [...]struct {
	from, unit time.Duration
	name       string
}{
	{2 * 365 * day, 365 * day, "year"},
	{60 * day, 30 * day, "month"},
	{14 * day, 7 * day, "week"},
	{day, day, "day"},
	{time.Hour, time.Hour, "hour"},
	{time.Minute, time.Minute, "minute"},
}

const day = 24 * time.Hour

// ago returns in words how long d is past, rounded down. It is our own because
// prompts are hashed: the words may not change with a library's version.
func ago(d time.Duration) string {
	for _, s := range steps {
		if d < s.from {
			continue
		}
		if n := int64(d / s.unit); n > 1 {
			return fmt.Sprintf("%d %ss ago", n, s.name)
		}
		return "1 " + s.name + " ago"
	}
	return "less than a minute ago"
}
