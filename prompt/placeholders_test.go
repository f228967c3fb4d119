package prompt

import (
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"toolcrib/registry"
)

// at is a Friday evening in Berlin.
var at = time.Date(2026, time.November, 20, 22, 42, 0, 0, time.UTC)

// only renders a template with a single placeholder.
func only(t *testing.T, placeholder, channel string, in Input) string {
	t.Helper()
	in.Agent.PromptTemplate = "[$" + placeholder + "]"
	text := Render(in, channel).Text
	if !strings.HasPrefix(text, "[") || !strings.HasSuffix(text, "]") {
		t.Fatalf("rendered %q", text)
	}
	return text[1 : len(text)-1]
}

func TestIdentity(t *testing.T) {
	for _, c := range []struct {
		agent registry.Agent
		want  string
	}{
		{registry.Agent{}, ""},
		{registry.Agent{ID: "ada"}, ""},
		{registry.Agent{Name: " "}, ""},
		{registry.Agent{Name: "Ada"}, "You are Ada."},
		{registry.Agent{Name: "Ada", Description: "keeps the workshop in order"}, "You are Ada: keeps the workshop in order."},
		{registry.Agent{Name: "Ada", Description: "Does that.", Vibe: "dry, warm"}, "You are Ada: Does that. Your vibe: dry, warm."},
		{registry.Agent{Name: "Ada", Vibe: "hurried…"}, "You are Ada. Your vibe: hurried…"},
		{registry.Agent{Description: "A clerk"}, "A clerk."},
		{registry.Agent{Vibe: "calm"}, "Your vibe: calm."},
		{registry.Agent{Name: "Ada\n# Heading", Description: "one\r\n\ttwo"}, "You are Ada # Heading: one two."},
	} {
		if got := only(t, Identity, Web, Input{Agent: c.agent}); got != c.want {
			t.Errorf("%+v: got %q, want %q", c.agent, got, c.want)
		}
	}
}

func TestSoul(t *testing.T) {
	for soul, want := range map[string]string{"": defaultSoul, " \n": defaultSoul, "Patience.\nCare.": "Patience.\nCare."} {
		if got := only(t, Soul, Web, Input{Agent: registry.Agent{Soul: soul}}); got != want {
			t.Errorf("%q: got %q, want %q", soul, got, want)
		}
	}
	if strings.Contains(defaultSoul, "\n") {
		t.Error("the default soul is more than one line")
	}
}

func TestCurrentTime(t *testing.T) {
	for _, c := range []struct{ agent, user, want string }{
		{"Europe/Berlin", "", "Friday, November 20, 2026 11:42 PM (Europe/Berlin)"},
		{"", "", "Friday, November 20, 2026 10:42 PM (UTC)"},
		{"UTC", "", "Friday, November 20, 2026 10:42 PM (UTC)"},
		{"Atlantis/Capital", "", "Friday, November 20, 2026 10:42 PM (UTC)"},
		{"Local", "", "Friday, November 20, 2026 10:42 PM (UTC)"},
		{"../../etc/passwd", "", "Friday, November 20, 2026 10:42 PM (UTC)"},
		{"/etc/localtime", "", "Friday, November 20, 2026 10:42 PM (UTC)"},
		{strings.Repeat("x", 10_000), "", "Friday, November 20, 2026 10:42 PM (UTC)"},
		{"Europe/Berlin", "Asia/Kathmandu", "Saturday, November 21, 2026 4:27 AM (Asia/Kathmandu)"},
		{"Europe/Berlin", "Nowhere", "Friday, November 20, 2026 10:42 PM (UTC)"},
	} {
		in := Input{Agent: registry.Agent{Timezone: c.agent}, Context: Context{Now: at, Zone: c.user}}
		if got := only(t, CurrentTime, Web, in); got != c.want {
			t.Errorf("%.40q, %q: got %q, want %q", c.agent, c.user, got, c.want)
		}
	}
	local := Context{Now: at.In(time.FixedZone("here", 3600))}
	if got, want := only(t, CurrentTime, Web, Input{Context: local}), "Friday, November 20, 2026 10:42 PM (UTC)"; got != want {
		t.Errorf("the zone of the given time is visible: %q", got)
	}
}

func TestAgo(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Hour: "less than a minute ago", 0: "less than a minute ago", 59 * time.Second: "less than a minute ago",
		time.Minute: "1 minute ago", 59*time.Minute + 59*time.Second: "59 minutes ago",
		time.Hour: "1 hour ago", 23*time.Hour + 59*time.Minute: "23 hours ago",
		day: "1 day ago", 13 * day: "13 days ago", 14 * day: "2 weeks ago", 59 * day: "8 weeks ago",
		60 * day: "2 months ago", 729 * day: "24 months ago", 730 * day: "2 years ago",
	} {
		if got := ago(d); got != want {
			t.Errorf("%v: got %q, want %q", d, got, want)
		}
	}
}

func TestMemoryNotes(t *testing.T) {
	long := strings.Repeat("ä", MaxMemoryNotes-1)
	for notes, want := range map[string]string{
		"": "", "likes tea": "likes tea", long + "x": long + "x", long + "xy": long + "x", long + "🙂z": long + "🙂",
	} {
		if got := only(t, MemoryNotes, Web, Input{Context: Context{MemoryNotes: notes}}); got != want {
			t.Errorf("notes of %d characters become %d", utf8.RuneCountInString(notes), utf8.RuneCountInString(got))
		}
	}
}

func TestUserInstructions(t *testing.T) {
	tool := []Tool{{Tool: &registry.Tool{ID: "update_instructions"}}}
	long := strings.Repeat("é", MaxUserInstructions)
	const note = "\n\n(Cut here: only the first 2000 characters are shown.)"
	for _, c := range []struct{ text, want string }{
		{"", noInstructions},
		{" \n", noInstructions},
		{"No mornings.", "No mornings."},
		{long, long},
		{long + "x", long + note},
	} {
		in := Input{Context: Context{UserInstructions: c.text}}
		if got := only(t, UserInstructions, Web, in); got != c.want+"\n\n"+changedElsewhere {
			t.Errorf("%.20q without the tool: got %q", c.text, got)
		}
		in.Tools = tool
		if got := only(t, UserInstructions, Web, in); got != c.want+"\n\n"+changedByTool {
			t.Errorf("%.20q with the tool: got %q", c.text, got)
		}
	}
}

func TestToolGuidance(t *testing.T) {
	in := Input{Tools: []Tool{
		{Tool: &registry.Tool{ID: "z", Guidance: map[string]string{Web: "zebra\nsecond line\n", "sms": "short"}}},
		{Tool: &registry.Tool{ID: "b"}},
		{Tool: &registry.Tool{ID: "a", Guidance: map[string]string{Web: "ant", Telegram: " "}}, Locked: true},
	}}
	for channel, want := range map[string]string{
		Web: "- zebra\n  second line\n- ant", Telegram: "", Heartbeat: "", "sms": "- short",
	} {
		if got := only(t, ToolGuidance, channel, in); got != want {
			t.Errorf("%s: got %q, want %q", channel, got, want)
		}
	}
}

func TestBootstrapContext(t *testing.T) {
	if got := only(t, BootstrapContext, Scheduled, Input{Context: Context{BootstrapContext: "3 tasks, $soul"}}); got != "3 tasks, $soul" {
		t.Errorf("got %q", got)
	}
}

func TestPlaceholders(t *testing.T) {
	values := NewRenderer(Input{}).valuesOf(Web)
	for _, name := range Placeholders() {
		if _, ok := values[name]; !ok {
			t.Errorf("$%s has no value", name)
		}
		if !strings.Contains(builtinTemplate, "$"+name) {
			t.Errorf("the built-in template lacks $%s", name)
		}
	}
	if len(values) != len(Placeholders()) {
		t.Errorf("%d placeholders have a value, %d are listed", len(values), len(Placeholders()))
	}
	for _, u := range Uses(builtinTemplate) {
		if !slices.Contains(Placeholders(), u.Name) {
			t.Errorf("the built-in template has $%s", u.Name)
		}
	}
}
