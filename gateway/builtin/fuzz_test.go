package builtin_test

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"testing"
	"unicode/utf8"

	"toolcrib/gateway"
	"toolcrib/internal/shortrun"
)

// FuzzArguments calls every tool with unchecked arguments. A tool either returns
// CodeArguments, or its result matches its output schema and the stored data can be
// read.
func FuzzArguments(f *testing.F) {
	shortrun.OneGoroutine(f)
	for _, args := range []string{
		`{"tasks":[{"title":"x","due":"2027-01-01T00:00:00Z","tags":["a"]}]}`, `{"query":"東京 \"x\" OR y*","limit":3}`,
		`{"content":"\u0000\u202e","tags":["#@$!:~^"]}`, `{"id":"x","to_entity":"\ud83d\ude00 a"}`, `{"project":null}`, `{"ids":["a","b"]}`,
		`{"schedules":[{"title":"x","instruction":"y","cron":"*/15 0-23/2 1,2 JAN-DEC 1-7","timezone":"../etc/passwd"}]}`,
		`{"reminders":[{"text":"x","remind_at":"2027-12-31T23:59:60Z"}]}`, `{"instructions":"x"}`, `{"include":["tasks","tasks"]}`, `[]`, `{`,
	} {
		f.Add(args)
	}
	c := newTestDB(f)
	tools := slices.Sorted(maps.Keys(c.tools))
	f.Fuzz(func(t *testing.T, args string) {
		for _, tool := range tools {
			out, err := c.provider.Run(t.Context(), c.invocation("ada", tool, args))
			var refused *gateway.Error
			switch {
			case err == nil:
				fits(t, "the result of "+tool, c.tools[tool].Tool.OutputSchema, out.Structured)
			case !errors.As(err, &refused):
				t.Errorf("%s: %v", tool, err)
			case !utf8.ValidString(refused.Message) || len(refused.Details) > 0 && !json.Valid(refused.Details):
				t.Errorf("%s: %q, %s", tool, refused.Message, refused.Details)
			}
		}
	})
}
