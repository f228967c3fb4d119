// Package loader shows how a program loads an agent from toolcrib serve.
package loader

import (
	"io"
	"net/http"
	"os"
)

// Load returns the agent's tools and prompt; the last good copy while the server is away.
func Load(client *http.Client, agent, copied string) ([]byte, error) {
	r, err := http.NewRequest(http.MethodGet, os.Getenv("TOOLCRIB_URL")+"/v1/agents/"+agent+"/config?format=openai", nil) //nolint:noctx // the client has a time-out
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+os.Getenv("TOOLCRIB_TOKEN"))
	answer, err := client.Do(r)
	if err != nil {
		return os.ReadFile(copied) // away
	}
	defer answer.Body.Close() //nolint:errcheck // nothing is written
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		return os.ReadFile(copied) // cut off, or refused
	}
	return text, os.WriteFile(copied, text, 0o600)
}
