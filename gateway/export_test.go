package gateway

import "time"

// SetLogWithin sets how long a guarded call waits to be logged.
func (g *Gateway) SetLogWithin(d time.Duration) { g.logWithin = d }
