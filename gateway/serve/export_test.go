package serve

import (
	"reflect"
	"strings"

	"toolcrib/gateway/follow"
	"toolcrib/gateway/mcp"
)

// Route is a route in a form that tests can compare.
type Route struct {
	Method, Pattern string
	Query           []string
	Open            bool
}

// Routes returns the routes of a server.
func Routes() []Route {
	var all []Route
	for _, r := range (&Server{}).table() {
		all = append(all, Route{r.method, strings.ReplaceAll(r.pattern, "...}", "}"), r.query, r.open})
	}
	return all
}

// Documents returns the types of the schemas in openapi.json, by name.
func Documents() map[string]reflect.Type {
	return map[string]reflect.Type{
		"Call": reflect.TypeFor[docCall](), "Catalog": reflect.TypeFor[docCatalog](), "Config": reflect.TypeFor[docConfig](),
		"Definition": reflect.TypeFor[Definition](), "Reports": reflect.TypeFor[docReports](), "Reported": reflect.TypeFor[docReported](), "RefusedReport": reflect.TypeFor[docRefused](), "Report": reflect.TypeFor[follow.Report](), "CallLines": reflect.TypeFor[follow.CallLines](), "Kept": reflect.TypeFor[docReceivedCalls](), "Notice": reflect.TypeFor[docNotice](), "Run": reflect.TypeFor[mcp.Run](),
	}
}
