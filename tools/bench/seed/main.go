// Command seed writes a generated database for measurements: tools that were
// proposed and approved, proposals that wait, and further versions.
//
//	go run ./tools/bench/seed -tools 100000 -waiting 10000 /tmp/crowd.db
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"toolcrib/store/storetest"
	"toolcrib/tools/bench/program"
)

func main() {
	var c storetest.Crowd
	flag.IntVar(&c.Tools, "tools", 10_000, "live tools, each from an approved proposal")
	flag.IntVar(&c.Waiting, "waiting", 1_000, "proposals that wait for a decision")
	flag.IntVar(&c.Versions, "versions", 0, "further versions of the tools")
	flag.Parse()
	if err := seed(c, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "seed:", err)
		os.Exit(1)
	}
}

func seed(c storetest.Crowd, args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("name one file that is to be written")
	}
	return program.Fill(context.Background(), args[0], c)
}
