#!/bin/sh
# Makes the secrets of deploy/compose.yaml in deploy/secrets: certificates for NATS, its passwords, and the key of the gateways.
# Nothing is replaced that is there.
set -eu
cd "$(dirname "$0")"
umask 077
mkdir -p secrets
cd secrets
[ ! -e ca.pem ] || { echo "deploy/secrets is there already; remove it to make new ones" >&2; exit 1; }
curve="-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes"
# shellcheck disable=SC2086 # Several words.
openssl req -x509 $curve -days 3650 -subj "/CN=indus cluster" -keyout ca.key -out ca.pem 2>/dev/null
# shellcheck disable=SC2086
openssl req $curve -subj "/CN=nats" -keyout nats.key -out nats.csr 2>/dev/null
echo "subjectAltName=DNS:nats-1,DNS:nats-2,DNS:nats-3" >names
openssl x509 -req -in nats.csr -CA ca.pem -CAkey ca.key -days 825 -extfile names -out nats.pem 2>/dev/null
rm nats.csr names
node=$(openssl rand -hex 24)
admin=$(openssl rand -hex 24)
printf '{ "user": "node", "password": "%s" }\n' "$node" >node.json
printf '{ "user": "admin", "password": "%s" }\n' "$admin" >admin.json
openssl rand -base64 48 >gateway.key
cat >users.conf <<CONF
authorization {
  users: [
    { user: admin, password: "$admin" }
    { user: node, password: "$node", permissions: { publish: { deny: ["\$KV.indus_state.>"] } } }
  ]
}
CONF
# The containers run as other users than you.
chmod 644 ca.pem nats.pem nats.key node.json admin.json gateway.key users.conf
chmod 755 .
echo "made deploy/secrets; keep it private"
