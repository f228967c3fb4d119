// Package proposals defines proposals with their immutable revisions, the template
// that authors fill in and its file formats, states and transitions, issues and
// comments, and actors with their authority.
//
// It neither decides nor stores anything; see packages review and store.
package proposals
