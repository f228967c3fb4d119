// Package review has the types of the review service: the dossier, findings, and
// assessment of a proposal, the policy of a team, the errors, and the storage that the
// service needs. Package service puts the parts together that draft, assess, show, and
// decide.
package review
