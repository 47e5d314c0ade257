#!/usr/bin/env bash
# Makes the secrets that the manifests name, and client.token and admin.token for the people who use the farm (deploy/README.md). Run it
# once, in a folder that only you read.
set -euo pipefail
builder=$(openssl rand -hex 24) runner=$(openssl rand -hex 24) client=$(openssl rand -hex 24) admin=$(openssl rand -hex 24)
metrics=$(openssl rand -hex 24) # for Prometheus, where components/monitoring is used
password=$(openssl rand -hex 24)
line() { echo "$1 $2 sha256:$(printf %s "$3" | sha256sum | cut -c1-64)"; }
kubectl --namespace warpfarm create secret generic warpfarm-tokens \
  --from-literal=tracker="$(line builder builders "$builder"; line runner runners "$runner"; line client alice "$client"; line metrics prometheus "$metrics"; line admin boss "$admin")" \
  --from-literal=builder="$builder" \
  --from-literal=runner="$runner" \
  --from-literal=suites="$client" \
  --from-literal=metrics="$metrics"
kubectl --namespace warpfarm create secret generic warpfarm-database \
  --from-literal=password="$password" \
  --from-literal=url="postgres://warpfarm:$password@warpfarm-postgres/warpfarm"
openssl genpkey -algorithm ed25519 -out receipt.key # or: npx warpfarm keys rotate --file receipt.key
kubectl --namespace warpfarm create secret generic warpfarm-receipt-key --from-file=key=receipt.key
printf '%s\n' "$client" > client.token
printf '%s\n' "$admin" > admin.token
