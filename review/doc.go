// Package review defines the types that all parts of the review service share: the dossier, the findings, and the
// assessment of a proposal, the policy of a team, the errors, and the interfaces of the storage. Package service
// assembles the parts that draft, assess, show, and decide proposals.
package review
