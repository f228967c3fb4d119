package registry

// MaxChannelLength is the longest channel name in characters.
const MaxChannelLength = maxForm

// ValidChannel reports whether name has the form of a channel name: lower-case
// letters, digits and "_", a letter first, at most MaxChannelLength.
func ValidChannel(name string) bool {
	return madeOf(name, lower, lower+digits+"_")
}
