package main

import (
	"os"

	"toolcrib/cli"
	"toolcrib/internal/gctune"
)

func main() { os.Exit(run()) }

func run() int { return cli.Run(gctune.DelayFirst()) }
