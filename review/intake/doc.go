// Package intake converts imported definitions to proposals: it compares a document of package wire with the live
// versions and reports new, changed, and missing definitions. None goes live before it is approved.
package intake
