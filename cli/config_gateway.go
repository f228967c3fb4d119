package cli

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"toolcrib/gateway"
	"toolcrib/gateway/evalgate"
	"toolcrib/gateway/hub"
)

// gatewayConfig is how calls of tools are run. It stands in the user's own file
// only.
type gatewayConfig struct {
	Gate         []string               `toml:"gate"`            // the eval gate: a program and its arguments
	GateURL      string                 `toml:"gate_url"`        // or an address
	GateTokenEnv string                 `toml:"gate_token_env"`  // the variable that holds the gate's bearer token
	GateTimeout  string                 `toml:"gate_timeout"`    // such as "2s"
	GatePolicy   string                 `toml:"gate_policy"`     // "open" or "closed"
	PendingFor   string                 `toml:"pending_for"`     // how long a call waits for the user
	MaxPending   int                    `toml:"max_pending"`     // how many wait for one agent and user
	MaxRefused   int                    `toml:"max_refused"`     // how many refused calls of an agent and user are written in an hour
	LogHints     *bool                  `toml:"log_annotations"` // whether the audit keeps the annotations of tools; by default it does
	RunFor       string                 `toml:"run_for"`         // how long a provider may take
	HubTimeout   string                 `toml:"hub_timeout"`
	HubMaxBytes  int64                  `toml:"hub_max_bytes"`
	HubTokenEnv  map[string]string      `toml:"hub_token_env"` // by host, the variables that hold the hubs' bearer tokens
	HubHeaders   map[string]hub.Headers `toml:"hub_headers"`   // by host
}

// times are the settings that are written as durations.
func (c gatewayConfig) times() map[string]string {
	return map[string]string{"gate_timeout": c.GateTimeout, "pending_for": c.PendingFor, "run_for": c.RunFor, "hub_timeout": c.HubTimeout}
}

func (c gatewayConfig) check() error {
	for _, key := range slices.Sorted(maps.Keys(c.times())) {
		if text := c.times()[key]; badLength(text) {
			return fmt.Errorf("configuration: gateway.%s is %q; write a time such as \"30s\" or \"24h\"", key, text)
		}
	}
	switch {
	case c.GatePolicy != "" && c.GatePolicy != "open" && c.GatePolicy != "closed":
		return fmt.Errorf("configuration: gateway.gate_policy is %q; write open or closed", c.GatePolicy)
	case len(c.Gate) > 0 && c.GateURL != "":
		return errors.New("configuration: gateway has both gate and gate_url; keep one")
	case len(c.Gate) > 0 && c.Gate[0] == "":
		return errors.New("configuration: gateway.gate names no program")
	case c.GateURL == "" && c.GateTokenEnv != "":
		return errors.New("configuration: gateway.gate_token_env is for gate_url; a program finds its own secrets")
	case c.MaxPending < 0:
		return fmt.Errorf("configuration: gateway.max_pending is %d; write 1 or more", c.MaxPending)
	case c.MaxRefused < 0:
		return fmt.Errorf("configuration: gateway.max_refused is %d; write 1 or more", c.MaxRefused)
	case c.HubMaxBytes < 0 || c.HubMaxBytes > gateway.MaxOutput:
		return fmt.Errorf("configuration: gateway.hub_max_bytes is %d; write 1 to %d", c.HubMaxBytes, gateway.MaxOutput)
	}
	for _, host := range slices.Sorted(maps.Keys(c.HubHeaders)) {
		if err := c.HubHeaders[host].Check(); err != nil {
			return fmt.Errorf("configuration: gateway.hub_headers.%q: %w", host, err)
		}
	}
	if c.GateURL != "" {
		if err := checkEndpoint(c.GateURL, c.GateTokenEnv != ""); err != nil {
			return fmt.Errorf("configuration: gateway.gate_url %w", err)
		}
	}
	return nil
}

// list adds the settings to the values that doctor shows.
func (c gatewayConfig) list(values settingValues) {
	for key, value := range c.times() {
		values.set("gateway."+key, value)
	}
	values.set("gateway.gate", strings.Join(c.Gate, " "))
	values.set("gateway.gate_url", c.GateURL)
	values.set("gateway.gate_token_env", c.GateTokenEnv)
	values.set("gateway.gate_policy", c.GatePolicy)
	if c.MaxPending > 0 {
		values["gateway.max_pending"] = itoa(c.MaxPending)
	}
	if c.MaxRefused > 0 {
		values["gateway.max_refused"] = itoa(c.MaxRefused)
	}
	if c.LogHints != nil {
		values["gateway.log_annotations"] = strconv.FormatBool(*c.LogHints)
	}
	if c.HubMaxBytes > 0 {
		values["gateway.hub_max_bytes"] = itoa(int(c.HubMaxBytes))
	}
	for host, variable := range c.HubTokenEnv {
		values[toml.Key{"gateway", "hub_token_env", host}.String()] = variable
	}
	for host, headers := range c.HubHeaders {
		for name, value := range headers {
			values[toml.Key{"gateway", "hub_headers", host, name}.String()] = value
		}
	}
}

// apply sets what the configuration says of gates and times.
func (c gatewayConfig) apply(env Env, g *gateway.Config) {
	g.GateTimeout, g.PendingFor, g.RunFor = length(c.GateTimeout), length(c.PendingFor), length(c.RunFor)
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

// hub returns the provider of tools that run at an address.
func (c gatewayConfig) hub(env Env) *hub.Hub {
	tokens := map[string]string{}
	for host, variable := range c.HubTokenEnv {
		tokens[host] = env.Getenv(variable)
	}
	return hub.New(hub.Config{Timeout: length(c.HubTimeout), MaxBytes: c.HubMaxBytes, Tokens: tokens, Headers: c.HubHeaders})
}

// badLength reports whether a time is there and cannot be meant.
func badLength(text string) bool {
	d, err := time.ParseDuration(text)
	return text != "" && (err != nil || d <= 0)
}

// length reads a time that was checked; "" is none.
func length(text string) time.Duration {
	d, _ := time.ParseDuration(text)
	return d
}
