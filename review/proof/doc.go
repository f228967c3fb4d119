// Package proof verifies the signatures that the live registry depends on: those of decisions, waivers, and tiers, the
// signers whose signatures are valid, and the log of their states. It does not depend on the review process.
package proof
