// Package review defines the types of the review service: the dossier, findings, and assessment of a proposal, the
// policy of a team, the errors, and the storage that the service needs. Package service assembles the parts that draft,
// assess, show, and decide.
package review
