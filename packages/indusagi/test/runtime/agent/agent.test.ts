import { setTimeout as sleep } from "node:timers/promises";
import { verifies } from "@indus/testkit";
import { answeredOutcome, createTableBox, failureResult, type TableTool } from "indusagi/runtime";
import { expect } from "vitest";
import { calls, says } from "./scripted-model.ts";
import { textOf, toolNamed, tryAgent } from "./try-agent.ts";

verifies("agent:stream", "deltas first, then the complete part in the transcript", async () => {
  const { agent, turn, model } = tryAgent([says("Hello", { inputTokens: 3, outputTokens: 1 })], [], {
    system: "Be brief.",
  });
  const { events, end } = await turn("Hi");
  const streamed = events.flatMap((event) => (event.kind === "text_delta" ? [event.text] : [])).join("");
  expect(streamed).toBe("Hello");
  expect(end).toMatchObject({ kind: "end", reason: "stop", steps: 1 });
  expect(agent.transcript()).toEqual([
    { kind: "user", content: [{ kind: "text", text: "Hi" }] },
    {
      kind: "assistant",
      content: [{ kind: "text", text: "Hello" }],
      model: "scripted/model",
      finish: "stop",
      usage: { inputTokens: 3, outputTokens: 1 },
    },
  ]);
  expect(model.requests[0]).toMatchObject({ system: "Be brief." });
  const replaced = tryAgent([[{ kind: "finish", reason: "stop", model: "another/model" }]], []);
  await replaced.turn();
  expect(replaced.agent.transcript().at(-1)).toMatchObject({ model: "another/model" });
});

verifies("agent:order", "reading calls overlap; changing calls wait for all before them", async () => {
  const log: string[] = [];
  const tool = (name: string, isReadOnly: boolean) =>
    toolNamed(name, {
      annotations: { readOnlyHint: isReadOnly },
      run: async () => {
        log.push(`${name} begins`);
        await sleep(10);
        log.push(`${name} ends`);
        return name;
      },
    });
  const script = calls(["r1", {}], ["r2", {}], ["w1", {}], ["w2", {}], ["r1", {}]);
  const { turn, answers, model } = tryAgent(
    [script],
    [tool("r1", true), tool("r2", true), tool("w1", false), tool("w2", false)],
  );
  await turn();
  expect(log.slice(0, 2)).toEqual(["r1 begins", "r2 begins"]);
  expect(log.slice(4)).toEqual(["w1 begins", "w1 ends", "w2 begins", "w2 ends", "r1 begins", "r1 ends"]);
  expect(answers()).toHaveLength(5);
  const sent = model.requests[1]?.messages.at(-1);
  expect(sent?.content.map((part) => (part.kind === "tool_result" ? part.id : ""))).toEqual([
    "c0",
    "c1",
    "c2",
    "c3",
    "c4",
  ]);
});

verifies(
  "agent:arguments",
  "text where the schema takes a number is repaired, and both forms are kept",
  async () => {
    const seen: unknown[] = [];
    const parameters = {
      type: "object",
      properties: { n: { type: "integer" }, free: { type: "string" } },
      required: ["n"],
    };
    const add = toolNamed("add", { parameters, run: (input) => `call ${seen.push(input)}` });
    const { turn, answers } = tryAgent([calls(["add", { n: "5", free: "7" }])], [add]);
    await turn();
    expect(seen).toEqual([{ n: 5, free: "7" }]);
    expect(answers()[0]).toMatchObject({ given: { n: "5", free: "7" }, sent: { n: 5, free: "7" } });
  },
);

verifies("agent:bad-calls", "each gets an answer that says what to do, and no tool runs", async () => {
  let runs = 0;
  const parameters = { type: "object", properties: { path: { type: "string" } }, required: ["path"] };
  const read = toolNamed("read_file", { parameters, run: () => `${++runs}` });
  const { turn, answers, model } = tryAgent(
    [calls(["readfile", {}], ["read_file", '{"path": '], ["read_file", { path: 3 }])],
    [read],
  );
  expect((await turn()).end.reason).toBe("stop");
  expect(runs).toBe(0);
  expect(answers().map(textOf)).toEqual([
    'there is no tool named "readfile"; did you mean read_file?',
    expect.stringMatching(/^read_file was not run: its arguments are not valid JSON .*Call it again/),
    expect.stringMatching(
      /^read_file was not run: path must be a text, got 3|^read_file was not run: .*path/,
    ),
  ]);
  expect(answers().every(({ isError, sent }) => isError && sent === undefined)).toBe(true);
  expect(model.requests).toHaveLength(2);
});

verifies(
  "agent:step-limit",
  "the turn ends after the last allowed step, with every call answered",
  async () => {
    let count = 0;
    const tick = toolNamed("tick", { run: () => `${++count}` });
    const endless = Array.from({ length: 20 }, () => calls(["tick", {}]));
    const { turn, answers, model } = tryAgent(endless, [tick], { maxSteps: 4 });
    expect((await turn()).end).toMatchObject({ reason: "step_limit", steps: 4 });
    expect(model.requests).toHaveLength(4);
    expect(answers()).toHaveLength(4);
  },
);

verifies(
  "agent:repeats",
  "three equal answers, then refusals, then the end; a poll with new answers goes on",
  async () => {
    let runs = 0;
    const stuck = toolNamed("stuck", { run: () => (runs++, "same") });
    const endless = Array.from({ length: 20 }, () => calls(["stuck", { a: 1 }]));
    const { turn, answers } = tryAgent(endless, [stuck]);
    expect((await turn()).end.reason).toBe("repeating");
    expect(runs).toBe(3);
    expect(textOf(answers()[3]!)).toMatch(/^stuck was not run: the same call/);

    let count = 0;
    const poll = toolNamed("poll", { run: () => `${++count}` });
    const polling = tryAgent([...Array.from({ length: 9 }, () => calls(["poll", {}])), says("over")], [poll]);
    expect((await polling.turn()).end.reason).toBe("stop");
    expect(count).toBe(9);
  },
);

verifies("agent:abort", "in the stream, in a call, between two calls", async () => {
  const inStream = new AbortController();
  const streaming = tryAgent(
    [
      async function* () {
        yield { kind: "text_delta", text: "half" };
        inStream.abort(new Error("stop"));
        await new Promise(() => {}); // An adapter that ignores its signal.
      },
    ],
    [],
  );
  expect((await streaming.turn("go", inStream.signal)).end.reason).toBe("aborted");
  expect(streaming.agent.transcript().at(-1)).toMatchObject({
    finish: "aborted",
    content: [{ text: "half" }],
  });

  const inCall = new AbortController();
  const first = toolNamed("first", {
    run: async (_, signal) => {
      inCall.abort(new Error("stop"));
      return signal?.aborted ? "was aborted" : "not aborted";
    },
  });
  const calling = tryAgent([calls(["first", {}], ["second", {}])], [first, toolNamed("second")]);
  expect((await calling.turn("go", inCall.signal)).end.reason).toBe("aborted");
  expect(calling.answers().map(textOf)).toEqual(["was aborted", "second was aborted before it started"]);

  const { end } = await calling.turn("go on");
  expect(end.reason).toBe("stop");
});

verifies("agent:abort", "a reader who leaves ends the turn", async () => {
  let aborted = false;
  const waits = toolNamed("waits", {
    run: (_, signal) =>
      new Promise((resolve) => signal?.addEventListener("abort", () => resolve(`${(aborted = true)}`))),
  });
  const { agent } = tryAgent([calls(["waits", {}])], [waits]);
  for await (const event of agent.send("go")) if (event.kind === "tool_start") break;
  await expect.poll(() => aborted).toBe(true);
});

verifies("agent:model-failure", "an error, silence, an endless and an empty answer", async () => {
  const failing = tryAgent(
    [
      async function* () {
        yield { kind: "text_delta", text: "I was" };
        yield { kind: "part", part: { kind: "tool_call", id: "c", name: "t", input: {} } };
        throw new Error("529 overloaded");
      },
      says("here again"),
    ],
    [toolNamed("t")],
  );
  const { end } = await failing.turn();
  expect(end).toMatchObject({ reason: "failed", error: new Error("529 overloaded") });
  expect(failing.agent.transcript().at(-1)).toMatchObject({
    finish: "failed",
    content: [{ kind: "text", text: "I was" }],
  });
  expect((await failing.turn("and now?")).end.reason).toBe("stop");

  const silent = tryAgent(
    [() => ({ [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) })],
    [],
    { idleMs: 20 },
  );
  expect((await silent.turn()).end).toMatchObject({
    reason: "failed",
    error: { message: "scripted/model sent nothing for 20 ms" },
  });

  const slow = tryAgent(
    [
      async function* () {
        for (let piece = 0; piece < 8; piece++) {
          await sleep(60);
          yield { kind: "call_delta", text: "x" };
        }
        yield* calls(["t", {}]);
      },
    ],
    [toolNamed("t")],
    { idleMs: 400 }, // Less than all pieces take, and much more than one, even on a busy machine.
  );
  expect((await slow.turn()).end.reason).toBe("stop");

  let isReturned = false;
  const endless = tryAgent(
    [
      async function* () {
        try {
          for (;;) yield { kind: "text_delta", text: "again " };
        } finally {
          isReturned = true;
        }
      },
    ],
    [],
    { maxAnswerChars: 100 },
  );
  expect((await endless.turn()).end).toMatchObject({
    reason: "failed",
    error: { message: "scripted/model was stopped: its answer has more than 100 characters" },
  });
  expect(endless.agent.transcript().at(-1)).toMatchObject({
    finish: "failed",
    content: [{ text: "again ".repeat(16) }],
  });
  await expect.poll(() => isReturned).toBe(true);

  const empty = tryAgent([[{ kind: "finish", reason: "other" }]], []);
  expect((await empty.turn()).end.reason).toBe("other");
  await empty.turn("once more");
  expect(empty.model.requests[1]?.messages).toEqual([
    {
      role: "user",
      content: [
        { kind: "text", text: "go" },
        { kind: "text", text: "once more" },
      ],
    },
  ]);
});

verifies("agent:usage", "over the steps of a turn, and over turns", async () => {
  const usage = { inputTokens: 10, outputTokens: 2, cachedInputTokens: 4 };
  const step = calls(["t", {}]).map((event) => (event.kind === "finish" ? { ...event, usage } : event));
  const { agent, turn } = tryAgent([step, says("a", usage), says("b", { inputTokens: 1 })], [toolNamed("t")]);
  expect((await turn()).end.usage).toEqual({ inputTokens: 20, outputTokens: 4, cachedInputTokens: 8 });
  await turn();
  expect(agent.usage()).toEqual({ inputTokens: 21, outputTokens: 4, cachedInputTokens: 8 });
});

verifies(
  "agent:live-tools",
  "a tool that appears in a call is offered in the next step, or in the next turn",
  async () => {
    const names = (request: { readonly tools: readonly { readonly name: string }[] } | undefined) =>
      request?.tools.map(({ name }) => name).filter((name) => name !== "read_result");
    for (const toolsChange of ["step", "turn"] as const) {
      const made = tryAgent([calls(["grow", {}]), says("done"), says("later")], [], { toolsChange });
      const grow = toolNamed("grow", { run: () => (made.table.replace([grow, toolNamed("grown")]), "grew") });
      made.table.replace([grow]);
      const { events } = await made.turn();
      await made.turn();
      const offered = made.model.requests.map(names);
      expect(offered).toEqual([
        ["grow"],
        toolsChange === "step" ? ["grow", "grown"] : ["grow"],
        ["grow", "grown"],
      ]);
      expect(events.some(({ kind }) => kind === "tools_changed")).toBe(toolsChange === "step");
    }
  },
);

verifies(
  "agent:unlisted-tools",
  "one that the box runs but does not list is called by its name, with repaired arguments",
  async () => {
    const seen: unknown[] = [];
    const parameters = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
    const hidden = toolNamed("hidden_one", { parameters, run: (input) => `ran ${seen.push(input)}` });
    const all = createTableBox([toolNamed("shown"), hidden]).box;
    const listed = createTableBox([toolNamed("shown")]).box;
    const { turn, answers, model } = tryAgent(
      [calls(["hidden_one", { n: "5" }], ["hidden_one", {}], ["hidden_on", { n: 1 }])],
      [],
      { box: { ...listed, runner: all.runner }, callable: () => all.descriptors() },
    );
    await turn();
    expect(model.requests[0]?.tools.map(({ name }) => name)).toEqual(["shown"]);
    expect(seen).toEqual([{ n: 5 }]);
    expect(answers().map(textOf)).toEqual([
      "ran 1",
      expect.stringMatching(/^hidden_one was not run: .*n/),
      'there is no tool named "hidden_on"; did you mean hidden_one?',
    ]);
  },
);

verifies("agent:live-tools", "an agent listens to its box once, however many turns it takes", async () => {
  const { box } = createTableBox([]);
  let listeners = 0;
  const counted = {
    ...box,
    onChange: (listener: Parameters<typeof box.onChange>[0]) => (listeners++, box.onChange(listener)),
  };
  const { turn } = tryAgent([], [], { box: counted });
  for (const _ of [1, 2, 3]) await turn();
  expect(listeners).toBe(1);
});

verifies("agent:resume", "a transcript that ended in the middle of a step continues", async () => {
  const begun = tryAgent([calls(["t", {}], ["t", {}])], [toolNamed("t")]);
  await begun.turn();
  // As after a crash: the last answers were not written.
  const transcript = begun.agent.transcript().slice(0, 3);
  const { agent, model } = tryAgent([says("I see")], [toolNamed("t")], { transcript });
  for await (const event of agent.send("what happened?")) void event;
  expect(model.requests[0]?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "user"]);
  expect(JSON.stringify(model.requests[0]?.messages[2])).toContain("t was interrupted before it answered");
});

verifies(
  "agent:errors",
  "the message of a tool that failed is its answer, and one turn runs at a time",
  async () => {
    const fails: TableTool = {
      ...toolNamed("fails"),
      run: async ({ id }) => answeredOutcome(id, failureResult("disk on fire")),
    };
    const { agent, turn, answers, model } = tryAgent([calls(["fails", {}])], [fails]);
    const running = turn();
    expect(() => agent.send("at the same time")).toThrow("already running a turn");
    await running;
    expect(answers()[0]).toMatchObject({ isError: true, content: [{ text: "disk on fire" }] });
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({ role: "tool", content: [{ isError: true }] });
  },
);
