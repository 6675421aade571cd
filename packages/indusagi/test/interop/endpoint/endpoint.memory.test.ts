import { verifies } from "@indus/testkit";
import {
  createServerEndpoint,
  type EndpointOptions,
  type QuestionAnswerer,
  type ServerEndpointImpl,
} from "indusagi/interop";
import type { Answers, Caller, Question, Questions } from "indusagi/runtime";
import { expect } from "vitest";
import { BLOCKS, type ScriptedServerOptions } from "../../../../../test/servers/server.mjs";
import { inProcess } from "../kit/scripted.ts";

const ERAS = ["legacy", "modern"] as const;
const config = { kind: "stdio", id: "s", command: "unused" } as const;

async function opened(
  server: ScriptedServerOptions,
  options: EndpointOptions = {},
): Promise<ServerEndpointImpl & AsyncDisposable> {
  const endpoint = createServerEndpoint(config, inProcess(server), { probeMs: 10_000, ...options });
  await endpoint.open();
  return Object.assign(endpoint, { [Symbol.asyncDispose]: () => endpoint.close() });
}

function answering(
  key: string,
  reply: (question: Question) => unknown,
): Caller & { readonly asked: Questions[] } {
  const asked: Questions[] = [];
  return {
    key,
    asked,
    can: { elicit: { form: true }, sample: {}, roots: true },
    ask: async (requests): Promise<Answers> => {
      asked.push(requests);
      return Object.fromEntries(Object.entries(requests).map(([name, question]) => [name, reply(question)]));
    },
  };
}

const textOf = (result: { readonly content: readonly unknown[] }): string =>
  (result.content[0] as { text: string }).text;

for (const era of ERAS) {
  verifies("endpoint:both-eras", `${era}: connecting, identity, listing and calling`, async () => {
    await using endpoint = await opened({ era });
    const session = endpoint.session();
    expect(session.era).toBe(era);
    expect(session.protocolVersion).toBe(era === "modern" ? "2026-07-28" : "2025-11-25");
    expect(session.serverInfo).toMatchObject({ name: "scripted", version: "1.0.0" });
    expect(session.instructions).toBe("Be kind.");
    expect((await endpoint.listTools()).map((tool) => tool.ref.name)).toContain("echo");
    expect(textOf(await endpoint.invoke("echo", { text: "hi" }))).toBe("hi");
    expect(textOf(await endpoint.invoke("args", undefined))).toBe("null");
    expect(endpoint.status()).toMatchObject({ server: "s", phase: "ready", toolCount: 22 });
  });

  verifies("endpoint:verbatim", `${era}: the raw result is what was sent, member by member`, async () => {
    await using endpoint = await opened({ era });
    const result = await endpoint.invoke("blocks", {});
    const sent = era === "modern" ? { resultType: "complete", ...BLOCKS } : BLOCKS;
    expect(result.wire.value()).toEqual(sent);
    expect(result.raw).toEqual(sent);
    expect(result.content).toEqual(BLOCKS.content);
    expect(result.structuredContent).toEqual({ nested: { list: [1, 2, 3] } });
    expect(result.meta).toEqual({ "example/trace": "abc" });
  });

  verifies(
    "endpoint:verbatim",
    `${era}: content that is not an array counts as empty, the rest is kept`,
    async () => {
      await using endpoint = await opened({ era });
      expect(await endpoint.invoke("odd", {})).toMatchObject({
        content: [],
        isError: false,
        structuredContent: { a: 1 },
        meta: { k: "v" },
      });
      expect(await endpoint.invoke("fail", {})).toMatchObject({ isError: true });
      await expect(endpoint.invoke("nothing", {})).rejects.toMatchObject({ kind: "protocol" });
    },
  );

  verifies("endpoint:rpc-error", `${era}: code, message and data are kept`, async () => {
    await using endpoint = await opened({ era });
    const rpc = { code: -32_042, message: "visit the page first", data: { url: "https://example.test/" } };
    await expect(endpoint.invoke("refuse", {})).rejects.toMatchObject({
      kind: "tool_error",
      server: "s",
      rpc,
    });
    await expect(endpoint.invoke("unheard-of", {})).rejects.toMatchObject({
      kind: "tool_error",
      rpc: { code: -32_602 },
    });
    await expect(endpoint.session().request("no/such/method")).rejects.toMatchObject({
      rpc: { code: -32_601 },
    });
  });

  verifies("endpoint:questions", `${era}: the caller's answer comes back to the tool`, async () => {
    await using endpoint = await opened(
      { era },
      { relays: { elicit: { form: true }, sample: {}, roots: true } },
    );
    const caller = answering("k", ({ method }) => ({ answers: method }));
    for (const [tool, method] of [
      ["ask", "elicitation/create"],
      ["sample", "sampling/createMessage"],
      ["roots", "roots/list"],
    ] as const) {
      const answer = JSON.parse(textOf(await endpoint.invoke(tool, {}, { caller })));
      expect(answer.answered).toEqual({ answers: method });
    }
    expect(caller.asked).toHaveLength(3);
    expect(Object.values(caller.asked[0] ?? {})[0]).toMatchObject({
      method: "elicitation/create",
      params: { message: "Your name?" },
    });
  });

  verifies(
    "endpoint:questions",
    `${era}: without a caller the owner's answerer is asked; without one the call fails with that reason`,
    async () => {
      const askers: unknown[] = [];
      const answers: QuestionAnswerer = {
        can: { elicit: { form: true } },
        ask: async (requests, _signal, asker) => {
          askers.push(asker);
          return Object.fromEntries(Object.keys(requests).map((key) => [key, { action: "accept" }]));
        },
      };
      await using answered = await opened({ era }, { answers });
      expect(textOf(await answered.invoke("ask", {}))).toContain('"action":"accept"');
      await using owned = await opened({ era }, { answers, owner: "a client" });
      await owned.invoke("ask", {});
      const { server } = answered.status();
      expect(askers).toEqual([{ server }, { server, owner: "a client" }]);
      await using alone = await opened({ era });
      const outcome = await alone.invoke("ask", {}).then(textOf, (fault: Error) => fault.message);
      expect(outcome).toMatch(
        era === "legacy" ? /"action":"decline"/ : /asks for input, but no caller can answer/,
      );
    },
  );

  verifies(
    "endpoint:capabilities",
    `${era}: a server sees exactly the capabilities that can be answered`,
    async () => {
      await using silent = await opened({ era });
      expect(JSON.parse(textOf(await silent.invoke("capabilities", {})))).toEqual({});
      await using relaying = await opened({ era }, { relays: { elicit: { form: true }, roots: true } });
      expect(JSON.parse(textOf(await relaying.invoke("capabilities", {})))).toEqual({
        elicitation: { form: {} },
        roots: {},
      });
    },
  );

  verifies(
    "endpoint:abort",
    `${era}: the call ends with the reason, the server stops, the next call works`,
    async () => {
      await using endpoint = await opened({ era });
      const abort = new AbortController();
      const reason = new Error("enough");
      const call = endpoint.invoke("slow", { ms: 5000, quiet: true }, { signal: abort.signal });
      setTimeout(() => abort.abort(reason), 15);
      await expect(call).rejects.toBe(reason);
      expect(JSON.parse(textOf(await endpoint.invoke("cancelled", {})))).toHaveLength(1);
      await expect(endpoint.invoke("echo", {}, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    },
  );

  verifies("endpoint:progress", `${era}: a caller gets the progress of its own call`, async () => {
    await using endpoint = await opened({ era });
    const notes: string[] = [];
    const caller = (key: string): Caller => ({
      key,
      can: {},
      progress: (note) => notes.push(`${key}:${note.message}`),
    });
    await Promise.all([
      endpoint.invoke("slow", { ms: 25 }, { caller: caller("a") }),
      endpoint.invoke("slow", { ms: 25, quiet: true }, { caller: caller("b") }),
    ]);
    expect(notes.length).toBeGreaterThan(0);
    expect(new Set(notes.map((note) => note.split(":")[0]))).toEqual(new Set(["a"]));
  });

  verifies(
    "endpoint:list-changed",
    `${era}: many notifications cause few listings and one change`,
    async () => {
      await using endpoint = await opened({ era });
      const before = await endpoint.listTools();
      const changed = new Promise<number>((resolve) =>
        endpoint.onToolsChanged(({ tools }) => resolve(tools.length)),
      );
      for (let i = 0; i < 21; i++) await endpoint.invoke("change", {});
      expect(await changed).toBe(before.length + 1);
      expect((await endpoint.listTools()).map((tool) => tool.ref.name)).toContain("extra");
      expect(endpoint.status().toolCount).toBe(before.length + 1);
    },
  );

  verifies("endpoint:strays", `${era}: the first of two answers counts`, async () => {
    await using endpoint = await opened({ era });
    expect(textOf(await endpoint.invoke("twice", {}))).toBe("first");
    expect(textOf(await endpoint.invoke("echo", { text: "still here" }))).toBe("still here");
    expect(endpoint.status().notes?.join()).toContain("1 answer(s) matched no pending request");
  });

  verifies("endpoint:listing", `${era}: every page is read and every flaw reported`, async () => {
    await using paged = await opened({ era, pages: 5, manyTools: 100 });
    expect(await paged.listTools()).toHaveLength(122);
    await using flawed = await opened({ era, malformed: true });
    const listing = await flawed.listing();
    expect(listing.tools).toHaveLength(22);
    expect(listing.skipped.map(({ why }) => why)).toEqual([
      "its inputSchema is not a schema",
      "it is not an object",
      "it has no name",
      "another tool has the same name",
    ]);
    await using looping = await opened({ era, repeatCursor: true });
    expect(await looping.listing()).toMatchObject({ truncated: true });
    expect(await looping.listTools()).toHaveLength(22);
  });

  verifies(
    "endpoint:definition",
    `${era}: the definition is untouched, the parameters are in the profile`,
    async () => {
      const sent = { type: "object", properties: { text: { type: ["string", "null"] } } };
      for (const schemaProfile of ["portable", "seed", "identity"] as const) {
        await using endpoint = await opened({ era }, { schemaProfile });
        const [echo] = await endpoint.listTools();
        expect(echo?.definition).toEqual({
          name: "echo",
          description: "The echo tool.",
          inputSchema: sent,
          "x-unknown": { kept: true },
          _meta: { "example/key": "echo" },
        });
        expect(echo?.descriptor).toMatchObject({
          name: "s__echo",
          description: "The echo tool.",
          origin: { server: "s", tool: "echo" },
        });
        const shown =
          schemaProfile === "seed"
            ? { type: "object", properties: { text: { type: "object", properties: {} } } }
            : sent;
        expect(echo?.descriptor.parameters).toEqual(shown);
      }
    },
  );
}

verifies(
  "endpoint:two-callers",
  "a question while calls of two callers are in progress is declined and reaches neither",
  async () => {
    await using endpoint = await opened({ era: "legacy" }, { relays: { elicit: { form: true } } });
    const [ada, bob] = [
      answering("ada", () => ({ action: "accept" })),
      answering("bob", () => ({ action: "accept" })),
    ];
    const busy = endpoint.invoke("slow", { ms: 80, quiet: true }, { caller: bob });
    expect(textOf(await endpoint.invoke("ask", {}, { caller: ada }))).toBe(
      '{"answered":{"action":"decline"}}',
    );
    await busy;
    expect([ada.asked, bob.asked]).toEqual([[], []]);
    expect(endpoint.status().notes).toEqual([
      "elicitation/create was declined: calls of more than one caller are in progress",
    ]);
    expect(textOf(await endpoint.invoke("ask", {}, { caller: ada }))).toContain("accept");
  },
);

verifies(
  "endpoint:two-callers",
  "two calls of one caller do not hide a question, a call of our own does",
  async () => {
    await using endpoint = await opened({ era: "legacy" }, { relays: { elicit: { form: true } } });
    const ada = answering("ada", () => ({ action: "accept" }));
    const own = endpoint.invoke("slow", { ms: 60, quiet: true }, { caller: ada });
    expect(textOf(await endpoint.invoke("ask", {}, { caller: ada }))).toContain("accept");
    await own;
    const ours = endpoint.invoke("slow", { ms: 60, quiet: true });
    expect(textOf(await endpoint.invoke("ask", {}, { caller: ada }))).toContain("decline");
    await ours;
  },
);

verifies(
  "endpoint:suspend",
  "a caller that can suspend gets the questions, and comes back with answers and state",
  async () => {
    await using endpoint = await opened({ era: "modern" });
    const can = { suspend: true, elicit: { form: true } };
    const first = await endpoint.invoke("ask", {}, { caller: { key: "k", can } });
    expect(first.suspended).toMatchObject({
      requests: { ask: { method: "elicitation/create" } },
      state: "state-of-ask",
    });
    const resume = { state: "state-of-ask", responses: { ask: { action: "accept" } } };
    const second = await endpoint.invoke("ask", {}, { caller: { key: "k", can, resume } });
    expect(JSON.parse(textOf(second))).toEqual({ answered: { action: "accept" }, state: "state-of-ask" });
  },
);

verifies(
  "endpoint:list-changed",
  "a server behind HTTP is listed once more soon after connecting, a process is not",
  async () => {
    for (const [kind, expected] of [
      ["streamable-http", 2],
      ["stdio", 1],
    ] as const) {
      const transport = inProcess();
      const send = transport.send.bind(transport);
      let lists = 0;
      transport.send = (message, options) => {
        if (message.method === "tools/list") lists++;
        return send(message, options);
      };
      const at = kind === "stdio" ? config : ({ kind, id: "s", url: "http://127.0.0.1:1/" } as const);
      const endpoint = createServerEndpoint(at, transport, { relistMs: 30 });
      await endpoint.open();
      await endpoint.listTools();
      await new Promise((resolve) => setTimeout(resolve, 150));
      await expect.poll(() => lists).toBe(expected);
      await endpoint.close();
    }
  },
);

verifies("endpoint:listing", "ten thousand tools in pages of a hundred are listed completely", async () => {
  await using endpoint = await opened({ pages: 100, manyTools: 9978 });
  const tools = await endpoint.listTools();
  expect(tools).toHaveLength(10_000);
  expect(new Set(tools.map((tool) => tool.descriptor.name)).size).toBe(10_000);
  expect((await endpoint.listing()).truncated).toBe(false);
});

verifies("endpoint:deadline", "a call without an answer is a timeout; the connection stays", async () => {
  await using endpoint = await opened({}, { timeouts: { callMs: 30 } });
  await expect(endpoint.invoke("silent", {})).rejects.toMatchObject({
    kind: "timeout",
    server: "s",
    retrySafe: false,
  });
  expect(textOf(await endpoint.invoke("echo", { text: "on" }))).toBe("on");
});
