SHELL := /bin/bash
VERSION := $(shell git describe --always --dirty 2>/dev/null || echo dev)
LDFLAGS := -s -w -X merve/internal/app.Version=$(VERSION)
PACKAGES := ./functions/... ./internal/... ./infra/...

.PHONY: help run test lint fuzz bench prove synth deploy chat

help: ## this list
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/'

run: ## build, start everything on this machine, load the demo market
	@mkdir -p bin && go build -ldflags '$(LDFLAGS)' -o bin/merve ./infra/local && exec bin/merve

test: ## the whole test suite, from a clean clone
	@bash .ci/test.sh

lint: ## static analysis
	@bash .ci/lint.sh

fuzz: ## a bounded fuzz of every parser of foreign input (TIME=20s each)
	@bash .ci/fuzz.sh $(or $(TIME),20s)

bench: ## what operations cost: requests, capacity, time
	@bash .ci/bench.sh

prove: ## the long form of the proofs (SEED=, TIME=10m)
	@SEED=$(SEED) TIME=$(or $(TIME),10m) bash .ci/prove.sh

synth: ## CloudFormation out of CDK, linted
	@bash .ci/synth.sh

deploy: synth ## cdk deploy
	.cache/cdk deploy --app infra/cdk/cdk.out

chat: ## talk to a running `make run` from the terminal
	@go run ./infra/local/chat
