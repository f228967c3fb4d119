package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"toolcrib/cli"
)

func main() { os.Exit(run()) }

func run() int {
	env := cli.System()
	env.Settle = collectLate()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return cli.Main(ctx, env)
}
