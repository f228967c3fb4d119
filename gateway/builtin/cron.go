// This file parses cron expressions and calculates the runs of a schedule.

package builtin

import (
	"errors"
	"fmt"
	"math/bits"
	"strings"
	"time"

	"github.com/robfig/cron/v3"
)

// cronSchedule is a parsed cron expression.
type cronSchedule struct {
	*cron.SpecSchedule
}

// minGap is the minimum time between two runs of a schedule.
const minGap = 15 * time.Minute

// parseCron parses a cron expression with five fields.
func parseCron(expression string) (cronSchedule, error) {
	fields := strings.Fields(expression)
	if len(fields) != 5 {
		return cronSchedule{}, fmt.Errorf("expected five fields (minute, hour, day of month, month, day of week), got %d", len(fields))
	}
	weekdays := strings.Split(fields[4], ",")
	for i, part := range weekdays { // the parser accepts only 0 for Sunday, and cron expressions may also use 7
		switch from, ranged := strings.CutSuffix(part, "-7"); {
		case part == "7", ranged && from == "7":
			weekdays[i] = "0"
		case ranged:
			weekdays[i] = from + "-6,0"
		}
	}
	fields[4] = strings.Join(weekdays, ",")
	parsed, err := cron.NewParser(cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow).Parse(strings.Join(fields, " "))
	if err != nil {
		why, _, _ := strings.Cut(err.Error(), ": strconv.")
		return cronSchedule{}, fmt.Errorf("not a valid cron expression: %s", why)
	}
	spec, ok := parsed.(*cron.SpecSchedule)
	if !ok {
		return cronSchedule{}, errors.New("not a valid cron expression of five fields")
	}
	return cronSchedule{spec}, nil
}

// star is the bit that the parser sets in the value of a field that starts with an asterisk.
const star = 1 << 63

// next returns the first run after the given time. It returns false if there is no run within five years. The hours of
// a schedule refer to local time in loc. If a local time occurs twice because clocks are set back, the schedule runs
// only at the first occurrence. If a local time does not occur because clocks are set forward, the schedule runs later
// by the same amount. As an exception, a schedule with an hour field that starts with an asterisk also runs in repeated
// hours, and does not run in skipped hours.
func (r cronSchedule) next(after time.Time, loc *time.Location) (time.Time, bool) {
	if r.Hour&star != 0 {
		t := r.inZone(loc).Next(after.In(loc))
		return t.UTC(), !t.IsZero()
	}
	wall := toWallClock(after.In(loc))
	for {
		wall = r.inZone(time.UTC).Next(wall)
		if wall.IsZero() {
			return time.Time{}, false
		}
		if t := fromWallClock(wall, loc); t.After(after) {
			return t, true
		}
	}
}

func (r cronSchedule) inZone(loc *time.Location) *cron.SpecSchedule {
	spec := *r.SpecSchedule
	spec.Location = loc
	return &spec
}

// toWallClock returns the UTC time that has the same date and clock time as t has in the location of t.
func toWallClock(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC)
}

// fromWallClock returns the first time at which clocks in loc show the date and clock time of wall. If clocks skip this
// time, fromWallClock uses the offset before the change.
func fromWallClock(wall time.Time, loc *time.Location) time.Time {
	_, before := wall.Add(-24 * time.Hour).In(loc).Zone()
	_, after := wall.Add(24 * time.Hour).In(loc).Zone()
	early, late := wall.Add(-time.Duration(before)*time.Second), wall.Add(-time.Duration(after)*time.Second)
	shows := func(t time.Time) bool { return toWallClock(t.In(loc)).Equal(wall) }
	if !shows(early) && shows(late) {
		return late
	}
	return early
}

// gap returns the shortest time between two consecutive runs, ignoring changes of the clocks. The result is at most an
// hour.
func (r cronSchedule) gap() time.Duration {
	least := 60
	last := -1
	for m := range 60 {
		if r.Minute&(1<<m) == 0 {
			continue
		}
		if last >= 0 {
			least = min(least, m-last)
		}
		last = m
	}
	around := bits.TrailingZeros64(r.Minute) + 60 - last // minutes from the last run in an hour to the first run in the next hour
	hours := r.Hour &^ star
	if hours&(hours>>1) != 0 || hours&(1<<23) != 0 && hours&1 != 0 && r.consecutive() {
		least = min(least, around)
	}
	return time.Duration(least) * time.Minute
}

// consecutive reports whether the schedule has runs on two consecutive days. If the expression restricts both the day
// of the month and the day of the week, the schedule runs on each day that matches either restriction.
func (r cronSchedule) consecutive() bool {
	day := time.Date(2000, time.January, 1, 0, 0, 0, 0, time.UTC)
	before := false
	for range 28*366 + 1 { // every combination of a date and a weekday occurs within 28 years
		dom, dow := r.Dom&(1<<uint(day.Day())) != 0, r.Dow&(1<<uint(day.Weekday())) != 0
		runs := dom && dow || (dom || dow) && r.Dom&star == 0 && r.Dow&star == 0
		runs = runs && r.Month&(1<<uint(day.Month())) != 0
		if runs && before {
			return true
		}
		before, day = runs, day.AddDate(0, 0, 1)
	}
	return false
}
