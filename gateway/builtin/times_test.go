package builtin_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"toolcrib/gateway"
	"toolcrib/gateway/builtin"
	"toolcrib/internal/shortrun"
)

// TestResponsesAboutTimes checks that every response about reminders and schedules
// states that toolcrib does not deliver or run them.
func TestResponsesAboutTimes(t *testing.T) {
	c := newTestDB(t)
	for tool, args := range map[string]string{
		"create_reminders": `{"reminders":[{"text":"Late","remind_at":"2027-03-01T09:00:00+01:00"}]}`, "get_reminders": `{}`,
		"create_schedules": `{"schedules":[{"title":"Tides","instruction":"Look at the tides.","cron":"0 7 * * *"}]}`, "get_schedules": `{}`,
	} {
		out := c.ada(t, tool, args)
		if says := out.text("delivery"); !strings.Contains(says, "only stores") || !strings.Contains(says, "Do not promise") {
			t.Errorf("%s says of it %q", tool, says)
		}
	}
}

func TestReminders(t *testing.T) {
	c := newTestDB(t)
	task := c.ada(t, "create_tasks", `{"tasks":[{"title":"Book the ferry"}]}`).text("tasks.0.id")
	made := c.ada(t, "create_reminders", fmt.Sprintf(`{"reminders":[
		{"text":"Late","remind_at":"2027-03-01T09:00:00+01:00","channel":"telegram"},
		{"text":"Early","remind_at":"2027-01-02t09:00:00z","task_id":%q}]}`, task))
	expect(t, "as given", made.column("reminders", "text"), "Late|Early")
	expect(t, "in UTC", made.column("reminders", "remind_at"), "2027-03-01T08:00:00Z|2027-01-02T09:00:00Z")
	expect(t, "pending", made.column("reminders", "status"), "pending|pending")
	expect(t, "next one first", c.ada(t, "get_reminders", `{}`).column("reminders", "text"), "Early|Late")
	expect(t, "between", c.ada(t, "get_reminders", `{"status":"any","from":"2027-01-02T09:00:00Z","until":"2027-03-01T08:00:00Z"}`).column("reminders", "text"), "Early")
	expect(t, "sent", c.ada(t, "get_reminders", `{"status":"sent"}`).column("reminders", "text"), "")
	early := made.text("reminders.1.id")
	expect(t, "its task", c.ada(t, "get_reminders", fmt.Sprintf(`{"id":%q}`, early)).text("reminders.0.task_id"), task)
	c.ada(t, "delete_tasks", fmt.Sprintf(`{"ids":[%q]}`, task))
	expect(t, "a deleted task", c.ada(t, "get_reminders", fmt.Sprintf(`{"id":%q}`, early)).text("reminders.0.task_id"), "")
	c.refuses(t, "ada", "create_reminders", fmt.Sprintf(`{"reminders":[
		{"text":"x","remind_at":"2027-01-01T00:00:00Z"},{"text":"y","remind_at":"2027-06-01T00:00:00Z","task_id":%q},{"text":"","remind_at":"soon"},{"text":"z"}]}`, task),
		gateway.CodeArguments, "reminders[0].remind_at: expected a time in the future", "reminders[1].task_id", "reminders[2].text", "reminders[2].remind_at: expected a time with a zone offset", "reminders[3].remind_at")
	if out, err := c.as(t, "bob", "delete_reminders", fmt.Sprintf(`{"ids":[%q]}`, early)); err != nil || out.at("missing.0") != early {
		t.Errorf("bob deleted %v, %v", out, err)
	}
	if out, err := c.as(t, "bob", "get_reminders", fmt.Sprintf(`{"id":%q}`, early)); err != nil || out.column("reminders", "id") != "" {
		t.Errorf("bob reads %v, %v", out, err)
	}
	expect(t, "cancelled", c.ada(t, "delete_reminders", fmt.Sprintf(`{"ids":[%q]}`, early)).at("deleted.0"), any(early))
	expect(t, "again", c.ada(t, "delete_reminders", fmt.Sprintf(`{"ids":[%q]}`, early)).at("missing.0"), any(early))
	expect(t, "left", c.ada(t, "get_reminders", `{"status":"any"}`).column("reminders", "text"), "Late")
}

// withSchedules creates two schedules for ada, who is in Berlin.
func withSchedules(t *testing.T) (*testDB, doc) {
	t.Helper()
	shortrun.OneGoroutine(t)
	c := newTestDB(t)
	c.provider = builtin.New(c, builtin.Options{NewID: c.NewID, Zone: func(context.Context, gateway.Caller) (string, error) { return "Europe/Berlin", nil }})
	return c, c.ada(t, "create_schedules", `{"schedules":[
		{"title":"Friday","instruction":"Sum up the week.","cron":"0 16 * * FRI","timezone":"America/New_York"},
		{"title":"Morning","instruction":"Greet.","cron":" 30 7 * * 1-5","ends_at":"2027-01-05T00:00:00Z"}]}`)
}

func TestSchedulesRunInTheirZone(t *testing.T) {
	c, made := withSchedules(t)
	expect(t, "zones", made.column("schedules", "timezone"), "America/New_York|Europe/Berlin")
	expect(t, "next runs", made.column("schedules", "next_run_at"), "2027-01-01T21:00:00Z|2027-01-04T06:30:00Z")
	expect(t, "next first", c.ada(t, "get_schedules", `{}`).column("schedules", "title"), "Friday|Morning")
}

func TestSchedulesEnd(t *testing.T) {
	c, made := withSchedules(t)
	c.now = c.now.AddDate(0, 0, 7)
	expect(t, "ended", c.ada(t, "get_schedules", `{}`).column("schedules", "title"), "Friday")
	expect(t, "ended, asked for", c.ada(t, "get_schedules", `{"ended":true}`).column("schedules", "title"), "Friday|Morning")
	byID := c.ada(t, "get_schedules", fmt.Sprintf(`{"id":%q}`, made.text("schedules.1.id")))
	expect(t, "ended, by id", byID.column("schedules", "next_run_at"), "")
}

func TestSchedulesAreTheirOwners(t *testing.T) {
	c, made := withSchedules(t)
	id := made.text("schedules.1.id")
	if out, err := c.as(t, "bob", "delete_schedules", fmt.Sprintf(`{"ids":[%q]}`, id)); err != nil || out.at("missing.0") != id {
		t.Errorf("bob deleted %v, %v", out, err)
	}
	if out, err := c.as(t, "bob", "get_schedules", `{"ended":true}`); err != nil || out.column("schedules", "id") != "" {
		t.Errorf("bob reads %v, %v", out, err)
	}
	expect(t, "stopped", c.ada(t, "delete_schedules", fmt.Sprintf(`{"ids":[%q]}`, id)).at("deleted.0"), any(id))
	expect(t, "gone", c.ada(t, "get_schedules", fmt.Sprintf(`{"id":%q}`, id)).column("schedules", "id"), "")
}

func TestScheduleExpressions(t *testing.T) {
	c, _ := withSchedules(t)
	for _, tt := range []struct{ cron, refusal string }{
		{`0,50 9 * * *`, ""},
		{`55 23 * * *`, ""},
		{`0,50 0,23 * * 1`, ""},
		{`0 9 * * 7`, ""},
		{`0 9 * * 5-7`, ""},
		{`0 9 ? * 1`, ""},
		{`* * * * *`, "runs are 1 minutes apart"},
		{`*/10 * * * *`, "10 minutes"},
		{`0,55 * * * *`, "5 minutes"},
		{`0,50 0,23 * * 1,2`, "10 minutes"},
		{`0 0 30 2 *`, "the expression matches no date"},
		{`61 * * * *`, "not a valid cron expression"},
		{`@daily @daily`, "five fields"},
		{`TZ=UTC 0 9 * *`, "not a valid cron expression"},
	} {
		args := fmt.Sprintf(`{"schedules":[{"title":"x","instruction":"y","cron":%q}]}`, tt.cron)
		if tt.refusal == "" {
			c.ada(t, "create_schedules", args)
			continue
		}
		c.refuses(t, "ada", "create_schedules", args, gateway.CodeArguments, "schedules[0].cron", tt.refusal)
	}
}

func TestScheduleProblemsAreReportedTogether(t *testing.T) {
	c, _ := withSchedules(t)
	c.refuses(t, "ada", "create_schedules", `{"schedules":[
		{"title":"x","instruction":"y","cron":"0 9 * * *","timezone":"Mars/Olympus"},
		{"title":"x","instruction":"y","cron":"0 9 * * *","timezone":"Local"},
		{"title":"x","instruction":"y","cron":"0 9 1 6 *","ends_at":"2027-05-01T00:00:00Z"}]}`,
		gateway.CodeArguments, "schedules[0].timezone", "schedules[1].timezone", "schedules[2].ends_at")
}

func TestSchedulesAreLimited(t *testing.T) {
	c, _ := withSchedules(t)
	ten := `{"schedules":[` + strings.Repeat(`{"title":"x","instruction":"y","cron":"0 9 * * *"},`, 9) + `{"title":"x","instruction":"y","cron":"0 9 * * *"}]}`
	for range 49 {
		c.ada(t, "create_schedules", ten)
	}
	c.refuses(t, "ada", "create_schedules", ten, builtin.CodeFull, "limit is 500")
}
