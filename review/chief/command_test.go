package chief_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"toolcrib/internal/shortrun"
	"toolcrib/internal/visible"
	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/review/chief"
	"toolcrib/review/service"
	"toolcrib/store"
)

// asReviewer is the environment variable that makes the test binary act as a reviewer with the given behavior.
const asReviewer = "TOOLCRIB_TEST_REVIEWER"

func TestMain(m *testing.M) {
	if character := os.Getenv(asReviewer); character != "" {
		if character == "left" {
			os.Exit(left())
		}
		os.Exit(reviewer(character))
	}
	os.Exit(m.Run())
}

// reviewer acts as a reviewer: it answers the request on standard input.
func reviewer(character string) int {
	var request struct {
		Kind    string `json:"kind"`
		Content string `json:"content_hash"`
	}
	if err := json.NewDecoder(os.Stdin).Decode(&request); err != nil || request.Kind != "review.request" {
		fmt.Fprintln(os.Stderr, "no request")
		return 3
	}
	switch character {
	case "strict":
		fmt.Printf(`{"content_hash":%q,"recommendation":"reject","comment":"Never.","findings":[{"rule":"L101","severity":"block","path":"definition.prompt","message":"It is too vague."}]}`, request.Content)
	case "lenient":
		fmt.Print(`{"recommendation":"approve"}`)
	case "elsewhere":
		fmt.Printf(`{"content_hash":%q}`, strings.Repeat("0", 64))
	case "garbage":
		fmt.Print("I think it is fine.")
	case "unknown key":
		fmt.Print(`{"verdict":"approved"}`)
	case "endless":
		for range 2 << 10 {
			fmt.Print(strings.Repeat("x", 1<<10))
		}
	case "leaving":
		return leave()
	case "odd": // invalid UTF-8, an escape sequence, and a NUL
		fmt.Fprint(os.Stderr, "\x1b]0;owned\a\xff\x00\x9b2J")
		return 99
	case "flood":
		for {
			if _, err := fmt.Print(strings.Repeat("x", 1<<16)); err != nil {
				return 1
			}
		}
	case "slow":
		_, _ = io.Copy(io.Discard, os.Stdin)
		time.Sleep(10 * time.Minute) // until it is killed
	case "failing":
		fmt.Fprintln(os.Stderr, "the \x1b[31mbackend\x1b[0m is down")
		return 7
	}
	return 0
}

func command(t *testing.T, character string) chief.Command {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(asReviewer, character)
	return chief.Command{Label: "policy-bot", Args: []string{self}, Timeout: hanging}
}

// desk returns a desk with an external reviewer and a user.
func desk(t *testing.T, c review.Consultant) *service.Desk {
	t.Helper()
	newID := func() string { return uuid.Must(uuid.NewV7()).String() }
	db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "toolcrib.db"), store.Options{Now: time.Now, NewID: newID})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	d, err := service.New(db, review.Policy{Consultants: []review.Consultant{c}}, time.Now, newID)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

var user = proposals.Actor{Kind: proposals.User, Name: "mara"}

func propose(t *testing.T, d *service.Desk) proposals.Proposal {
	t.Helper()
	const text = `{"type":"new","subject":"tool:user/scene_pacer","baseVersion":0,"definition":{"id":"scene_pacer","kind":"prompt","name":"Scene Pacer",
		"scope":"file","usageNotes":"Use it on a scene.","goals":"Find what drags.","guardrails":"Change nothing.","prompt":"Name what drags.","approval":{"tier":"auto_approve"}},
		"rationale":"Needed every day.","examples":["Check the harbour scene","Check chapter two"],
		"testCases":[{"name":"named","input":"a scene","expect":"pass","output":"slow","checks":[{"type":"contains","value":"slow"}]},
		{"name":"not named","input":"a scene","expect":"fail","output":"fine","checks":[{"type":"contains","value":"slow"}]}]}`
	parsed, err := proposals.DecodeJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	made, err := d.Drafting.Propose(t.Context(), user, []proposals.Draft{parsed[0].Draft}, true)
	if err != nil {
		t.Fatal(err)
	}
	return made[0]
}

func TestReviewerAddsAndNeverRemoves(t *testing.T) {
	d := desk(t, command(t, "strict"))
	p := propose(t, d)
	if p.State != proposals.UserReview || p.Summary.Recommendation != proposals.RecommendReject || p.Summary.Blocks != 1 {
		t.Fatalf("%+v", p)
	}
	shown, err := d.Reading.Show(t.Context(), user, p.ID)
	if err != nil {
		t.Fatal(err)
	}
	f := shown.Standing[0]
	if f.Rule != "X001" || f.Message != "policy-bot: It is too vague." {
		t.Errorf("its finding passes for one of ours: %+v", f)
	}
	if !strings.Contains(shown.Assessment().Report.Comment, "policy-bot: Never.") {
		t.Errorf("its comment is lost: %s", shown.Assessment().Report.Comment)
	}
}

func TestReviewerCanOnlyLower(t *testing.T) {
	d := desk(t, command(t, "lenient"))
	if p := propose(t, d); p.Summary.Recommendation != proposals.RecommendApprove {
		t.Fatalf("%+v", p.Summary)
	}
}

func TestReviewerFails(t *testing.T) {
	tests := map[string]string{
		"elsewhere":   "other content",
		"garbage":     "invalid opinion",
		"unknown key": "unknown key",
		"endless":     "longer than",
		"failing":     "exit status 7",
		"odd":         "exit status 99: ⟨U+001B⟩]0;owned⟨U+0007⟩",
	}
	for character, want := range tests {
		t.Run(character, func(t *testing.T) { fails(t, command(t, character), want) })
	}
	t.Run("slow", func(t *testing.T) {
		c := command(t, "slow")
		c.Timeout = 300 * time.Millisecond
		fails(t, c, "within 300ms")
	})
	t.Run("flood", func(t *testing.T) {
		shortrun.NeedsLong(t)
		c := command(t, "flood")
		c.Timeout = 300 * time.Millisecond
		fails(t, c, "within 300ms")
	})
	t.Run("missing", func(t *testing.T) {
		fails(t, chief.Command{Label: "policy-bot", Args: []string{filepath.Join(t.TempDir(), "nobody")}}, "did not answer")
	})
}

// fails checks that an assessment is stored even if the reviewer fails, and that it describes the failure.
func fails(t *testing.T, c chief.Command, want string) {
	t.Helper()
	d := desk(t, c)
	p := propose(t, d)
	if p.State != proposals.UserReview {
		t.Fatalf("it is in %s", p.State)
	}
	shown, err := d.Reading.Show(t.Context(), user, p.ID)
	if err != nil {
		t.Fatal(err)
	}
	report := shown.Assessment().Report
	if len(report.Problems) != 1 || !strings.Contains(report.Problems[0], want) || !strings.Contains(report.Comment, "A reviewer failed") || !visible.Clean(report.Comment) {
		t.Errorf("want %q among %q in:\n%s", want, report.Problems, report.Comment)
	}
}

// asking is a consultant that calls a function when it is asked.
type asking func(review.Request)

func (asking) Name() string { return "policy-bot" }

func (a asking) Review(_ context.Context, r review.Request) (review.Opinion, error) {
	a(r)
	return review.Opinion{}, nil
}

func TestNothingIsApprovedWhileAReviewerIsAsked(t *testing.T) {
	var d *service.Desk
	asked := 0
	d = desk(t, asking(func(r review.Request) {
		asked++
		_, err := d.Deciding.Approve(t.Context(), user, []review.Choice{{ID: r.Proposal.ID}}, "")
		if !errors.Is(err, proposals.ErrState) {
			t.Errorf("approve answered %v", err)
		}
	}))
	if p := propose(t, d); p.State != proposals.UserReview || asked != 1 {
		t.Fatalf("%s after asking %d times", p.State, asked)
	}
}
