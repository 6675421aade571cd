import { verifies } from "@indus/testkit";
import fc from "fast-check";
import type { ModelRequest } from "indusagi/llm";
import { createMemoryResultStore, previewOf, type ResultStore, resultText } from "indusagi/runtime";
import { expect } from "vitest";
import { calls, says } from "../scripted-model.ts";
import { textOf, toolNamed, tryAgent } from "../try-agent.ts";

const LONG = Array.from({ length: 500 }, (_, line) => `line ${line}${line === 321 ? " needle" : ""}`).join(
  "\n",
);

verifies(
  "agent:long-results",
  "the model gets a preview, reads on from the named offset and searches",
  async () => {
    const kept: string[] = [];
    const memory = createMemoryResultStore();
    const store: ResultStore = { ...memory, keep: (id, text) => (kept.push(text), memory.keep(id, text)) };
    /** Calls with the id and the offset that the note in the preview names. */
    const readOn = (more: object) =>
      async function* (request: ModelRequest) {
        const note = /read_result with (\{.*?\})/.exec(
          JSON.stringify(request.messages).replaceAll('\\"', '"'),
        )?.[1];
        yield* calls(["read_result", { ...JSON.parse(note ?? "{}"), ...more }]);
      };
    const { turn, answers } = tryAgent(
      [
        calls(["long", {}]),
        readOn({ limit: 50 }),
        readOn({ search: "needle" }),
        calls(["read_result", { id: "nonsense" }], ["read_result", { limit: 3 }]),
        says("found"),
      ],
      [toolNamed("long", { run: () => LONG })],
      { results: { maxChars: 1_000, store } },
    );
    await turn();
    const [preview, more, found, ...wrong] = answers().map(textOf);
    expect(kept).toEqual([LONG]);
    expect(preview?.length).toBeLessThan(1_200);
    expect(preview).toContain(LONG.slice(0, 600));
    expect(preview?.endsWith(LONG.slice(-250))).toBe(true);
    expect(more).toBe(
      `[characters 700 to 750 of ${LONG.length}; read on with offset 750]\n${LONG.slice(700, 750)}`,
    );
    expect(found).toContain("line 321 needle");
    expect(wrong.sort()).toEqual([
      'read_result was not run: "id" is missing. Call it again with corrected arguments',
      'there is no stored result with the id "nonsense"',
    ]);
  },
);

verifies("agent:long-results", "a preview has whole characters and counts what it leaves out", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "grapheme", minLength: 50, maxLength: 300 }),
      fc.integer({ min: 10, max: 40 }),
      (text, maxChars) => {
        const [block] = previewOf([{ kind: "text", text }], { id: "r1", maxChars });
        const shown = block?.kind === "text" ? block.text : "";
        const [, skipped = ""] = /\n\n\[(\d+) of \d+ characters are left out/.exec(shown) ?? [];
        const [head = "", tail = ""] = shown.split(
          /\n\n\[\d+ of \d+ characters are left out here[^\]]*\]\n\n/,
        );
        expect(text.startsWith(head) && text.endsWith(tail)).toBe(true);
        expect(head.length + tail.length + Number(skipped)).toBe(text.length);
        // A text that ends or begins with half a character does not survive the way to bytes and back.
        expect(Buffer.from(head).toString() + Buffer.from(tail).toString()).toBe(head + tail);
      },
    ),
  );
});

verifies("agent:long-results", "an image stays, and its data does not count", () => {
  const image = {
    kind: "json" as const,
    value: { type: "image", data: "x".repeat(9_000), mimeType: "image/png" },
    mcp: true as const,
  };
  const content = [{ kind: "text" as const, text: "y".repeat(2_000) }, image];
  expect(resultText(content)).toHaveLength(2_000);
  expect(previewOf(content, { id: "r1", maxChars: 100 }).at(-1)).toBe(image);
});

verifies(
  "agent:reader-when-needed",
  "it is offered from the step after the first stored answer on, last, in that turn and in later conversations",
  async () => {
    const names = ({ tools }: ModelRequest): readonly string[] => tools.map(({ name }) => name);
    for (const toolsChange of ["step", "turn"] as const)
      for (const isKnown of [true, false]) {
        const { keep, read, isEmpty } = createMemoryResultStore();
        const store: ResultStore = isKnown
          ? { keep, read, isEmpty: () => isEmpty?.() ?? true }
          : { keep, read };
        const tools = [toolNamed("short"), toolNamed("long", { run: () => LONG })];
        const options = { results: { maxChars: 1_000, store }, toolsChange };
        const script = [calls(["short", {}]), calls(["long", {}]), says("done"), says("again")];
        const { agent, model, turn } = tryAgent(script, tools, options);
        const { events } = await turn();
        await turn();
        const without = ["short", "long"];
        const withIt = [...without, "read_result"];
        expect(model.requests.map(names)).toEqual([without, without, withIt, withIt]);
        expect(events.some(({ kind }) => kind === "tools_changed")).toBe(false);
        const later = tryAgent([says("later")], tools, { ...options, transcript: agent.transcript() });
        await later.turn();
        expect(later.model.requests.map(names)).toEqual([withIt]);
      }
  },
);

verifies(
  "agent:prompt-only",
  "no tool at all without tools in the box, and an earlier conversation's calls become text",
  async () => {
    const tools = [toolNamed("long", { run: () => LONG })];
    const store = createMemoryResultStore();
    const results = { maxChars: 1_000, store };
    const first = tryAgent([calls(["long", { deep: true }]), says("done")], tools, { results });
    await first.turn();
    const { model, turn } = tryAgent([says("words"), says("more")], [], {
      results,
      transcript: first.agent.transcript(),
    });
    await turn("and now?");
    await turn("and then?");
    for (const { tools: offered, messages } of model.requests) {
      expect(offered).toEqual([]);
      const kinds = messages.flatMap(({ content }) => content.map(({ kind }) => kind));
      expect(new Set(kinds)).toEqual(new Set(["text"]));
      expect(messages.every(({ role }, index) => role === (index % 2 === 0 ? "user" : "assistant"))).toBe(
        true,
      );
      const shown = JSON.stringify(messages);
      expect(shown).toContain('[called long with {\\"deep\\":true}]');
      expect(shown).toContain("[long answered: line 0");
    }
  },
);
