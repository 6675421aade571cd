import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { atSize, buildProgram, type TempDir, tempDir, verifies } from "@indus/testkit";
import { createFileTokenStore } from "indusagi/interop";
import { expect } from "vitest";
import type { LoginServer } from "../../../../../test/servers/login.mjs";
import { browser, called, expiredLogin, protectedServer, providerFor, rejection } from "./login-kit.ts";

const PROCESSES = atSize({ quick: 4, full: 12 });

verifies(
  "login:race",
  "of several processes with one expired token, one redeems it and all calls succeed",
  async () => {
    await using dir = await tempDir();
    await using server = await protectedServer({ tokenDelayMs: 100 });
    await expiredLogin(createFileTokenStore(dir.path), server);
    expect(await calledAtOnce(dir, server)).toEqual(Array.from({ length: PROCESSES }, () => "hello"));
    expect(server.counts).toMatchObject({ redemptions: 1, refusals: 0, authorizations: 1 });
  },
  { timeoutMs: 120_000 },
);

verifies(
  "login:refused-once",
  "of several processes with one refused refresh token, one asks, and all name the login",
  async () => {
    await using dir = await tempDir();
    await using server = await protectedServer({ tokenDelayMs: 100 });
    const store = createFileTokenStore(dir.path);
    const tokens = await expiredLogin(store, server);
    server.refreshTokens.clear();
    const requests = (): number => server.seen.filter(({ path }) => path === "/token").length;
    const before = requests();
    for (const answer of await calledAtOnce(dir, server))
      expect(answer).toContain("HTTP 401: it requires a login");
    expect(requests() - before).toBe(1);
    // A process that starts later does not ask either, and the mark is no token.
    expect((await rejection(called(server, providerFor(server, { store })))).message).toContain("401");
    expect(requests() - before).toBe(1);
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

/** What several processes print that have read the login and then call a tool at the same time. */
async function calledAtOnce(dir: TempDir, server: LoginServer): Promise<readonly string[]> {
  using program = await buildProgram(new URL("race-program.ts", import.meta.url));
  const processes = Array.from({ length: PROCESSES }, () =>
    spawn(process.execPath, [program.path, server.url, dir.path]),
  );
  await Promise.all(processes.map(isReady));
  const answers = Promise.all(processes.map((child) => text(child.stdout)));
  for (const child of processes) child.stdin.write("go\n");
  return await answers; // Before the program is removed.
}

async function isReady(child: ChildProcessWithoutNullStreams): Promise<void> {
  const [first] = await once(child.stdout, "data");
  expect(String(first)).toBe("ready\n");
}
