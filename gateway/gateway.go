package gateway

import (
	"errors"
	"maps"
	"time"

	"toolcrib/registry"
	"toolcrib/review"
)

// Config has the parts of a gateway.
type Config struct {
	Ledger    Ledger
	Index     Index // nil: nothing can be searched
	Providers map[registry.ProviderType]Provider

	Gate        Gate          // the eval gate; nil for none
	GateTimeout time.Duration // 0 means DefaultGateTimeout
	GateClosed  bool          // what the gate does not answer for does not run

	PendingFor time.Duration // how long a call waits for the user; 0 means DefaultPendingFor
	MaxPending int           // how many may wait for one agent and user; 0 means DefaultMaxPending
	MaxRefused int           // how many refused calls of an agent and user are written in an hour, the rest is counted; 0 means DefaultMaxRefused
	NoHints    bool          // the audit keeps no annotations
	RunFor     time.Duration // how long a provider may take; 0 means DefaultRunFor

	Signatures review.Signatures // of the user's answers and tiers

	Now   func() time.Time
	NewID func() string // a new UUIDv7
	Warn  func(string)  // gets warnings about calls that went on; may be nil
}

// Defaults of a Config.
const (
	DefaultGateTimeout = 2 * time.Second
	DefaultPendingFor  = 24 * time.Hour
	DefaultMaxPending  = 50
	DefaultMaxRefused  = 10_000
	DefaultRunFor      = time.Minute
)

// Gateway is the run time. It is safe for concurrent use.
type Gateway struct {
	ledger    Ledger
	index     Index
	providers map[registry.ProviderType]Provider

	gate        Gate
	gateTimeout time.Duration
	gateClosed  bool

	pendingFor, runFor time.Duration
	maxPending         int
	maxRefused         int
	noHints            bool
	signing            review.Signing

	now   func() time.Time
	newID func() string
	warn  func(string)

	late lateOutcomes

	toolsets cache[toolsetKey, *toolset]
	schemas  cache[string, *toolSchemas] // by content hash
}

// errConfig reports that a Config lacks what a gateway cannot do without.
var errConfig = errors.New("a gateway needs a ledger, a clock and a source of ids")

// New returns a gateway.
func New(c Config) (*Gateway, error) {
	if c.Ledger == nil || c.Now == nil || c.NewID == nil {
		return nil, errConfig
	}
	g := &Gateway{
		ledger: c.Ledger, index: c.Index, providers: maps.Clone(c.Providers),
		gate: c.Gate, gateTimeout: positive(c.GateTimeout, DefaultGateTimeout), gateClosed: c.GateClosed,
		pendingFor: positive(c.PendingFor, DefaultPendingFor), runFor: positive(c.RunFor, DefaultRunFor),
		maxPending: positive(c.MaxPending, DefaultMaxPending), maxRefused: positive(c.MaxRefused, DefaultMaxRefused), noHints: c.NoHints,
		signing: review.NewSigning(review.NewTrust(c.Signatures, nil), c.Now, c.NewID), now: c.Now, newID: c.NewID, warn: c.Warn,
	}
	if g.warn == nil {
		g.warn = func(string) {}
	}
	return g, nil
}

func positive[T time.Duration | int](v, fallback T) T {
	if v <= 0 {
		return fallback
	}
	return v
}

// stamp is the current time at the resolution that is stored: microseconds.
func (g *Gateway) stamp() time.Time { return g.now().UTC().Truncate(time.Microsecond) }
