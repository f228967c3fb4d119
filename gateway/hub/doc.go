// Package hub runs tools on HTTP hubs. It posts each call to the address in the tool's approved definition.
package hub
