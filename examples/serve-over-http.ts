// Publishes native tools over HTTP: one URL for clients of both eras, protected by a shared secret.
import assert from "node:assert/strict";
import { toolBox } from "indusagi/capabilities";
import { createProviderHost, createServerEndpoint, serveHttp, sharedSecret } from "indusagi/interop";

const secret = "an-example-secret-of-some-length";
await using box = toolBox("read-only", process.cwd());
const host = createProviderHost(box, { name: "my-tools", version: "1.0.0" });
const listener = await serveHttp(host, { port: 0, verifier: sharedSecret(secret) });
console.log(listener.url);

const refused = await fetch(listener.url, {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: "{}",
});
assert.equal(refused.status, 401);

const endpoint = createServerEndpoint({
  kind: "streamable-http",
  id: "mine",
  url: listener.url,
  headers: { authorization: `Bearer ${secret}` },
});
await endpoint.open();
assert.equal((await endpoint.listTools()).length, 7);
await endpoint.close();
await listener.close();
