package gateway_test

import (
	"slices"
	"testing"
	"time"

	"toolcrib/registry"
)

// BenchmarkExecute calls a provider that does nothing, through every gate and with both log entries. Its median is
// the overhead of the gateway.
func BenchmarkExecute(b *testing.B) {
	for name, change := range map[string]func(*registry.Tool){"plain": nil, "limited": limitedTo(0, 1_000_000_000)} {
		b.Run(name, func(b *testing.B) {
			w := open(b, nil, action("get_weather", change))
			took := make([]time.Duration, 0, 1<<14)
			for b.Loop() {
				began := time.Now()
				if _, err := w.Execute(b.Context(), caller(), request("get_weather", `{"city":"Kiel"}`)); err != nil {
					b.Fatal(err)
				}
				took = append(took, time.Since(began))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds()), "µs/median")
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "µs/p99")
		})
	}
}

// BenchmarkSearch searches the tools of one agent.
func BenchmarkSearch(b *testing.B) {
	w := open(b, nil, action("get_weather", nil), action("get_climate", nil), action("create_notes", nil))
	for b.Loop() {
		if _, err := w.Search(b.Context(), caller(), "weather of a city", 10); err != nil {
			b.Fatal(err)
		}
	}
}
