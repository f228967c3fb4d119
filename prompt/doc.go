// Package prompt renders the prompt of an agent and its tools for a channel.
// Previews, exports, agents at run time, and review hashes all use the same
// Renderer, which makes their prompts equal byte for byte.
//
// Rendering is a pure function of an Input, which includes the time. The only
// other data that it reads is the time zone database, through package time.
package prompt
