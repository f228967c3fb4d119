package scan

import "strings"

// comments returns the bytes of HTML comments and of Markdown link definitions
// used as comments ("[//]: # (…)", "[comment]: <> (…)"): text that a rendered
// page does not show. An HTML comment without an end runs to the end of text.
func comments(text string) [][2]int {
	var found [][2]int
	for i := 0; ; {
		k := strings.Index(text[i:], "<!--")
		if k < 0 {
			break
		}
		start, end := i+k, len(text)
		if n := strings.Index(text[start+4:], "-->"); n >= 0 {
			end = start + 4 + n + 3
		}
		found = append(found, [2]int{start, end})
		i = end
	}
	for _, opener := range []string{"[//]: ", "[comment]: ", "[_]: ", "[]: "} {
		for i := 0; ; {
			k := strings.Index(text[i:], opener)
			if k < 0 {
				break
			}
			start := i + k
			end := len(text)
			if n := strings.IndexByte(text[start:], '\n'); n >= 0 {
				end = start + n
			}
			found = append(found, [2]int{start, end})
			i = end
		}
	}
	return found
}
