package verification

import (
	"strconv"
	"strings"
	"testing"

	"toolcrib/history"
	"toolcrib/store/catalog"
	"toolcrib/store/records"
)

// TestCrossCheck collects the references of an undamaged database, and changes one of them at a time. Only the
// undamaged database may agree.
func TestCrossCheck(t *testing.T) {
	seal := func(n int) string { return history.Seal(strconv.Itoa(n)) }
	for name, test := range map[string]struct {
		spoil func(c *crossCheck)
		want  bool
	}{
		"sound":                 {func(*crossCheck) {}, true},
		"one event more":        {func(c *crossCheck) { c.event(seal(99)) }, false},
		"an event twice":        {func(c *crossCheck) { c.event(seal(1)) }, false},
		"no seal at all":        {func(c *crossCheck) { c.event("x") }, false},
		"a record more":         {func(c *crossCheck) { c.add("comments", idOfSeal(seal(98))) }, false},
		"two events exchanged":  {func(c *crossCheck) { c.logged[1], c.logged[2] = c.logged[2], c.logged[1] }, false},
		"two records exchanged": {func(c *crossCheck) { r := c.records["revisions"]; r[0], r[1] = r[1], r[0] }, false},
		"the last event less":   {func(c *crossCheck) { c.logged = c.logged[:len(c.logged)-1] }, false},
		"a version more":        {func(c *crossCheck) { c.version("tool:user/b", "1", seal(9), "p9", "user:ada", seal(97)) }, false},
		"a decision more":       {func(c *crossCheck) { c.decided = append(c.decided, idOfSeal(seal(96))) }, false},
		"a decision of another": {func(c *crossCheck) { c.decided[0] = idOf("tool:user/a", "1", seal(3), "p1", "user:bob") }, false},
		"a table half read":     {func(c *crossCheck) { c.complete["waivers"] = false }, false},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCrossCheck()
			c.version("tool:global/get_tasks", "1", seal(8), "", "system", seal(1))
			c.version("tool:user/a", "1", seal(9), "p1", "user:ada", seal(3))
			for _, table := range append(recordNames(), catalog.VersionTable.Name, records.EventTable.Name) {
				c.end(table)
			}
			c.record("revisions", []string{"format", seal(2)})
			c.record("revisions", []string{"format", seal(4)})
			c.record("decisions", strings.Split("format id p1 1 tool:user/a "+seal(9)+" approved note user:ada at assessment digest 1 "+seal(3)+"  "+seal(5), " "))
			for _, n := range []int{1, 2, 4, 5} {
				c.event(seal(n))
			}
			c.event("")
			test.spoil(c)
			if got := c.agrees(); got != test.want {
				t.Errorf("agrees: %t; want %t", got, test.want)
			}
		})
	}
}

// TestCrossCheckLive compares live definitions with the last versions.
func TestCrossCheckLive(t *testing.T) {
	c := newCrossCheck()
	hash := strings.Repeat("ab", 32)
	c.version("tool:user/a", "1", hash, "", "system", hash)
	c.version("tool:user/a", "2", hash, "", "system", hash)
	for _, test := range []struct {
		subject, version, hash string
		want                   bool
	}{
		{"tool:user/a", "2", hash, true},
		{"tool:user/a", "1", hash, false},
		{"tool:user/b", "2", hash, false},
		{"tool:user/a", "2", strings.ToUpper(hash)[1:], false},
		{"tool:user/a", "2", strings.Repeat("cd", 32), false},
		{"tool:user/a", "02", hash, false},
	} {
		if got := c.liveAgrees(test.subject, test.version, test.hash); got != test.want {
			t.Errorf("%+v: %t", test, got)
		}
	}
}
