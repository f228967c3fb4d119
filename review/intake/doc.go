// Package intake converts imported definitions to proposals. It compares a document of package wire with the live
// versions, and reports new, changed, and missing definitions. Imported definitions go live only after approval.
package intake
