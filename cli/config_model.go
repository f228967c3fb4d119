package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"

	"toolcrib/review"
	"toolcrib/review/chief"
	"toolcrib/review/harness"
	"toolcrib/review/harness/openai"
)

// modelConfig selects the model that answers test cases without a recorded answer.
// Any server that speaks OpenAI's chat completions will do.
type modelConfig struct {
	BaseURL   string `toml:"base_url"` // such as "http://localhost:11434/v1"
	Name      string `toml:"name"`
	APIKeyEnv string `toml:"api_key_env"` // the variable that holds the key
	Timeout   string `toml:"timeout"`     // such as "60s"
	Retries   *int   `toml:"retries"`
}

// defaultRetries sets how often a model is asked again.
const defaultRetries = 2

// reviewerConfig is one reviewer beside the built-in Chief of Staff: a command,
// or a model. What a model lacks is taken from [model].
type reviewerConfig struct {
	Name      string   `toml:"name"` // how assessments call it
	Command   []string `toml:"command"`
	BaseURL   string   `toml:"base_url"`
	Model     string   `toml:"model"`
	APIKeyEnv string   `toml:"api_key_env"`
	Timeout   string   `toml:"timeout"`
	Retries   *int     `toml:"retries"`
}

// over returns the model of a reviewer, with missing settings from m. A key is
// only sent to the address that it was configured for.
func (r reviewerConfig) over(m modelConfig) modelConfig {
	if r.BaseURL != "" {
		m.BaseURL, m.APIKeyEnv = r.BaseURL, ""
	}
	m.Name, m.APIKeyEnv, m.Timeout, m.Retries = cmp.Or(r.Model, m.Name), cmp.Or(r.APIKeyEnv, m.APIKeyEnv), cmp.Or(r.Timeout, m.Timeout), cmp.Or(r.Retries, m.Retries)
	return m
}

// client makes the client of the model. The key is read from the environment
// now, so that it stands in no configuration.
func (m modelConfig) client(env Env) (*openai.Client, error) {
	c := openai.Config{BaseURL: m.BaseURL, Model: m.Name, Timeout: length(m.Timeout), Retries: defaultRetries}
	if m.Retries != nil {
		c.Retries = *m.Retries
	}
	if m.APIKeyEnv != "" {
		if c.APIKey = env.Getenv(m.APIKeyEnv); c.APIKey == "" {
			return nil, fmt.Errorf("%w: the API key is missing; set the environment variable %s", harness.ErrNotConnected, m.APIKeyEnv)
		}
	}
	return openai.New(c)
}

// check reports problems that show without a key and without a request.
func (m modelConfig) check(where string) error {
	if badLength(m.Timeout) {
		return fmt.Errorf("configuration: %s.timeout is %q; write a time such as \"60s\"", where, m.Timeout)
	}
	if m.Retries != nil && (*m.Retries < 0 || *m.Retries > openai.MaxRetries) {
		return fmt.Errorf("configuration: %s.retries is %d; write 0 to %d", where, *m.Retries, openai.MaxRetries)
	}
	switch {
	case m.BaseURL == "":
		return fmt.Errorf("configuration: %s.base_url is missing; write the address of a server, such as \"http://localhost:11434/v1\"", where)
	case m.Name == "":
		return fmt.Errorf("configuration: %s names no model", where)
	}
	return nil
}

func (c config) checkReviewers() error {
	if c.Model != (modelConfig{}) {
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
			return fmt.Errorf("configuration: there are two reviewers %s", r.Name)
		}
		names[r.Name] = true
		where := "reviewers." + r.Name
		if len(r.Command) == 0 {
			if err := r.over(c.Model).check(where); err != nil {
				return err
			}
			continue
		}
		if r.BaseURL != "" || r.Model != "" || r.APIKeyEnv != "" || r.Retries != nil {
			return fmt.Errorf("configuration: %s is a command and a model; write two reviewers", where)
		}
		// A path that depends on where toolcrib is run would run what lies there.
		if program := r.Command[0]; program == "" || strings.ContainsRune(program, filepath.Separator) && !filepath.IsAbs(program) {
			return fmt.Errorf("configuration: %s.command begins with %q; write an absolute path, or a name that is in PATH", where, program)
		}
		if badLength(r.Timeout) {
			return fmt.Errorf("configuration: %s.timeout is %q; write a time such as \"30s\"", where, r.Timeout)
		}
	}
	return nil
}

// list adds what doctor shows of them.
func (m modelConfig) list(values settingValues) {
	values["model"] = "not connected"
	if m != (modelConfig{}) {
		values["model"] = m.Name + " at " + m.BaseURL
	}
}

func (r reviewerConfig) word(m modelConfig) string {
	if len(r.Command) > 0 {
		return strings.Join(r.Command, " ")
	}
	m = r.over(m)
	return m.Name + " at " + m.BaseURL
}

// connect adds to a policy whom the configuration names: nobody is asked, and
// no client made, before there is something to ask.
func (c config) connect(p review.Policy, env Env) review.Policy {
	if c.Model != (modelConfig{}) {
		p.Model = &connection{client: sync.OnceValues(func() (harness.Model, error) { return c.Model.client(env) })}
	}
	for _, r := range c.Reviewers {
		if len(r.Command) == 0 {
			p.Consultants = append(p.Consultants, chief.Model{Label: r.Name, Connect: func() (harness.Model, error) { return r.over(c.Model).client(env) }})
			continue
		}
		p.Consultants = append(p.Consultants, chief.Command{Label: r.Name, Args: r.Command, Dir: env.Dir, Timeout: length(r.Timeout)})
	}
	return p
}

// connection is a model whose client is made when it is first asked.
type connection struct {
	client func() (harness.Model, error)
}

// Answer implements harness.Model.
func (c *connection) Answer(ctx context.Context, prompt, input string) (string, error) {
	model, err := c.client()
	switch {
	case errors.Is(err, harness.ErrNotConnected):
		return "", err
	case err != nil:
		return "", fmt.Errorf("%w: %w", harness.ErrNotConnected, err)
	}
	return model.Answer(ctx, prompt, input)
}
