// Package proof verifies the signatures behind the live registry: those of decisions, waivers, and tiers, the signers
// whose signatures are valid, and the log of their states. It is independent of the review process.
package proof
