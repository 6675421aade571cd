import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { atSize, buildProgram, tempDir, verifies } from "@indus/testkit";
import { createFileTokenStore, type TokenSet } from "indusagi/interop";
import { expect } from "vitest";
import { browser, called, protectedServer, providerFor, rejection } from "./login-kit.ts";

const PROCESSES = atSize({ quick: 4, full: 12 });

verifies(
  "login:race",
  "of several processes with one expired token, one redeems it and all calls succeed",
  async () => {
    await using dir = await tempDir();
    using program = await buildProgram(new URL("race-program.ts", import.meta.url));
    await using server = await protectedServer({ tokenDelayMs: 100 });
    const store = createFileTokenStore(dir.path);
    await providerFor(server, { store, interaction: browser }).login();
    const [login] = await store.find({ server: server.url, principal: "default" });
    if (!login?.record.tokens) throw new Error("there is no login");
    const tokens = { ...login.record.tokens, expiresAtMs: Date.now() - 1 };
    await store.save(login.key, { ...login.record, tokens });
    server.expire();
    const processes = Array.from({ length: PROCESSES }, () =>
      spawn(process.execPath, [program.path, server.url, dir.path]),
    );
    await Promise.all(processes.map(isReady));
    const answers = Promise.all(processes.map((child) => text(child.stdout)));
    for (const child of processes) child.stdin.write("go\n");
    expect(await answers).toEqual(processes.map(() => "hello"));
    expect(server.counts).toMatchObject({ redemptions: 1, refusals: 0, authorizations: 1 });
  },
  { timeoutMs: 120_000 },
);

verifies(
  "login:refused-once",
  "of several processes with one refused refresh token, one asks, and all name the login",
  async () => {
    await using dir = await tempDir();
    using program = await buildProgram(new URL("race-program.ts", import.meta.url));
    await using server = await protectedServer({ tokenDelayMs: 100 });
    const store = createFileTokenStore(dir.path);
    await providerFor(server, { store, interaction: browser }).login();
    const [login] = await store.find({ server: server.url, principal: "default" });
    const refreshToken = login?.record.tokens?.refreshToken;
    if (!login || refreshToken === undefined) throw new Error("there is no login");
    const tokens = { ...login.record.tokens, expiresAtMs: Date.now() - 1 } as TokenSet;
    await store.save(login.key, { ...login.record, tokens });
    server.expire();
    server.refreshTokens.clear();
    const before = server.seen.filter(({ path }) => path === "/token").length;
    const processes = Array.from({ length: PROCESSES }, () =>
      spawn(process.execPath, [program.path, server.url, dir.path]),
    );
    await Promise.all(processes.map(isReady));
    const answers = Promise.all(processes.map((child) => text(child.stdout)));
    for (const child of processes) child.stdin.write("go\n");
    for (const answer of await answers) expect(answer).toContain("HTTP 401: it requires a login");
    const asked = (): number => server.seen.filter(({ path }) => path === "/token").length - before;
    expect(asked()).toBe(1);
    // A process that starts later does not ask either, and the mark is no token.
    expect((await rejection(called(server, providerFor(server, { store })))).message).toContain("401");
    expect(asked()).toBe(1);
    const [after] = await store.find({ server: server.url, principal: "default" });
    expect(after?.record.refreshRefused).toMatch(/^[0-9a-f]{32}$/);
    expect(after?.record.tokens).toEqual(tokens);
    // A new login ends it.
    await providerFor(server, { store, interaction: browser, relogin: true }).login();
    server.expire();
    expect(await called(server, providerFor(server, { store }))).toBe("hello");
    expect(server.counts.redemptions).toBe(1);
  },
  { timeoutMs: 120_000 },
);

async function isReady(child: ChildProcessWithoutNullStreams): Promise<void> {
  const [first] = await once(child.stdout, "data");
  expect(String(first)).toBe("ready\n");
}
