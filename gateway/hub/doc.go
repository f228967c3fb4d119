// Package hub runs tools by posting calls to an HTTP hub, at the address in the tool's approved definition.
package hub
