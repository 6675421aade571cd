import { verifies } from "@indus/testkit";
import { launchHash, parseServerConfig } from "indusagi/config";
import { expect } from "vitest";

function parsed(row: object) {
  const text = JSON.stringify({ servers: { s: { url: "https://mcp.example/mcp", ...row } } });
  const { servers, diagnostics } = parseServerConfig(text, { env: { SECRET: "the-secret" } });
  return { row: servers[0], messages: diagnostics.map(({ message }) => message) };
}

verifies("config:oauth", "the settings of a login are read, with variables in their texts", () => {
  const oauth = {
    clientId: "me",
    clientSecret: "${SECRET}",
    scopes: ["files:read", "offline_access"],
    callbackPort: 3118,
    callbackHost: "localhost",
    authorizationServer: "https://login.example",
  };
  const { row, messages } = parsed({ oauth });
  expect(messages).toEqual([]);
  expect(row?.config).toMatchObject({ oauth: { ...oauth, clientSecret: "the-secret" } });
  expect(row?.written.oauth).toEqual(oauth);
  expect(parsed({ oauth: false }).row?.config).toMatchObject({ oauth: false });
  expect(parsed({ oauth: { scopes: "a b" } }).row?.config).toMatchObject({ oauth: { scopes: ["a", "b"] } });
});

verifies("config:oauth", "an approval is bound to where a secret may be sent", () => {
  const hashOf = (server: string): string =>
    launchHash(parsed({ oauth: { clientId: "me", authorizationServer: server } }).row?.written ?? {});
  expect(hashOf("https://a.example")).not.toBe(hashOf("https://b.example"));
  expect(hashOf("https://a.example")).not.toBe(launchHash(parsed({}).row?.written ?? {}));
});

verifies("config:oauth", "a wrong value drops the row with one line that names it", () => {
  const wrong: readonly (readonly [object, string])[] = [
    [{ oauth: "yes" }, "neither false nor an object"],
    [{ oauth: { clientId: 7 } }, 'oauth "clientId" is not a text'],
    [{ oauth: { scopes: ["a b"] } }, 'oauth "scopes" is not a list of scopes'],
    [{ oauth: { callbackPort: 0 } }, 'oauth "callbackPort" is not a port'],
    [{ oauth: { callbackHost: "example.org" } }, 'oauth "callbackHost" is not a loopback host'],
    [{ oauth: { authorizationServer: "file:///x" } }, "neither an http nor an https URL"],
    [{ oauth: { clientId: "me", clientSecret: "x" } }, 'no "authorizationServer"'],
    [{ oauth: { authorizationServer: "https://a.example", clientSecret: "x" } }, 'no "clientId"'],
  ];
  for (const [row, message] of wrong) {
    const result = parsed(row);
    expect([row, result.row]).toEqual([row, undefined]);
    expect(result.messages.join("\n")).toContain(message);
  }
  expect(parsed({ oauth: { audience: "x" } }).messages.join()).toContain('oauth "audience" has no effect');
  const { messages } = parsed({ type: "stdio", command: "x", oauth: {} });
  expect(messages.join("\n")).toContain('"oauth" has no effect for a process');
});
