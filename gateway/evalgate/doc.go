// Package evalgate asks an eval gate about calls: a program, or an address. The
// question and the answer are the same JSON for both.
package evalgate
