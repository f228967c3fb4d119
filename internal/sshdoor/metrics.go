package sshdoor

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
)

// metrics are counts for Prometheus.
type metrics struct {
	mu                             sync.Mutex
	connections, refused, sessions int64
	outcomes                       map[string]int64
}

func (m *metrics) add(to *int64, n int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	*to += n
}

func (m *metrics) outcome(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.outcomes[name]++
}

// WriteMetrics writes the counts in the text format of Prometheus.
func (s *Server) WriteMetrics(w io.Writer) {
	m := &s.metrics
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, c := range []struct {
		name, kind, help string
		value            int64
	}{
		{"toolcrib_ssh_connections_total", "counter", "Connections over SSH, authenticated or not.", m.connections},
		{"toolcrib_ssh_keys_refused_total", "counter", "Keys that nobody may log in with.", m.refused},
		{"toolcrib_ssh_sessions", "gauge", "Open sessions over SSH.", m.sessions},
	} {
		fmt.Fprintf(w, "# HELP %s %s\n# TYPE %s %s\n%s %d\n", c.name, c.help, c.name, c.kind, c.name, c.value)
	}
	fmt.Fprintf(w, "# HELP toolcrib_ssh_sessions_total Sessions over SSH by how they ended.\n# TYPE toolcrib_ssh_sessions_total counter\n")
	for _, name := range slices.Sorted(maps.Keys(m.outcomes)) {
		fmt.Fprintf(w, "toolcrib_ssh_sessions_total{outcome=%q} %d\n", name, m.outcomes[name])
	}
}
