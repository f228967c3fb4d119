package main

import (
	"os"

	"toolcrib/cli"
	"toolcrib/internal/gctune"
)

func main() { os.Exit(run()) }

func run() int {
	env := cli.System()
	env.RestoreGC = gctune.DelayFirst()
	return cli.Run(env)
}
