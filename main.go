package main

import (
	"os"

	"toolcrib/cli"
)

func main() { os.Exit(run()) }

func run() int {
	env := cli.System()
	env.Settle = collectLate()
	return cli.Run(env)
}
