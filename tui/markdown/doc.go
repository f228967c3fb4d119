// Package markdown renders Markdown with Glamour. The Markdown is untrusted, so package visible first sanitizes
// it. Escape sequences, entities, comments, and links are shown as they are written. A text is also shown as it
// is written if rendering would omit any of its letters. The user therefore always sees the whole text.
package markdown
