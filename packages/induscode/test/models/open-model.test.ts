import { verifies } from "@indus/testkit";
import type { ModelEvent, ModelPort, ModelRequest, ToolDescriptor } from "indusagi/llm";
import { answeredOutcome, createAgent, createTableBox, type TableTool, textResult } from "indusagi/runtime";
import { listModels, openModel, resilientModel } from "induscode/models";
import { expect } from "vitest";
import { closedAddress, startModelServer } from "./wire/model-server.ts";
import type { ScriptedAnswer } from "./wire/script.ts";

/** One model of each wire, and the variables that lead it to a server. */
const WIRES = [
  {
    model: "openai-compatible/some-model",
    env: (url: string) => ({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: "good" }),
  },
  {
    model: "openai/gpt-4.1",
    env: (url: string) => ({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: "good" }),
  },
  {
    model: "anthropic/claude-sonnet-4-5",
    env: (url: string) => ({ ANTHROPIC_BASE_URL: `${url}/v1`, ANTHROPIC_API_KEY: "good" }),
  },
  {
    model: "google/gemini-2.5-pro",
    env: (url: string) => ({ GOOGLE_BASE_URL: `${url}/v1beta`, GOOGLE_GENERATIVE_AI_API_KEY: "good" }),
  },
] as const;

const SUM: ToolDescriptor = {
  name: "units__sum",
  description: "Adds two numbers.",
  parameters: {
    type: "object",
    properties: { a: { type: ["integer", "null"] }, b: { type: "integer" } },
    required: ["a", "b"],
  },
};

async function eventsOf(
  model: ModelPort,
  request: Partial<ModelRequest> = {},
  signal?: AbortSignal,
): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  const asked: ModelRequest = {
    messages: [{ role: "user", content: [{ kind: "text", text: "Hi" }] }],
    tools: [],
    ...request,
  };
  for await (const event of model.stream(asked, signal)) events.push(event);
  return events;
}

for (const { model: name, env } of WIRES) {
  verifies(
    "models:scenario",
    `${name}: a tool is called with several answers, and the conversation is accepted`,
    async () => {
      const script: ScriptedAnswer[] = [
        {
          text: "I add: é 漢字 🙂",
          reasoning: "two numbers",
          calls: [
            { id: "call_1", name: "units__sum", input: { a: 2, b: 40 } },
            { id: "call_2", name: "units__sum", input: { a: 1, b: 1 } },
          ],
          usage: { input: 10, output: 5, cached: 4 },
        },
        { text: "It is 42 and 2.", usage: { input: 30, output: 7 } },
        { text: "You are welcome." },
      ];
      await using server = await startModelServer(script);
      const sum: TableTool = {
        descriptor: SUM,
        run: async ({ id, input }) => {
          const { a, b } = input as { readonly a: number; readonly b: number };
          return answeredOutcome(id, textResult(String(a + b)));
        },
      };
      const agent = createAgent({
        model: openModel(name, { env: env(server.url) }),
        box: createTableBox([sum]).box,
        system: "Add.",
        thinking: "low",
      });
      const said: string[] = [];
      for (const prompt of ["2 + 40 and 1 + 1?", "Thanks"])
        for await (const event of agent.send(prompt)) {
          if (event.kind === "text_delta") said.push(event.text);
          if (event.kind === "end") expect(event, JSON.stringify(event)).toMatchObject({ reason: "stop" });
        }
      expect(said.join("")).toBe("I add: é 漢字 🙂It is 42 and 2.You are welcome.");
      expect(server.requests).toHaveLength(3);
      expect(JSON.stringify(server.requests[1])).toMatch(/"42"|:42\b/);
      expect(agent.usage()).toMatchObject({ cachedInputTokens: 4, inputTokens: expect.any(Number) });
    },
  );

  verifies(
    "models:failures",
    `${name}: wrong key, unknown model, overload, a cut and broken arguments`,
    async () => {
      await using server = await startModelServer([
        { status: 404 },
        { status: 529 },
        { status: 400 },
        { text: "A long answer that is cut", cutAfter: 0.6 },
      ]);
      const wrong = Object.fromEntries(
        Object.entries(env(server.url)).map(([key, value]) => [key, value === "good" ? "bad-key" : value]),
      );
      const failure = async (model: ModelPort): Promise<unknown> =>
        eventsOf(model).then(
          () => "none",
          (error: unknown) => error,
        );
      const refused = await failure(openModel(name, { env: wrong }));
      expect(refused).toMatchObject({ kind: "wrong_key", message: expect.stringMatching(/_API_KEY/) });
      expect(JSON.stringify([String(refused), (refused as Error).stack])).not.toContain("bad-key");
      const model = openModel(name, { env: env(server.url) });
      expect(await failure(model)).toMatchObject({
        kind: "unknown_model",
        message: expect.stringContaining("--list-models"),
      });
      expect(await failure(model)).toMatchObject({
        kind: "overloaded",
        message: expect.stringContaining("--fallback-model"),
      });
      expect(await failure(model)).toMatchObject({ kind: "refused" });
      const cut = await failure(model);
      expect(cut).toMatchObject({
        name: "ModelError",
        message: expect.stringMatching(/(failed in its answer|cannot be reached).*_BASE_URL.*: .*[^.]$/),
      });
      expect(String(cut)).not.toContain("successful");
    },
  );

  verifies(
    "models:abort",
    `${name}: an abort ends a stream that hangs, with the signal's reason`,
    async () => {
      await using server = await startModelServer([{ text: "never finished", hangAfter: 0.7 }]);
      const stop = new AbortController();
      const model = openModel(name, { env: env(server.url) });
      const reading = (async () => {
        for await (const event of model.stream(
          { messages: [{ role: "user", content: [{ kind: "text", text: "Hi" }] }], tools: [] },
          stop.signal,
        ))
          if (event.kind === "text_delta") stop.abort(new Error("enough"));
      })();
      await expect(reading).rejects.toThrow("enough");
    },
  );
}

verifies("models:failures", "arguments that are not JSON arrive as the model wrote them", async () => {
  for (const { model, env } of WIRES.slice(0, 3)) {
    await using server = await startModelServer([
      { calls: [{ id: "c", name: "units__sum", input: {} }], rawInput: '{"a": 2, "b' },
    ]);
    const events = await eventsOf(openModel(model, { env: env(server.url) }), { tools: [SUM] });
    const part = events.find((event) => event.kind === "part");
    expect(part).toMatchObject({ part: { kind: "tool_call", name: "units__sum", input: '{"a": 2, "b' } });
  }
});

verifies(
  "models:failures",
  "names, keys and addresses that are missing are one line with the remedy",
  async () => {
    const open =
      (name: string, env: { readonly [name: string]: string } = {}) =>
      () =>
        openModel(name, { env });
    expect(open("gpt-5")).toThrow(
      '"gpt-5" has no known provider: write provider/name with one of anthropic, openai, google, openai-compatible',
    );
    expect(open("openai/")).toThrow('"openai/" has no model name after openai/');
    expect(open("anthropic/claude")).toThrow("there is no key for anthropic; set ANTHROPIC_API_KEY");
    expect(open("openai-compatible/llama")).toThrow("set OPENAI_BASE_URL");
    expect(open("openai-compatible/llama", { OPENAI_BASE_URL: "nonsense" })).toThrow(
      "OPENAI_BASE_URL is not a URL",
    );
    // A name with several addresses: the reason is in the errors of the single attempts.
    const address = (await closedAddress()).replace("127.0.0.1", "localhost");
    const nowhere = openModel("openai-compatible/llama", { env: { OPENAI_BASE_URL: `${address}/v1` } });
    await expect(eventsOf(nowhere)).rejects.toMatchObject({
      kind: "unreachable",
      message: expect.stringMatching(
        /cannot be reached at http:\/\/localhost:\d+\/v1; check OPENAI_BASE_URL .*ECONNREFUSED/,
      ),
    });
  },
);

verifies(
  "models:proxy",
  "requests go through the proxy of the environment, and one that is down is named",
  async () => {
    await using server = await startModelServer([{ text: "through" }]);
    const nowhere = await closedAddress();
    // The scripted server is the proxy: the name can only be found by one.
    const env = {
      OPENAI_BASE_URL: "http://model.invalid/v1",
      OPENAI_API_KEY: "good",
      HTTP_PROXY: server.url,
    };
    expect(await eventsOf(openModel("openai-compatible/some-model", { env }))).toContainEqual({
      kind: "part",
      part: { kind: "text", text: "through" },
    });
    const [, , , compatible] = await listModels({ env });
    expect(compatible?.models).toEqual(["openai-compatible/a-model", "openai-compatible/b-model"]);
    const down = openModel("openai-compatible/some-model", { env: { ...env, HTTP_PROXY: nowhere } });
    await expect(eventsOf(down)).rejects.toMatchObject({
      kind: "unreachable",
      message: expect.stringMatching(/the proxy at 127\.0\.0\.1:\d+ cannot be reached \(ECONNREFUSED\)/),
    });
  },
);

verifies("models:limits", "tools beyond the provider's number are left out and reported once", async () => {
  await using server = await startModelServer([{ text: "a" }, { text: "b" }]);
  const reports: string[] = [];
  const tools = Array.from({ length: 130 }, (_, n) => ({ ...SUM, name: `t${n}` }));
  const model = openModel("openai-compatible/m", {
    env: { OPENAI_BASE_URL: server.url, OPENAI_API_KEY: "good" },
    report: (line) => reports.push(line),
  });
  await eventsOf(model, { tools });
  await eventsOf(model, { tools });
  expect(reports).toEqual(["openai-compatible accepts at most 128 tools; 2 are not offered: t128, t129"]);
  const closed = tools.slice(0, 7).map((tool) => ({
    ...tool,
    parameters: { ...SUM.parameters, additionalProperties: false },
  }));
  await eventsOf(
    openModel("google/gemini-2.5-pro", {
      env: { GOOGLE_BASE_URL: `${server.url}/v1beta`, GOOGLE_GENERATIVE_AI_API_KEY: "good" },
      report: (line) => reports.push(line),
    }),
    { tools: closed },
  );
  expect(reports.slice(1)).toEqual([
    "google does not support everything in the schemas of 7 tools: t0, t1, t2, t3, t4 …",
  ]);
  expect(server.requests[0]?.["tools"]).toHaveLength(128);
});

verifies(
  "models:limits",
  "the stable part of a request is marked for the cache, and images go where the vendor takes them",
  async () => {
    const image = {
      kind: "json" as const,
      value: { type: "image", data: "aGk=", mimeType: "image/png" },
      mcp: true as const,
    };
    const messages: ModelRequest["messages"] = [
      {
        role: "user",
        content: [
          { kind: "text", text: "look" },
          { kind: "image", mimeType: "image/png", data: "aGk=" },
        ],
      },
      { role: "assistant", content: [{ kind: "tool_call", id: "c", name: "units__sum", input: {} }] },
      {
        role: "tool",
        content: [{ kind: "tool_result", id: "c", name: "units__sum", content: [image], isError: false }],
      },
    ];
    for (const { model, env } of WIRES.slice(0, 3)) {
      await using server = await startModelServer([{ text: "seen" }]);
      await eventsOf(openModel(model, { env: env(server.url) }), { system: "Look.", messages, tools: [SUM] });
      const sent = JSON.stringify(server.requests[0]);
      expect(sent.match(/"cache_control"/g)?.length ?? 0).toBe(model.startsWith("anthropic") ? 4 : 0);
      expect(sent.match(/aGk=/g)).toHaveLength(2);
    }
  },
);

verifies(
  "models:fallback",
  "an overloaded model is asked again, then replaced; a refused key is final",
  async () => {
    await using server = await startModelServer([
      { status: 529 },
      { text: "back" },
      { status: 429, headers: { "retry-after": "3600" } },
      { text: "instead" },
    ]);
    const env = { OPENAI_BASE_URL: server.url, OPENAI_API_KEY: "good" };
    const reports: string[] = [];
    const fallback = openModel("openai-compatible/spare", { env });
    const model = resilientModel(openModel("openai-compatible/first", { env }), {
      fallback,
      report: (line) => reports.push(line),
    });
    expect(await eventsOf(model)).toContainEqual({ kind: "part", part: { kind: "text", text: "back" } });
    const replaced = await eventsOf(model);
    expect(replaced).toContainEqual({ kind: "part", part: { kind: "text", text: "instead" } });
    expect(replaced.at(-1)).toMatchObject({ kind: "finish", model: "openai-compatible/spare" });
    expect(server.requests.map(({ model: asked }) => asked)).toEqual(["first", "first", "first", "spare"]);
    expect(reports).toEqual([
      expect.stringMatching(/attempt 2 of 3 in/),
      expect.stringMatching(/continuing with openai-compatible\/spare$/),
    ]);
    const wrong = resilientModel(
      openModel("openai-compatible/first", { env: { ...env, OPENAI_API_KEY: "bad" } }),
      { fallback },
    );
    await expect(eventsOf(wrong)).rejects.toMatchObject({ kind: "wrong_key" });
  },
);
