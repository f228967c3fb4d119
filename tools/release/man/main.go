// Command man writes the manual pages of a release into a folder. The pages contain the date of the last
// commit, so the same checkout always produces the same bytes.
//
//	go run ./tools/release/man DIR EPOCH
package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"toolcrib/cli"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "man:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 2 {
		return fmt.Errorf("write the folder and the seconds since 1970 of the date")
	}
	epoch, err := strconv.ParseInt(args[1], 10, 64)
	if err != nil {
		return err
	}
	root, date := cli.Commands(), time.Unix(epoch, 0).UTC()
	root.DisableAutoGenTag = true
	for _, c := range append(descendants(root), root) {
		c.Long = asMarkdown(c.Long)
	}
	return doc.GenManTree(root, &doc.GenManHeader{Title: "TOOLCRIB", Section: "1", Source: "toolcrib", Manual: "toolcrib manual", Date: &date}, args[0])
}

func descendants(c *cobra.Command) []*cobra.Command {
	all := c.Commands()
	for _, sub := range c.Commands() {
		all = append(all, descendants(sub)...)
	}
	return all
}

// asMarkdown returns a help text as Markdown for the manual pages: indented lines
// keep their breaks, and no character acts as markup.
func asMarkdown(text string) string {
	var b strings.Builder
	indented := false
	for line := range strings.Lines(text) {
		if is := strings.HasPrefix(line, "  ") && (indented || strings.TrimSpace(line) != ""); is != indented {
			b.WriteString("\n")
			indented = is
		}
		if indented {
			b.WriteString("    " + line)
			continue
		}
		b.WriteString(strings.NewReplacer(`*`, `\*`, `_`, `\_`, `[`, `\[`, `]`, `\]`, `<`, `&lt;`, `#`, `\#`, "`", "\\`").Replace(line))
	}
	return b.String()
}
