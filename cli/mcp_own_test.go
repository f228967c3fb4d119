package cli_test

import (
	"encoding/json"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"toolcrib/internal/shortrun"
)

// TestMCPOwnProposals lets an agent submit, comment on, rebase, and withdraw its own proposals, but not those of others
// (X8).
func TestMCPOwnProposals(t *testing.T) {
	shortrun.OneGoroutine(t)
	for _, revision := range revisions {
		t.Run(revision, func(t *testing.T) {
			c := newTestDB(t)
			options := &sdk.ClientSessionOptions{ProtocolVersion: revision}
			own, other := c.serve(options, "own", "--as", "agent:own"), c.serve(options, "other", "--as", "agent:other")
			draft := sample(t, "kept_pacer")
			draft["draft"] = true
			kept := own.done("propose_tool", draft)["proposal"].(map[string]any)
			if kept["state"] != "draft" {
				t.Fatalf("%v", kept)
			}
			id := map[string]any{"id": kept["id"]}
			for _, act := range []string{"submit_proposal", "withdraw_proposal"} {
				if code, message := other.refused(act, id); code != "not_allowed" || !strings.Contains(message, "only its own") {
					t.Errorf("%s of another's proposal: %s: %s", act, code, message)
				}
			}
			if p := own.done("submit_proposal", id)["proposal"].(map[string]any); p["state"] != "user_review" || p["issue"] != float64(1) {
				t.Errorf("submitted: %v", p)
			}
			said := own.done("comment_proposal", map[string]any{"id": "#1", "body": "The goals are short on purpose.", "field": "definition.goals", "line": 1})["comment"].(map[string]any)
			if said["author"] != "agent:own" || said["field"] != "definition.goals" {
				t.Errorf("said: %v", said)
			}
			if code, _ := own.refused("comment_proposal", map[string]any{"id": "#1", "body": "Where?", "field": "definition.nothing"}); code != "not_found" {
				t.Error(code)
			}
			if code, message := own.refused("comment_proposal", id); code != "malformed" || !strings.Contains(message, "body") {
				t.Errorf("%s: %s", code, message)
			}

			// another approval makes the proposal stale; its author rebases it
			c.run("approve", "#1")
			change := sample(t, "kept_pacer")
			change["type"], change["baseVersion"] = "modify", 1
			change["definition"].(map[string]any)["goals"] = "Name the slow passages, and say why."
			mine := own.done("propose_tool", change)["proposal"].(map[string]any)
			change["definition"].(map[string]any)["goals"] = sample(t, "kept_pacer")["definition"].(map[string]any)["goals"]
			change["definition"].(map[string]any)["guardrails"] = "Change no file, and rename none."
			other.done("propose_tool", change)
			c.run("approve", "#3")
			id = map[string]any{"id": mine["id"]}
			if code, _ := other.refused("rebase_proposal", id); code != "not_allowed" {
				t.Errorf("another's proposal was renewed: %s", code)
			}
			if p := own.done("rebase_proposal", id)["proposal"].(map[string]any); p["revision"] != float64(2) || p["base_version"] != float64(2) || p["stale"] == true {
				t.Errorf("renewed: %v", p)
			}
			if p := own.done("withdraw_proposal", map[string]any{"id": mine["id"], "note": "Not needed."})["proposal"].(map[string]any); p["state"] != "withdrawn" {
				t.Errorf("withdrawn: %v", p)
			}
			c.run("verify")
		})
	}
}

// TestMCPServesTheWholePrompt checks that an agent receives its prompt with the stored data of its user, equal to a
// preview byte for byte (C10).
func TestMCPServesTheWholePrompt(t *testing.T) {
	c := newTestDB(t)
	c.write("runner.json", strings.Replace(runnerProposal("get_tasks", "create_memories"), `"soul"`,
		`"promptTemplate":"# For $identity\n$user_instructions\n\n## Notes\n$memory_notes\n\n## Tools\n$tool_catalog\n\n## Channel\n$channel_guidance","channelGuidance":{"web":"Tables.","telegram":"Short."},"soul"`, 1))
	c.run("propose", "runner.json")
	c.approveAll()
	cl := c.serve(nil, "app", "--agent", "runner", "--user", "ada")
	cl.done("execute_tool", map[string]any{"name": "create_memories", "args": map[string]any{"content": "Likes boats."}})
	for _, channel := range []string{"", "web", "telegram"} {
		params := &sdk.GetPromptParams{Name: "agent-prompt"}
		if channel != "" {
			params.Arguments = map[string]string{"channel": channel}
		} else {
			channel = "web"
		}
		got, err := cl.GetPrompt(t.Context(), params)
		if err != nil {
			t.Fatal(err)
		}
		var shown struct{ Text string }
		if err := json.Unmarshal([]byte(c.run("preview", "--agent", "runner", "--channel", channel, "--user", "ada", "--json")), &shown); err != nil {
			t.Fatal(err)
		}
		if text := got.Messages[0].Content.(*sdk.TextContent).Text; text != shown.Text || !strings.Contains(text, "- Likes boats.") {
			t.Errorf("%s: it serves\n%s\nand shows\n%s", channel, text, shown.Text)
		}
	}
	if other := c.run("preview", "--agent", "runner", "--channel", "web"); strings.Contains(other, "boats") {
		t.Errorf("somebody else gets the notes of ada: %s", other)
	}
}

// TestMCPHandsOnTheHubsAnswer checks that an agent is informed that a hub waits for its own approval, with all data
// from the hub (C2), and that the agent's statement about the call is passed to the hub (C9).
func TestMCPHandsOnTheHubsAnswer(t *testing.T) {
	c := newTestDB(t)
	var posted string
	url := c.hub(func(body string) string {
		posted = body
		return `{"success":true,"requires_approval":true,"approval_request_id":"ap1","message":"Ask Bob.","eta":7,"result":{}}`
	})
	c.write("hub.json", `{"type":"new","subject":"tool:user/archive_notes","baseVersion":0,"definition":{"id":"archive_notes","kind":"action","name":"Archive notes",
		"scope":"project","description":"Archives a note.","category":"other","approval":{"tier":"auto_approve"},
		"inputSchema":{"type":"object","properties":{"text":{"type":"string","description":"the note"}}},"provider":{"type":"http","url":"`+url+`"}},
		"rationale":"Notes pile up.","examples":["Archive the first note.","Archive the second note."],
		"testCases":[{"name":"done","input":"a","expect":"pass","output":"done","checks":[{"type":"contains","value":"done"}]},
			{"name":"not done","input":"b","expect":"fail","output":"no","checks":[{"type":"contains","value":"done"}]}]}`)
	c.write("runner.json", runnerProposal("archive_notes"))
	c.run("propose", "hub.json")
	c.run("propose", "runner.json")
	c.approveAll()
	cl := c.serve(nil, "app", "--agent", "runner")
	out, failed := cl.call("execute_tool", map[string]any{
		"name": "archive_notes", "args": map[string]any{"text": "a"}, "call_context": map[string]any{"mission_id": "m1", "user_message": "Archive it.", "confidence": 0.25},
	})
	fault, _ := out["error"].(map[string]any)
	answer, _ := fault["answer"].(map[string]any)
	if !failed || fault["code"] != "provider_approval_required" || fault["approval_request_id"] != "ap1" || answer["eta"] != float64(7) || answer["message"] != "Ask Bob." {
		t.Errorf("the agent is told %v", out)
	}
	if !strings.Contains(posted, `"mission_id":"m1"`) || !strings.Contains(posted, `"said":{"confidence":0.25,"user_message":"Archive it."}`) {
		t.Errorf("the hub is told %s", posted)
	}
	if code, message := cl.refused("execute_tool", map[string]any{"name": "archive_notes", "call_context": map[string]any{"mission": "m1"}}); code != "malformed" || !strings.Contains(message, "call_context.mission") {
		t.Errorf("%s: %s", code, message)
	}
}
