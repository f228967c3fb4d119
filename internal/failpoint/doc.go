// Package failpoint names the moments between two steps of what must survive
// a crash: an approval, the publishing of files, a migration. In the program
// as it ships a point is nothing, not even a call. Built with the tag
// failpoint, the process kills itself at the point that the environment names,
// which is how bench/crash puts a crash exactly there.
package failpoint

// Variable is the environment variable that names the point to die at, and
// behind "@" which passing of it, counted from 1: "statement@3".
const Variable = "TOOLCRIB_FAILPOINT"
