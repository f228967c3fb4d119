package cli_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"

	"github.com/rogpeppe/go-internal/testscript"
)

// startHub starts a hub for the tools of a script and returns its address. It returns its input. With the inputs
// {"fail": CODE}, it fails with CODE or with a status, and with "ASK", it waits for its own approval.
func startHub(env *testscript.Env) string {
	hub := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var call struct {
			Inputs struct {
				Fail string `json:"fail"`
			} `json:"inputs"`
		}
		answer := map[string]any{"success": true, "result": map[string]any{"posted": json.RawMessage(body), "authorization": r.Header.Get("Authorization")}}
		if err := json.Unmarshal(body, &call); err != nil || call.Inputs.Fail != "" {
			answer = map[string]any{"success": false, "error": map[string]any{"code": call.Inputs.Fail, "message": "It did not work.", "details": map[string]any{"why": "asked to"}}}
		}
		switch call.Inputs.Fail {
		case "ASK": // waits for its own approval
			answer = map[string]any{"success": true, "requires_approval": true, "approval_request_id": "ap1", "message": "Ask the harbour master.", "result": map[string]any{}}
		case "401", "503":
			status, _ := strconv.Atoi(call.Inputs.Fail)
			w.WriteHeader(status)
			return
		}
		_ = json.NewEncoder(w).Encode(answer)
	}))
	env.Defer(hub.Close)
	return hub.URL
}

// hub starts a hub that responds with the result of answer, and returns its address.
func (c testDB) hub(answer func(body string) string) string {
	hub := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		_, _ = io.WriteString(w, answer(string(body)))
	}))
	c.t.Cleanup(hub.Close)
	return hub.URL
}
