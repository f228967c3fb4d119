package names

import (
	"testing"

	"toolcrib/review/rules/rulestest"
)

// TestPluralResources checks N102 with the declared nouns: mass nouns have no plural (R11).
func TestPluralResources(t *testing.T) {
	for id, want := range map[string]int{
		"get_invoice": 1, "get_invoices": 0, "get_weather": 0, "search_news": 0, "get_traffic": 0, "update_inventory": 0, "get_context": 0, "get_city_weather": 0, "get_address": 1,
	} {
		if found := rulestest.Check(t, ownToolRule("N102", checkPlural), rulestest.Example{Draft: rulestest.Action(id)}); len(found) != want {
			t.Errorf("%s: %+v", id, found)
		}
	}
}
