package calls

import (
	"testing"

	"toolcrib/tui/theme"
)

func TestPaint(t *testing.T) {
	th := theme.Theme{}
	for line, want := range map[string][]string{
		`  "city": "Husum",`:    {`"city"`},
		`  "days": 3,`:          {`"days"`, "3"},
		`  "low": -1.5e10`:      {`"low"`, "-1.5e10"},
		`    true,`:             {"true"},
		`  "a\": 1": null`:      {`"a\": 1"`, "null"},
		`  "tags": [`:           {`"tags"`},
		`  "3",`:                nil,
		`  "no end`:             nil,
		`}`:                     nil,
		``:                      nil,
		`context from a caller`: nil,
	} {
		var got []string
		for _, m := range paint(line, th) {
			got = append(got, line[m.Start:m.End])
		}
		if len(got) != len(want) || (len(got) > 0 && got[0] != want[0]) || (len(got) > 1 && got[1] != want[1]) {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}
