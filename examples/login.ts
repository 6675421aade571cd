// Uses a server that requires OAuth with the client's own credentials. Client, issuer and server are on this machine here.
import assert from "node:assert/strict";
import { serveLogin } from "../test/servers/login.mjs";

const notes = await serveLogin();
const secret = "a secret of the environment";

// #region login
import { createFileTokenStore, createOAuthProvider, mountProtocolBridge } from "indusagi/interop";

const tokens = createOAuthProvider({
  serverUrl: notes.url,
  store: createFileTokenStore(".logins"),
  authorizationServer: notes.issuer,
  client: { id: "my-service", secret },
  grant: { kind: "client_credentials" },
});
const { box, fleet } = await mountProtocolBridge(
  { servers: [{ kind: "streamable-http", id: "notes", url: notes.url }] },
  { auth: ({ id }) => (id === "notes" ? tokens : undefined) },
);
// #endregion

const outcome = await box.runner.run({ id: "1", name: "notes__echo", input: { text: "hello" } });
assert.equal(outcome.isError, false);
await fleet.tearDown();
await notes.close();
const { rm } = await import("node:fs/promises");
await rm(".logins", { recursive: true });
