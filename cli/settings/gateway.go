// This file contains the settings for tool calls, models, and reviewers.

package settings

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"toolcrib/cli/process"
	"toolcrib/gateway"
	"toolcrib/gateway/evalgate"
	"toolcrib/gateway/hub"
	"toolcrib/review/harness"
	"toolcrib/review/harness/openai"
)

// gatewayConfig contains the settings for tool calls.
type gatewayConfig struct {
	Gate         []string               `toml:"gate"`            // eval gate: a program and its arguments
	GateURL      string                 `toml:"gate_url"`        // eval gate: its URL
	GateTokenEnv string                 `toml:"gate_token_env"`  // variable with the bearer token of the gate
	GateTimeout  string                 `toml:"gate_timeout"`    // such as "2s"
	GatePolicy   string                 `toml:"gate_policy"`     // "open" or "closed"
	PendingFor   string                 `toml:"pending_for"`     // time that a call waits for the user
	MaxPending   int                    `toml:"max_pending"`     // maximum number of waiting calls per agent and user
	MaxRefused   int                    `toml:"max_refused"`     // maximum number of rejected calls logged per hour, agent, and user
	LogHints     *bool                  `toml:"log_annotations"` // whether the audit log stores annotations; nil means yes
	RunFor       string                 `toml:"run_for"`         // time limit for each call of a provider
	HubTimeout   string                 `toml:"hub_timeout"`
	HubMaxBytes  int64                  `toml:"hub_max_bytes"`
	HubTokenEnv  map[string]string      `toml:"hub_token_env"` // variables with the bearer tokens of hubs, by host
	HubHeaders   map[string]hub.Headers `toml:"hub_headers"`   // by host
}

func (c gatewayConfig) check() error {
	for _, t := range []struct{ key, text string }{{"gate_timeout", c.GateTimeout}, {"hub_timeout", c.HubTimeout}, {"pending_for", c.PendingFor}, {"run_for", c.RunFor}} {
		if badLength(t.text) {
			return fmt.Errorf("configuration: gateway.%s is %q: use a duration such as \"30s\" or \"24h\"", t.key, t.text)
		}
	}
	switch {
	case c.GatePolicy != "" && c.GatePolicy != "open" && c.GatePolicy != "closed":
		return fmt.Errorf("configuration: gateway.gate_policy is %q: use open or closed", c.GatePolicy)
	case len(c.Gate) > 0 && c.GateURL != "":
		return errors.New("configuration: gateway.gate cannot be combined with gateway.gate_url")
	case len(c.Gate) > 0 && c.Gate[0] == "":
		return errors.New("configuration: gateway.gate begins with an empty string: use a program and its arguments")
	case c.GateURL == "" && c.GateTokenEnv != "":
		return errors.New("configuration: gateway.gate_token_env can only be used with gate_url; remove gate_token_env (a gate that is a program has to read its token itself)")
	case c.MaxPending < 0:
		return fmt.Errorf("configuration: gateway.max_pending must be at least 1 (got %d)", c.MaxPending)
	case c.MaxRefused < 0:
		return fmt.Errorf("configuration: gateway.max_refused must be at least 1 (got %d)", c.MaxRefused)
	case c.HubMaxBytes < 0 || c.HubMaxBytes > gateway.MaxOutput:
		return fmt.Errorf("configuration: gateway.hub_max_bytes must be between 1 and %d (got %d)", gateway.MaxOutput, c.HubMaxBytes)
	}
	for _, host := range slices.Sorted(maps.Keys(c.HubHeaders)) {
		if err := c.HubHeaders[host].Check(); err != nil {
			return fmt.Errorf("configuration: gateway.hub_headers.%q: %w", host, err)
		}
	}
	if c.GateURL != "" {
		if err := CheckEndpoint(c.GateURL, c.GateTokenEnv != ""); err != nil {
			return fmt.Errorf("configuration: gateway.gate_url %w", err)
		}
	}
	return nil
}

// Apply copies the settings to g.
func (c gatewayConfig) Apply(env process.Env, g *gateway.Config) {
	g.GateTimeout, g.PendingFor, g.RunFor = parseLength(c.GateTimeout), parseLength(c.PendingFor), parseLength(c.RunFor)
	g.MaxPending, g.MaxRefused, g.GateClosed = c.MaxPending, c.MaxRefused, c.GatePolicy == "closed"
	g.NoHints = c.LogHints != nil && !*c.LogHints
	switch {
	case len(c.Gate) > 0:
		g.Gate = evalgate.Command{Args: c.Gate, Dir: env.Dir}
	case c.GateURL != "":
		token := ""
		if c.GateTokenEnv != "" {
			token = env.Getenv(c.GateTokenEnv)
		}
		g.Gate = evalgate.NewHTTP(c.GateURL, token)
	}
}

// Hub returns the provider for tools that run at an HTTP address.
func (c gatewayConfig) Hub(env process.Env) *hub.Hub {
	tokens := map[string]string{}
	for host, variable := range c.HubTokenEnv {
		tokens[host] = env.Getenv(variable)
	}
	return hub.New(hub.Config{Timeout: parseLength(c.HubTimeout), MaxBytes: c.HubMaxBytes, Tokens: tokens, Headers: c.HubHeaders})
}

// callsConfig specifies how long calls remain in the log.
type callsConfig struct {
	Keep string `toml:"keep"` // how long calls are stored, such as "90d"; "" means no limit
}

func (c callsConfig) check() error {
	if age, err := ParseAge(c.Keep); c.Keep != "" && (err != nil || age < 24*time.Hour) {
		return fmt.Errorf("configuration: calls.keep is %q: use an age of at least a day, such as \"90d\"", c.Keep)
	}
	return nil
}

// ParseAge parses a duration, or a number of days such as "90d".
func ParseAge(text string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(text, "d"); ok {
		n, err := strconv.ParseUint(days, 10, 16)
		return time.Duration(n) * 24 * time.Hour, err
	}
	return time.ParseDuration(text)
}

// badLength reports whether text is invalid. Valid texts are "" and positive durations.
func badLength(text string) bool {
	d, err := time.ParseDuration(text)
	return text != "" && (err != nil || d <= 0)
}

// parseLength parses a valid duration. It returns 0 for "".
func parseLength(text string) time.Duration {
	d, _ := time.ParseDuration(text)
	return d
}

// ModelConfig selects the model for test cases that contain no recorded answer. The server of the model must implement
// the Chat Completions API of OpenAI.
type ModelConfig struct {
	BaseURL   string `toml:"base_url"` // such as "http://localhost:11434/v1"
	Name      string `toml:"name"`
	APIKeyEnv string `toml:"api_key_env"` // the environment variable with the API key
	Timeout   string `toml:"timeout"`     // such as "60s"
	Retries   *int   `toml:"retries"`
}

// defaultRetries is the default number of retries after a failed request to a model.
const defaultRetries = 2

// reviewerConfig is an additional reviewer besides the built-in Chief of Staff: a command or a model. The [model] table
// contains the defaults for the settings of a model.
type reviewerConfig struct {
	Name      string   `toml:"name"` // the name in assessments
	Command   []string `toml:"command"`
	BaseURL   string   `toml:"base_url"`
	Model     string   `toml:"model"`
	APIKeyEnv string   `toml:"api_key_env"`
	Timeout   string   `toml:"timeout"`
	Retries   *int     `toml:"retries"`
}

// withDefaults returns the model of a reviewer, with the settings in m as defaults. The API key in m is only used for
// the address in m.
func (r reviewerConfig) withDefaults(m ModelConfig) ModelConfig {
	if r.BaseURL != "" {
		m.BaseURL, m.APIKeyEnv = r.BaseURL, ""
	}
	m.Name, m.APIKeyEnv, m.Timeout, m.Retries = cmp.Or(r.Model, m.Name), cmp.Or(r.APIKeyEnv, m.APIKeyEnv), cmp.Or(r.Timeout, m.Timeout), cmp.Or(r.Retries, m.Retries)
	return m
}

// client returns a client for the model, with the API key from the environment.
func (m ModelConfig) client(env process.Env) (*openai.Client, error) {
	c := openai.Config{BaseURL: m.BaseURL, Model: m.Name, Timeout: parseLength(m.Timeout), Retries: *cmp.Or(m.Retries, new(defaultRetries))}
	if m.APIKeyEnv != "" {
		if c.APIKey = env.Getenv(m.APIKeyEnv); c.APIKey == "" {
			return nil, fmt.Errorf("%w: the API key is missing; set the environment variable %s", harness.ErrNotConnected, m.APIKeyEnv)
		}
	}
	return openai.New(c)
}

// check checks the settings without reading the API key or sending a request.
func (m ModelConfig) check(where string) error {
	if badLength(m.Timeout) {
		return fmt.Errorf("configuration: %s.timeout is %q: use a duration such as \"60s\"", where, m.Timeout)
	}
	if m.Retries != nil && (*m.Retries < 0 || *m.Retries > openai.MaxRetries) {
		return fmt.Errorf("configuration: %s.retries must be between 0 and %d (got %d)", where, openai.MaxRetries, *m.Retries)
	}
	switch {
	case m.BaseURL == "":
		return fmt.Errorf("configuration: %s.base_url is missing: use the address of a server, such as \"http://localhost:11434/v1\"", where)
	case m.Name == "":
		return fmt.Errorf("configuration: %s does not specify a model", where)
	}
	return nil
}

func (c Config) checkReviewers() error {
	if c.Model != (ModelConfig{}) {
		if err := c.Model.check("model"); err != nil {
			return err
		}
	}
	names := map[string]bool{}
	for i, r := range c.Reviewers {
		if strings.TrimSpace(r.Name) == "" {
			return fmt.Errorf("configuration: reviewers[%d] has no name", i)
		}
		if names[r.Name] {
			return fmt.Errorf("configuration: duplicate reviewer %s", r.Name)
		}
		names[r.Name] = true
		where := "reviewers." + r.Name
		if len(r.Command) == 0 {
			if err := r.withDefaults(c.Model).check(where); err != nil {
				return err
			}
			continue
		}
		if r.BaseURL != "" || r.Model != "" || r.APIKeyEnv != "" || r.Retries != nil {
			return fmt.Errorf("configuration: %s has both a command and a model; remove one, or configure another reviewer", where)
		}
		// Reject relative paths, because the working directory must not determine which program runs.
		if program := r.Command[0]; program == "" || strings.ContainsRune(program, filepath.Separator) && !filepath.IsAbs(program) {
			return fmt.Errorf("configuration: %s.command begins with %q: use an absolute path, or a name that is in PATH", where, program)
		}
		if badLength(r.Timeout) {
			return fmt.Errorf("configuration: %s.timeout is %q: use a duration such as \"30s\"", where, r.Timeout)
		}
	}
	return nil
}

// connection implements harness.Model. It creates the client on first use.
type connection func() (harness.Model, error)

// Answer implements harness.Model.
func (c connection) Answer(ctx context.Context, prompt, input string) (string, error) {
	model, err := c()
	switch {
	case errors.Is(err, harness.ErrNotConnected):
		return "", err
	case err != nil:
		return "", fmt.Errorf("%w: %w", harness.ErrNotConnected, err)
	}
	return model.Answer(ctx, prompt, input)
}
