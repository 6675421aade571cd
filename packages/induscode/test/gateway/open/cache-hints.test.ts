import { fileURLToPath } from "node:url";
import { tempDir, verifies } from "@indus/testkit";
import type { ServerConfig } from "indusagi/interop";
import { expect } from "vitest";
import {
  inSession,
  modernRequest,
  openSession,
  send,
} from "../../../../indusagi/test/interop/host/http/raw-http.ts";
import { workspaceTokens } from "../../../src/boot/internal.ts";
import { serveIn } from "./serve-in.ts";

const script = fileURLToPath(new URL("../../../../../test/servers/hinted.mjs", import.meta.url));
const HOUR_MS = 3_600_000;

/** A process that states hints. */
function hinted(id: string, options: object): ServerConfig {
  return { kind: "stdio", id, command: process.execPath, args: [script, JSON.stringify(options)] };
}

const lasting = (ttlMs: number, cacheScope = "public"): object => ({ hint: { ttlMs, cacheScope } });

type Result = { readonly [member: string]: unknown };

/** One request of the modern era. */
async function ask(url: string, method: string, params: object = {}, token?: string): Promise<Result> {
  const { headers, body } = modernRequest(1, method, { ...params });
  const { uri } = params as { readonly uri?: string };
  const header = uri === undefined ? {} : { "mcp-name": uri };
  const auth = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const { messages, text } = await send(url, { headers: { ...headers, ...header, ...auth }, body });
  const result = messages.find(({ id }) => id === 1)?.result;
  if (!result) throw new Error(text);
  return result;
}

const LISTS = ["tools/list", "prompts/list", "resources/list", "resources/templates/list"] as const;
const soon = <Value>(value: () => Value) => expect.poll(value, { timeout: 30_000, interval: 50 });

verifies(
  "serve:cache",
  "every cacheable result has a hint: what is left of the servers' own, on /mcp, on the route of a server, and in a profile",
  async () => {
    await using dir = await tempDir();
    const servers = [hinted("long", lasting(HOUR_MS)), hinted("half", lasting(HOUR_MS / 2))];
    const profiles = [{ name: "some", servers: ["long"] }];
    await using served = await serveIn(dir, { profile: "none", profiles }, servers);
    const routes = [
      { url: served.url, ttlMs: HOUR_MS / 2, cacheScope: "public" },
      { url: `${served.url}/long`, ttlMs: HOUR_MS, cacheScope: "public" },
      { url: `${served.url}/half`, ttlMs: HOUR_MS / 2, cacheScope: "public" },
      { url: `${served.url}/p/some`, ttlMs: HOUR_MS, cacheScope: "private" },
    ];
    for (const { url, ttlMs, cacheScope } of routes) {
      for (const method of LISTS) {
        // Until the servers have started, nothing may be cached.
        await soon(async () => (await ask(url, method))["ttlMs"]).toBeGreaterThan(ttlMs - 120_000);
        const listed = await ask(url, method);
        expect(listed["ttlMs"], `${url} ${method}`).toBeLessThanOrEqual(ttlMs);
        expect(listed["cacheScope"], `${url} ${method}`).toBe(cacheScope);
      }
      expect(await ask(url, "server/discover")).toMatchObject({ ttlMs: 0, cacheScope: "private" });
    }
    expect(await ask(`${served.url}/long`, "resources/read", { uri: "hinted://item0" })).toMatchObject({
      ttlMs: HOUR_MS,
      cacheScope: "public",
    });
    // The legacy era has no hints.
    const session = await openSession(`${served.url}/long`);
    const body = { jsonrpc: "2.0", id: 2, method: "tools/list", params: {} };
    const { text } = await send(`${served.url}/long`, { headers: inSession(session), body });
    expect(text).toContain("item0");
    expect(text).not.toMatch(/ttlMs|cacheScope/);
    // As soon as a token exists, clients may see different things.
    const { token } = await (await workspaceTokens(served.run)).add("few", { servers: ["long"] });
    for (const of of [undefined, token])
      for (const method of LISTS)
        expect((await ask(`${served.url}/long`, method, {}, of))["cacheScope"]).toBe("private");
    // This token does not see the server with the shorter lifetime.
    for (const method of LISTS)
      expect((await ask(served.url, method, {}, token))["ttlMs"]).toBeGreaterThan(HOUR_MS / 2);
  },
  { timeoutMs: 120_000 },
);

verifies(
  "serve:cache",
  "tools of a server that reports no changes are fresh for the next list after their lifetime; a list that changes with use states none",
  async () => {
    await using dir = await tempDir();
    const up = hinted("up", { ...lasting(1), announces: false });
    await using served = await serveIn(
      dir,
      { profile: "none", profiles: [{ name: "search", listing: "search" }] },
      [up],
    );
    const named = async (url: string): Promise<string> =>
      JSON.stringify((await ask(url, "tools/list"))["tools"]);
    for (const [url, grow, item] of [
      [served.url, "up__grow", '"up__item1"'],
      [`${served.url}/up`, "grow", '"item2"'],
    ] as const) {
      await soon(() => named(url)).toContain(grow);
      await ask(url, "tools/call", { name: grow, arguments: {} });
      await soon(() => named(url)).toContain(item);
    }
    expect(await ask(`${served.url}/p/search`, "tools/list")).toMatchObject({
      ttlMs: 0,
      cacheScope: "private",
    });
  },
  { timeoutMs: 120_000 },
);
