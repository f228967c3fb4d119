package registry

import "regexp"

// MaxChannelLength is the longest channel name in characters.
const MaxChannelLength = 64

var channelPattern = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// ValidChannel reports whether name has the form of a channel name: lower-case
// letters, digits and "_", a letter first, at most MaxChannelLength.
func ValidChannel(name string) bool {
	return len(name) <= MaxChannelLength && channelPattern.MatchString(name)
}
