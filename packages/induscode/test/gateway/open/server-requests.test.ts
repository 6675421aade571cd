import { readFile, writeFile } from "node:fs/promises";
import { tempDir, verifies } from "@indus/testkit";
import type { ServerEndpoint } from "indusagi/interop";
import { expect } from "vitest";
import { workspaceAudit, workspaceTokens } from "../../../src/boot/internal.ts";
import { eventually } from "../../bin/run-indus.ts";
import { connectTo, type Served, serveIn } from "./serve-in.ts";
import { library } from "./served-library.ts";

const SECRET = "canary-9f2c";
const LIBRARY = {
  resources: [{ uri: `note://one/${SECRET}`, name: "one" }],
  prompts: [{ name: "greet", arguments: [{ name: "who" }] }],
  tools: ["look"],
  results: { look: { content: [{ type: "text", text: "seen" }] } },
  capabilities: { completions: {} },
};
const READ = ["resources/read", { uri: `note://one/${SECRET}` }] as const;
const GET = ["prompts/get", { name: "one__greet", arguments: { who: SECRET } }] as const;
const COMPLETE = [
  "completion/complete",
  { ref: { type: "ref/prompt", name: "one__greet" }, argument: { name: "who", value: SECRET } },
] as const;
const REQUESTS = [READ, GET, COMPLETE];
const LIMIT = "token ci may run 1 call at the same time; try again when one has finished";

const send = (
  client: ServerEndpoint,
  [method, params]: readonly [method: string, params: { readonly [member: string]: unknown }],
  signal?: AbortSignal,
): Promise<unknown> => client.session().request(method, params, { ...(signal && { signal }) });

const recordsOf = async (served: Served, count: number) => {
  const trail = await workspaceAudit(served.run);
  return eventually(() => (trail.read().length >= count ? trail.read() : undefined));
};

verifies(
  "access:calls",
  "the limit of a token holds for reads, prompts and completion, and for tools and these together",
  async () => {
    await using dir = await tempDir();
    await using served = await serveIn(dir, {}, [await library(dir, "one", LIBRARY)]);
    const tokens = await workspaceTokens(served.run);
    const limited = await connectTo(served.url, { token: (await tokens.add("ci", { calls: 1 })).token });
    const free = await connectTo(served.url, { token: (await tokens.add("free", {})).token });
    await limited.listTools();
    const hang = (...methods: string[]): Promise<void> =>
      writeFile(dir.at("one.json"), JSON.stringify({ ...LIBRARY, hangs: methods }));
    for (const [hanging, begin] of [
      ["resources/read", (signal: AbortSignal) => send(limited, READ, signal)],
      ["tools/call", (signal: AbortSignal) => limited.invoke("one__look", {}, { signal })],
    ] as const) {
      await hang(hanging);
      const stop = new AbortController();
      const running = begin(stop.signal).then(
        () => "answered",
        () => "ended",
      );
      // It may take a moment until the first one runs.
      await eventually(() =>
        send(limited, GET).then(
          () => undefined,
          (thrown: unknown) => (String(thrown).includes(LIMIT) ? true : undefined),
        ),
      );
      for (const request of REQUESTS)
        await expect(send(limited, request)).rejects.toMatchObject({
          rpc: { code: -32_000, message: LIMIT },
        });
      expect(JSON.stringify(await limited.invoke("one__look", {}))).toContain(LIMIT);
      await send(free, GET);
      stop.abort();
      expect(await running).toBe("ended");
      await hang();
      for (const request of REQUESTS)
        await eventually(() =>
          send(limited, request).then(
            () => true,
            () => undefined,
          ),
        );
    }
    await Promise.all([limited.close(), free.close()]);
  },
  { timeoutMs: 60_000 },
);

verifies(
  "audit:record",
  "reads, prompts and completion are recorded with method, server, shape, outcome and sizes, without content",
  async () => {
    await using dir = await tempDir();
    const { capabilities: _completes, ...plain } = LIBRARY;
    const servers = [
      await library(dir, "one", LIBRARY),
      await library(dir, "two", { ...plain, resources: [] }),
    ];
    await using served = await serveIn(dir, {}, servers);
    const { token, record } = await (await workspaceTokens(served.run)).add("alice", {});
    const [alice, direct] = [
      await connectTo(served.url, { token }),
      await connectTo(`${served.url}/one`, { token }),
    ];
    await alice.listTools();
    for (const request of REQUESTS) await send(alice, request);
    await send(direct, ["prompts/get", { ...GET[1], name: "greet" }]);
    // The server has no completion, which is not a failure; a resource that no server has reaches none.
    const { argument } = COMPLETE[1];
    await send(alice, ["completion/complete", { ref: { type: "ref/prompt", name: "two__greet" }, argument }]);
    await expect(send(alice, ["resources/read", { uri: "note://nowhere" }])).rejects.toThrow("not found");
    await writeFile(dir.at("one.json"), JSON.stringify({ ...LIBRARY, hangs: ["prompts/get"] }));
    const stop = new AbortController();
    const hanging = send(alice, GET, stop.signal).catch(() => {});
    setTimeout(() => stop.abort(), 100);
    await hanging;
    const records = await recordsOf(served, 6);
    expect(
      records.map(({ method, server, prompt, resource, outcome }) => [
        method,
        server,
        prompt ?? resource,
        outcome,
      ]),
    ).toEqual([
      ["resources/read", "one", `note:(${READ[1].uri.length})`, "ok"],
      ["prompts/get", "one", "one__greet", "ok"],
      ["completion/complete", "one", "one__greet", "ok"],
      ["prompts/get", "one", "one__greet", "ok"],
      ["completion/complete", "two", "two__greet", "unknown"],
      ["prompts/get", "one", "one__greet", "cancelled"],
    ]);
    for (const each of records)
      expect(each).toMatchObject({
        principal: "alice",
        token: record.id,
        id: expect.stringMatching(/^req_/),
      });
    expect(records[0]?.argumentBytes).toBe(JSON.stringify(READ[1]).length);
    expect(records[0]?.resultBytes).toBeGreaterThan(READ[1].uri.length);
    expect(records.at(-1)?.resultBytes).toBe(0);
    const state = await served.run.state.folder();
    const kept = await readFile(`${state.path}/audit/calls.log`, "utf8");
    expect(kept).not.toContain(SECRET);
    const metrics = await (await fetch(new URL("/metrics", served.url))).text();
    expect(metrics).toContain(
      'indus_server_requests_total{server="one",method="resources/read",outcome="ok"} 1',
    );
    expect(metrics).not.toContain("indus_calls_total{");
    await Promise.all([alice.close(), direct.close()]);
  },
  { timeoutMs: 60_000 },
);
