SHELL := /bin/bash
VERSION := $(shell git describe --always --dirty 2>/dev/null || echo dev)
LDFLAGS := -s -w
PACKAGES := ./functions/... ./internal/... ./infra/...

.PHONY: help run index test race lint fuzz bench prove soak tour mutate synth stack deploy cloud cloud-test chat trace logs audit redrive

help: ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/'

run: ## build, start everything on this machine, load the demo market
	@sh .ci/install-minilm.sh || echo 'products cannot be searched by meaning: the weights of the model are not to be had'
	@mkdir -p bin && go build -ldflags '$(LDFLAGS)' -o bin/merve ./infra/local && MERVE_VERSION=$(VERSION) exec bin/merve

index: ## embed what has changed of internal/plan/product/products
	@sh .ci/install-minilm.sh && go run ./infra/local/productindex

test: ## the whole test suite, from a clean clone
	@bash .ci/test.sh

race: ## the race detector on what runs at once
	@bash .ci/race.sh

lint: ## static analysis
	@bash .ci/lint.sh

fuzz: ## every parser of foreign input, fuzzed for a while each (TIME=60s)
	@bash .ci/fuzz.sh $(or $(TIME),60s)

bench: ## what operations cost: requests, capacity, time
	@bash .ci/bench.sh

prove: ## the long form of the proofs (SEED=, TIME=10m, TIMES=5, LIVES=10000)
	@SEED=$(SEED) TIME=$(or $(TIME),10m) TIMES=$(TIMES) LIVES=$(LIVES) bash .ci/prove.sh

soak: ## hundreds of conversations over HTTP while things fail (TIME=1m)
	@bash .ci/soak.sh -time $(or $(TIME),1m)

tour: ## every command of README and the tour against one Merve, compared with what they show (ARGS=-update shows what is printed now)
	@bash .ci/tour.sh $(ARGS)

mutate: ## removes every condition of the code in turn: some test has to die
	@bash .ci/mutate.sh

synth: ## CloudFormation out of CDK, linted (ARGS='-c stage=prod')
	@bash .ci/synth.sh -c MERVE_VERSION=$(VERSION) $(ARGS)

stack: ## the cloud stack's own tests (they need node)
	@cd infra/cdk && go test -vet=off -timeout 15m ./...

deploy: synth ## cdk deploy of the same (ARGS='-c stage=prod')
	.cache/cdk deploy --app infra/cdk/cdk.out

cloud: ## the stack on an emulator of AWS on this machine, every function its own process under its own role
	@bash .ci/cloud.sh

cloud-test: ## the same, driven from outside and stopped
	@bash .ci/cloud.sh -test

chat: ## talk to a running `make run` from the terminal
	@go run ./infra/local/chat

# The question is taken as it was written: make would read $2000 as a variable of its own.
trace: export override PROMPT := $(value PROMPT)
trace: ## ask a running `make run` a question in several parts and watch its plan (PROMPT=)
	@go run ./infra/local/trace

audit: ## verify and export the audit of a marketplace request of a running `make run` (REQUEST=, ADMIN_TOKEN=)
	@REQUEST='$(REQUEST)' go run ./infra/local/audit

logs: export override CALL := $(value CALL)
logs: ## what was logged of a call session by a running `make run` (CALL=, STAGE=in the cloud)
	@STAGE='$(STAGE)' go run ./infra/logs

redrive: ## read a dead-letter queue and send its messages back (QUEUE=, LOOK=1 only reads, TO=another queue, STAGE=in the cloud)
	@QUEUE='$(QUEUE)' TO='$(TO)' LOOK='$(LOOK)' STAGE='$(STAGE)' go run ./infra/redrive
