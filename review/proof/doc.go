// Package proof checks who signed the decisions on which the live registry rests: the
// signatures of decisions, waivers and tiers, the signers whose signatures count, and
// the log of their states. It knows nothing of how a proposal comes to a decision.
package proof
