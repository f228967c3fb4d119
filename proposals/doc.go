// Package proposals defines proposals, their states, and their immutable revisions. It
// also defines the template that authors fill in, the file formats of the template,
// issues and comments, and the authority of actors.
//
// The package does not decide about proposals or store them; see packages review and
// store.
package proposals
