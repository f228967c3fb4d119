// Package loader shows how a program loads an agent from toolcrib serve.
package loader

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
)

// kept is the last good copy.
type kept struct {
	Tag    string          `json:"tag"`
	Config json.RawMessage `json:"config"`
}

// Load returns the agent's tools and prompt: the last good copy while the server is
// away, none when it refuses.
func Load(client *http.Client, agent, copied string) ([]byte, error) {
	var last kept
	if text, err := os.ReadFile(copied); err == nil {
		_ = json.Unmarshal(text, &last) // what cannot be read is not a copy
	}
	r, err := http.NewRequest(http.MethodGet, os.Getenv("TOOLCRIB_URL")+"/v1/agents/"+agent+"/config?format=openai", nil) //nolint:noctx // the client has a time-out
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+os.Getenv("TOOLCRIB_TOKEN"))
	r.Header.Set("If-None-Match", last.Tag)
	answer, err := client.Do(r)
	if err == nil {
		defer answer.Body.Close() //nolint:errcheck // nothing is written
		fresh := kept{Tag: answer.Header.Get("ETag")}
		if answer.StatusCode >= 400 && answer.StatusCode < 500 {
			return nil, fmt.Errorf("toolcrib refused: %s", answer.Status)
		}
		if answer.StatusCode == http.StatusOK && json.NewDecoder(answer.Body).Decode(&fresh.Config) == nil {
			text, err := json.Marshal(fresh)
			if err != nil {
				return nil, err
			}
			return fresh.Config, os.WriteFile(copied, text, 0o600)
		}
	}
	if last.Config == nil {
		return nil, fmt.Errorf("toolcrib is away, and there is no copy: %w", err)
	}
	return last.Config, nil
}
