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
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return cli.Main(ctx, cli.System())
}
