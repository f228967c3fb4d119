// Package intake converts imported definitions to proposals. It compares a document that package wire has read
// with the live versions, and plans the proposals for new, changed, and missing definitions. Imported definitions
// go live only after they have been approved.
package intake
