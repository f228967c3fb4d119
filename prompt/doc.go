// Package prompt renders an agent and its tools into the text for a channel.
// Previews, exports, run time, and review hashes all use the same Renderer, so they
// have the same bytes.
//
// Rendering is a pure function of its Input, which includes the time. The only
// external data is the time zone database of package time.
package prompt
