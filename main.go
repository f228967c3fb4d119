// Command toolcrib is a review system for the text that controls AI agents. Package cli implements the command.
package main

import (
	"os"

	"toolcrib/cli"
	"toolcrib/internal/gctune"
)

func main() { os.Exit(cli.Run(gctune.DelayFirst())) }
