// Package proof verifies the signatures of decisions, waivers, and tiers that the live registry depends on. It
// determines which signers are valid and records their states in a log. It does not depend on the other parts of the
// review service, except for the package approval.
package proof
