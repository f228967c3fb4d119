package rulebook

import (
	"strings"
	"testing"
	"testing/fstest"
)

// form is a block that has everything it needs.
const form = `[N999]
name = "test"
severity = "warn"
waivable = true
doc = "Why."
[N999.bad]
show = "x"
[N999.good]
show = "y"
`

// TestFaultsOfForms breaks a file of forms in every way and expects the line.
func TestFaultsOfForms(t *testing.T) {
	read := func(text string) error {
		_, err := readForms(fstest.MapFS{"forms/a.toml": {Data: []byte(text)}}, "forms")
		return err
	}
	if err := read(form); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ name, old, new, want string }{
		{"unknown key", "waivable", "waiveable", "forms/a.toml:4: unknown key N999.waiveable"},
		{"unknown key of an example", `show = "y"`, `shown = "y"`, "unknown key N999.good.shown"},
		{"id", "[N999]", "[n999]", "n999: an id is a letter and three digits"},
		{"severity", "warn", "loud", `"loud" is no severity`},
		{"no doc", `"Why."`, `""`, "N999: doc is missing"},
		{"no example", `show = "x"`, "", "N999: bad.show is missing"},
		{"locked and waivable", "waivable = true", "waivable = true\nlocked = true", "a locked rule cannot be waived"},
		{"name twice", "[N999]", "[N998]\n" + form[strings.Index(form, "name"):strings.Index(form, "[N999.bad]")] + "bad = {show = \"x\"}\ngood = {show = \"y\"}\n[N999]", "test stands twice"},
	} {
		if err := read(strings.Replace(form, test.old, test.new, 1)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %s", test.name, err, test.want)
		}
	}
}
