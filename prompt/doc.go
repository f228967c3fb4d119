// Package prompt turns an agent and its tools into the text that a channel gets.
// Previews, exports, run time, and the hashes of a review all use the same
// Renderer, so they have the same bytes.
//
// Rendering is a pure function of its Input: the time is handed in and nothing
// is read or written, but for the time zone database of package time.
package prompt
