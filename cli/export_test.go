package cli

import (
	"strings"

	"toolcrib/cli/server"
)

// Offers returns the available commands over SSH with their flags, or nil for commands that are not available.
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
