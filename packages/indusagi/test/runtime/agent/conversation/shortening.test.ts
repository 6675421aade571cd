import { verifies } from "@indus/testkit";
import fc from "fast-check";
import type { Message } from "indusagi/llm";
import type { TranscriptEntry } from "indusagi/runtime";
import { expect } from "vitest";
import { conversationView } from "../../../../src/runtime/agent/conversation/conversation-view.ts";
import { messageTokens } from "../../../../src/runtime/agent/conversation/message-tokens.ts";
import { planCompaction } from "../../../../src/runtime/agent/conversation/plan-compaction.ts";
import { nextAction } from "../../../../src/runtime/agent/run-turn.ts";
import { calls, says } from "../scripted-model.ts";
import { textOf, toolNamed, tryAgent } from "../try-agent.ts";

const text = (length: number): string => "word ".repeat(length / 5);

/** Any order of entries, also those that no run produces: a file may have been cut or edited. */
const entry = fc.oneof(
  fc.record({
    kind: fc.constant("user" as const),
    content: fc.constant([{ kind: "text" as const, text: "ask" }]),
  }),
  fc.uniqueArray(fc.constantFrom("a", "b", "c"), { maxLength: 3 }).map((ids) => ({
    kind: "assistant" as const,
    model: "m",
    finish: "tool_calls" as const,
    content: ids.map((id) => ({ kind: "tool_call" as const, id, name: "t", input: {} })),
  })),
  fc.record({
    kind: fc.constant("tool" as const),
    id: fc.constantFrom("a", "b", "c"),
    name: fc.constant("t"),
    given: fc.constant({}),
    content: fc.constantFrom(10, 3_000).map((size) => [{ kind: "text" as const, text: text(size) }]),
    isError: fc.boolean(),
  }),
);
const transcripts: fc.Arbitrary<TranscriptEntry[]> = fc.array(entry, { maxLength: 25 });

function expectWellFormed(messages: readonly Message[]): void {
  messages.forEach((message, index) => {
    const next = messages[index + 1];
    expect(message.content.length).toBeGreaterThan(0);
    if (message.role === "user") expect(next?.role).not.toBe("user");
    if (message.role === "tool") expect(messages[index - 1]?.role).toBe("assistant");
    if (message.role !== "assistant") return;
    const asked = message.content.flatMap((part) => (part.kind === "tool_call" ? [part.id] : []));
    const got = next?.role === "tool" ? next.content.map(({ id }) => id) : [];
    expect(got).toEqual(asked);
  });
}

verifies("agent:view", "each call has exactly one answer behind it, with and without shortening", () => {
  fc.assert(
    fc.property(transcripts, fc.integer({ min: 10, max: 2_000 }), (transcript, windowTokens) => {
      expectWellFormed(conversationView(transcript));
      const plan = planCompaction(transcript, windowTokens);
      if (!plan) return;
      const { previewsBefore, summaryBefore: before } = plan;
      const summary = before === undefined ? {} : { summary: { before, text: "short" } };
      const shortened: TranscriptEntry[] = [
        ...transcript,
        { kind: "compaction", previewsBefore, ...summary },
      ];
      const view = conversationView(shortened);
      expectWellFormed(view);
      if (before !== undefined) expect(view[0]?.role).toBe("user");
      else expect(messageTokens(view)).toBeLessThan(messageTokens(conversationView(transcript)));
      const again = planCompaction(shortened, windowTokens);
      expect(again?.previewsBefore ?? previewsBefore).toBeGreaterThanOrEqual(previewsBefore);
      expect(again?.summaryBefore ?? before ?? 0).toBeGreaterThanOrEqual(before ?? 0);
    }),
  );
});

verifies("agent:view", "the next action calls only what has no answer yet", () => {
  fc.assert(
    fc.property(transcripts, (transcript) => {
      const action = nextAction(transcript, { steps: 0, maxSteps: 1 });
      if (action.kind !== "call") return;
      const last = transcript.findLastIndex(({ kind }) => kind === "assistant");
      const answered = transcript.slice(last).flatMap((one) => (one.kind === "tool" ? [one.id] : []));
      for (const { id } of action.calls) expect(answered).not.toContain(id);
    }),
  );
});

verifies(
  "agent:compaction",
  "previews come first, the summary later, and nothing leaves the transcript",
  async () => {
    const big = toolNamed("big", { run: (input) => `${JSON.stringify(input)} ${text(8_000)}` });
    const steps = Array.from({ length: 9 }, (_, n) => calls(["big", { n }]));
    const { agent, model, turn, answers } = tryAgent([...steps, says("done")], [big], {
      context: { windowTokens: 14_000 },
    });
    expect((await turn("work")).end.reason).toBe("stop");
    const [first] = agent.transcript().filter((one) => one.kind === "compaction");
    expect(first).toMatchObject({ previewsBefore: expect.any(Number) });
    expect(first?.summary).toBeUndefined();
    expect(answers().every((answer) => textOf(answer).length > 8_000)).toBe(true);
    const last = JSON.stringify(model.requests.at(-1)?.messages);
    expect(last).toContain("characters are left out here");
    expect(last.length / 4).toBeLessThan(14_000);
  },
);

verifies(
  "agent:compaction",
  "long turns become a summary by the model; a failed summary is reported and the turn goes on",
  async () => {
    const long = text(8_000);
    const { agent, model, turn } = tryAgent([says(long), says("SUMMARY"), says("b"), says("c")], [], {
      context: { windowTokens: 2_000 },
    });
    await turn("first");
    await turn("second");
    const summaryRequest = model.requests[1];
    expect(summaryRequest).toMatchObject({ tools: [], system: expect.stringContaining("Summarise") });
    expect(model.requests[2]?.messages).toEqual([
      {
        role: "user",
        content: [
          { kind: "text", text: "The conversation until here was shortened to this summary:\n\nSUMMARY" },
          { kind: "text", text: "second" },
        ],
      },
    ]);
    expect(agent.transcript()[1]).toMatchObject({ content: [{ text: long }] });

    const failing = tryAgent([says(long), [{ kind: "finish", reason: "other" }], says("b")], [], {
      context: { windowTokens: 2_000 },
    });
    await failing.turn("first");
    const { events, end } = await failing.turn("second");
    expect(events.some(({ kind }) => kind === "compaction_failed")).toBe(true);
    expect(end.reason).toBe("stop");
  },
);

verifies("agent:compaction", "on request, and never by itself when that is off", async () => {
  const { agent, model, turn } = tryAgent([says(text(6_000)), says("b"), says("SUMMARY")], [], {
    context: { windowTokens: 1_000, auto: false },
  });
  await turn("first");
  await turn("second");
  expect(model.requests).toHaveLength(2);
  const tokens = await agent.contextTokens();
  expect(await agent.compact()).toMatchObject({ summary: { text: expect.stringContaining("SUMMARY") } });
  expect(await agent.contextTokens()).toBeLessThan(tokens / 2);
});
