// Package bench batters the whole program: real processes, real files, real
// kills. Its tests are short by default; the environment variables named in
// them ask for more.
package bench
