// Package proof verifies the signatures of decisions, waivers, and tiers on which the live registry depends. It
// determines which signers are valid and keeps the log of their states. It does not depend on the other parts of the
// review service, except for the package approval.
package proof
