// Package prompt turns an agent and its tools into the text that a channel
// gets. A preview, an export, what is served at run time and the hashes of a
// review all come out of the same Renderer, so they are the same bytes.
//
// Rendering is a pure function of its Input: the time is handed in and nothing
// is read or written, but for the time zone database of package time.
package prompt
