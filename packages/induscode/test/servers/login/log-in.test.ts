import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { PassThrough } from "node:stream";
import { verifies } from "@indus/testkit";
import { createMemoryTokenStore, type ServerConfig } from "indusagi/interop";
import { expect } from "vitest";
import { serveLogin } from "../../../../../test/servers/login.mjs";
import { openCallbackListener } from "../../../src/servers/login/callback-listener.ts";
import { type LogInOptions, logIn } from "../../../src/servers/login/index.ts";

function optionsFor(config: ServerConfig, more: Partial<LogInOptions> = {}): LogInOptions {
  return {
    config,
    store: createMemoryTokenStore(),
    show: () => {},
    useBrowser: true,
    open: async (url) => (await fetch(url)).ok,
    input: new PassThrough(),
    timeoutMs: 60_000,
    signal: new AbortController().signal,
    ...more,
  };
}

const rowOf = (url: string, oauth: object = {}): ServerConfig => ({
  kind: "streamable-http",
  id: "s",
  url,
  onMismatch: "fail",
  oauth,
});

verifies("login:callback", "a fixed client and callback are used as the row says", async () => {
  await using spare = await openCallbackListener();
  const port = Number(new URL(spare.redirectUrl).port);
  await spare[Symbol.asyncDispose]();
  const server = await serveLogin();
  const oauth = { clientId: "fixed", scopes: ["a"], callbackPort: port, callbackHost: "localhost" };
  const { status } = await logIn(optionsFor(rowOf(server.url, oauth)));
  expect(status).toMatchObject({ issuer: server.issuer, scope: "a" });
  const asked = new URLSearchParams(server.seen.find(({ path }) => path === "/authorize")?.query);
  expect(Object.fromEntries(asked)).toMatchObject({
    client_id: "fixed",
    scope: "a",
    redirect_uri: `http://localhost:${port}/callback`,
  });
  expect(server.counts.registrations).toBe(0);
  await server.close();
});

verifies("login:callback", "the address that a browser is sent to is listened on", async () => {
  for (const host of ["localhost", "127.0.0.1", "127.0.0.5", "::1", "[::1]"]) {
    await using listener = await openCallbackListener({ host });
    const { signal } = new AbortController();
    const answer = listener.answerFor("s", signal);
    const response = await fetch(`${listener.redirectUrl}?state=s&code=${encodeURIComponent(host)}`);
    expect([host, response.status, await response.text()]).toEqual([
      host,
      200,
      expect.stringContaining("logged in"),
    ]);
    expect((await answer).get("code")).toBe(host);
  }
});

verifies(
  "login:callback",
  "a taken port is named, or replaced by a free one with a new registration",
  async () => {
    await using taken = await openCallbackListener();
    const port = Number(new URL(taken.redirectUrl).port);
    const server = await serveLogin();
    const fixed = logIn(optionsFor(rowOf(server.url, { callbackPort: port })));
    await expect(fixed).rejects.toThrow(/port \d+ is in use/);
    await using other = await openCallbackListener({ preferredPort: port });
    expect(other.redirectUrl).not.toBe(taken.redirectUrl);
    await server.close();
  },
);

verifies(
  "login:callback",
  "a login without an answer ends after its time, and one that is interrupted at once",
  async () => {
    const server = await serveLogin();
    const open = async (): Promise<boolean> => true;
    await expect(logIn(optionsFor(rowOf(server.url), { open, timeoutMs: 300 }))).rejects.toThrow(
      /no answer within 300 ms/,
    );
    const abort = new AbortController();
    const show = (): void => abort.abort(new Error("enough"));
    await expect(
      logIn(optionsFor(rowOf(server.url), { open, show, signal: abort.signal })),
    ).rejects.toThrow();
    await server.close();
  },
);

verifies("login:callback", "only the address of the redirect is answered, under its own name", async () => {
  await using listener = await openCallbackListener();
  const answer = listener.answerFor("right", AbortSignal.timeout(30_000));
  const { host } = new URL(listener.redirectUrl);
  const statuses = await Promise.all(
    [
      fetch(`${listener.redirectUrl}?state=wrong&code=x`),
      fetch(`http://${host}/other?state=right&code=x`),
      fetch(`http://localhost:${new URL(listener.redirectUrl).port}/callback?state=right&code=x`),
      fetch(`${listener.redirectUrl}?state=right&code=x`, { method: "POST" }),
    ].map(async (sent) => (await sent).status),
  );
  expect(statuses).toEqual([404, 404, 404, 404]);
  const twice = get(`${listener.redirectUrl}?state=right&code=x`, { headers: ["Host", host, "Host", host] });
  const [refused] = (await once(twice, "response")) as [IncomingMessage];
  expect(refused.resume().statusCode).toBe(400);
  const page = await fetch(`${listener.redirectUrl}?state=right&code=good`);
  expect([page.status, page.headers.get("content-security-policy")]).toEqual([200, "default-src 'none'"]);
  expect((await answer).get("code")).toBe("good");
});

verifies(
  "login:callback",
  "a server that needs no login is not an error, and a process has none",
  async () => {
    const { serveHttp } = await import("../../../../../test/servers/server.mjs");
    const server = await serveHttp();
    expect(await logIn(optionsFor(rowOf(server.url)))).toEqual({ status: undefined });
    await server.close();
    await expect(logIn(optionsFor({ kind: "stdio", id: "p", command: "x" }))).rejects.toThrow(/is a process/);
  },
);
