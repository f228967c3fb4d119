package cli

import (
	"strings"

	"toolcrib/cli/server"
)

// Offers returns what a door offers: the flags of each command that it offers, nil for
// those that it refuses.
func Offers() map[string][]string {
	all := map[string][]string{}
	for name, o := range server.Offers() {
		all[name] = nil
		for _, flag := range strings.Fields(o.Flags) {
			all[name] = append(all[name], strings.TrimSuffix(flag, "-"))
		}
	}
	return all
}
