import { verifies } from "@indus/testkit";
import type { JsonSchema, ToolDescriptor } from "indusagi/llm";
import {
  type Answers,
  answeredOutcome,
  type Caller,
  createTableBox,
  economize,
  failureResult,
  faultOutcome,
  type ProgramLimits,
  type TableTool,
  type ToolBox,
  type ToolCall,
  type ToolOutcome,
  textResult,
} from "indusagi/runtime";
import { expect } from "vitest";
import { entryOf, tool } from "../catalogue.ts";

const PATH: JsonSchema = {
  type: "object",
  properties: { path: { type: "string", description: "Where it is" } },
  required: ["path"],
};

const COUNTED: ToolDescriptor = tool("files", "count_words", {
  description: "Counts the words of a file.",
  parameters: PATH,
  outputSchema: { type: "object", properties: { words: { type: "integer" } }, required: ["words"] },
});

/** What the tools were called with, in order. */
interface Seen {
  readonly calls: ToolCall[];
  readonly callers: (Caller | undefined)[];
}

function testBox(seen: Seen = { calls: [], callers: [] }): ToolBox {
  const entries: TableTool[] = [
    entryOf(tool("files", "read_text_file", { description: "Reads a file.", parameters: PATH })),
    {
      descriptor: COUNTED,
      run: async ({ id }) =>
        answeredOutcome(id, { content: [{ kind: "text", text: "3 words" }], structured: { words: 3 } }),
    },
    {
      descriptor: tool("files", "fails"),
      run: async ({ id }) => answeredOutcome(id, failureResult("no such file: a.txt")),
    },
    {
      descriptor: tool("files", "broken"),
      run: async ({ id }) => faultOutcome(id, "the server is gone", { kind: "transport", retrySafe: false }),
    },
    {
      descriptor: tool("files", "pair"),
      run: async ({ id }) =>
        answeredOutcome(id, {
          content: [
            { kind: "text", text: "one" },
            { kind: "text", text: "two" },
          ],
        }),
    },
    {
      descriptor: tool("my-git", "git_log"),
      run: async ({ id, input }) => answeredOutcome(id, textResult(JSON.stringify(input))),
    },
    {
      descriptor: tool("files", "ask"),
      run: async ({ id }, signal, caller) => {
        const answers = await caller?.ask?.({ name: { method: "elicitation/create" } }, signal);
        return answeredOutcome(id, textResult(JSON.stringify(answers)));
      },
    },
    {
      descriptor: tool("files", "wait"),
      run: (call, signal) =>
        new Promise((resolve) =>
          signal?.addEventListener("abort", () => resolve(answeredOutcome(call.id, textResult("aborted")))),
        ),
    },
  ];
  const noting = entries.map(
    ({ descriptor, run }): TableTool => ({
      descriptor,
      run: (call, signal, caller) => {
        seen.calls.push(call);
        seen.callers.push(caller);
        return run(call, signal, caller);
      },
    }),
  );
  return createTableBox(noting).box;
}

interface RunOptions {
  readonly box?: ToolBox;
  readonly limits?: Partial<ProgramLimits>;
  readonly caller?: Caller;
  readonly signal?: AbortSignal;
}

function outcomeOf(
  code: string,
  { box = testBox(), limits = {}, caller, signal }: RunOptions = {},
): Promise<ToolOutcome> {
  const offered = economize(box, { mode: "code", code: { limits } });
  return offered.runner.run({ id: "1", name: "run_code", input: { code } }, signal, caller);
}

async function run(code: string, options: RunOptions = {}): Promise<string> {
  const { result } = await outcomeOf(code, options);
  return result.content
    .map((block) => (block.kind === "text" ? block.text : JSON.stringify(block.value)))
    .join("\n---\n");
}

verifies(
  "code:list",
  "the model sees a search for functions, the tool that runs programs, and pinned tools",
  async () => {
    const box = economize(testBox(), {
      mode: "code",
      pinned: ["files__pair"],
      code: { resultChars: "whole" },
    });
    expect(box.descriptors().map(({ name }) => name)).toEqual(["tool_search", "run_code", "files__pair"]);
    expect(box.descriptors()[1]?.description).toContain("Namespaces: files, myGit.");
    const found = await box.runner.run({ id: "1", name: "tool_search", input: { query: "count words" } });
    expect(found.output).toContain("declare namespace files {");
    expect(found.output).toContain(
      "function countWords(args: { /** Where it is */ path: string }): Promise<{ words: number }>;",
    );
    const named = await box.runner.run({
      id: "1",
      name: "tool_search",
      input: { names: ["myGit.gitLog", "files.nothing"] },
    });
    expect(named.output).toContain("function gitLog(args?: {}): Promise<unknown>;");
    expect(named.output).toContain('there is no function "files.nothing"');
  },
);

verifies(
  "code:answers",
  "a call resolves with structured content, with the text, or with blocks, and throws on failure",
  async () => {
    expect(await run('return (await files.countWords({ path: "a" })).words + 1')).toBe("4");
    expect(await run('return await files.readTextFile({ path: "a" })')).toBe(
      'files__read_text_file {"path":"a"}',
    );
    expect(await run('return await files.read_text_file({ path: "a" })')).toBe(
      'files__read_text_file {"path":"a"}',
    );
    expect(await run("return await files.pair()")).toBe(
      '[{"type":"text","text":"one"},{"type":"text","text":"two"}]',
    );
    expect(await run("try { await files.fails() } catch (e) { return [e.name, e.message, e.tool] }")).toBe(
      '["ToolError","no such file: a.txt","files__fails"]',
    );
    expect(await run("try { await files.broken() } catch (e) { return [e.kind, e.retrySafe] }")).toBe(
      '["transport",false]',
    );
    const seen: Seen = { calls: [], callers: [] };
    const many = "const all = await Promise.all([1, 2, 3].map((n) => myGit.gitLog({ n }))); return all";
    expect(JSON.parse(await run(many, { box: testBox(seen) }))).toEqual(['{"n":1}', '{"n":2}', '{"n":3}']);
    expect(seen.calls.map(({ name }) => name)).toEqual([
      "my-git__git_log",
      "my-git__git_log",
      "my-git__git_log",
    ]);
  },
);

verifies(
  "code:typescript",
  "types are stripped, and errors name line and column of the model's own code",
  async () => {
    const typed =
      "interface Row { n: number }\nconst rows: Row[] = [{ n: 1 }, { n: 2 } as Row];\nreturn rows.map((row: Row): number => row.n!)";
    expect(await run(typed)).toBe("[1,2]");
    expect(await run("```ts\nreturn 5\n```")).toBe("5");
    const failing = "const a: number = 1;\nconst b = (a as unknown as { c: any }).c;\nreturn b.d";
    const text = await run(failing);
    expect(text).toContain(
      "TypeError: cannot read property 'd' of undefined\n  at line 3, column 9: return b.d",
    );
    expect(text).toContain("No call was made.");
    expect(await run("const ok = 1;\nconst = 5")).toMatch(
      /SyntaxError: .+\n {2}at line 2, column 7: const = 5/,
    );
    expect(await run("const s: string = 'x'; await files.fails({ path: s })")).toContain(
      "ToolError (files__fails): no such file: a.txt\n  at line 1, column 41:",
    );
    expect(await run("return file.x")).toContain("Did you mean files?");
    for (const code of ["import fs from 'node:fs'; return 1", "return require('fs')", "export const a = 1"])
      expect(await run(code)).toContain("no modules, files, network or Node");
    expect(await run("const a = 1;\nif (a) {\n  return a")).toContain(
      "SyntaxError: a bracket is not closed at the end of the program\n  at line 3, column 11: return a",
    );
    expect(await run("return await files.readText({})")).toMatch(
      /there is no tool named "files__readText"; did you mean files.readTextFile/,
    );
  },
);

verifies(
  "code:log",
  "the result has what the program returns and prints, and of a long one a preview",
  async () => {
    expect(await run("console.log('a', { b: 1 }); console.groupEnd(); console.table(2n)")).toBe(
      '(The program returned nothing; it made 0 calls. Use return to get a value.)\n---\nconsole:\na {"b":1}\n2',
    );
    const box = economize(testBox(), { mode: "code" });
    const call = (name: string, input: unknown) => box.runner.run({ id: "1", name, input });
    const long = await call("run_code", { code: "return 'x'.repeat(50000) + 'the end'" });
    const text = String(long.output);
    expect(text.length).toBeLessThan(22_000);
    expect(text).toContain("the end");
    const [, id] = /"id":"(\w+)"/.exec(text) ?? [];
    expect(box.descriptors().map(({ name }) => name)).toEqual(["tool_search", "run_code", "read_result"]);
    expect((await call("read_result", { id, search: "the end" })).output).toContain("1 lines contain");
  },
);

verifies("code:errors", "an error lists the calls that ran before it, with how each ended", async () => {
  const text = await run(
    "await files.readTextFile({ path: 'a' }); try { await files.fails() } catch {} ; throw new RangeError('stop')",
  );
  expect(text).toContain("RangeError: stop\n  at line 1, column");
  expect(text).toContain(
    '1. files.readTextFile({"path":"a"}): ok\n2. files.fails({}): failed: no such file: a.txt',
  );
});

verifies(
  "code:caller",
  "a question suspends the program, which goes on with the answer; its time does not count",
  async () => {
    const asked: unknown[] = [];
    const caller: Caller = {
      key: "k",
      can: { elicit: { form: true }, suspend: true, task: true },
      ask: async (requests): Promise<Answers> => {
        asked.push(requests);
        await new Promise((resolve) => setTimeout(resolve, 5_000));
        return { name: { action: "accept" } };
      },
    };
    const seen: Seen = { calls: [], callers: [] };
    const code =
      "const first = Math.random(); const answer = await files.ask(); return [answer, first === first]";
    expect(await run(code, { caller, box: testBox(seen), limits: { totalMs: 4_000 } })).toBe(
      '["{\\"name\\":{\\"action\\":\\"accept\\"}}",true]',
    );
    expect(asked).toHaveLength(1);
    const [inner] = seen.callers;
    expect(inner?.can).toEqual({ elicit: { form: true } });
    expect(inner?.program).toMatch(/^[0-9a-f]{64}$/);
  },
);

verifies("code:log", "a program that ran out of time still tells what it printed and called", async () => {
  const text = await run(
    "console.log('so far'); await files.readTextFile({}); await files.wait(); return 1",
    {
      limits: { totalMs: 1_500 },
    },
  );
  expect(text).toContain("the program did not end within 1.5 s");
  expect(text).toContain("1. files.readTextFile({}): ok\n2. files.wait({}): was cancelled");
  expect(text).toContain("console:\nso far");
});

verifies("code:cancel", "cancelling ends the program and its calls at once", async () => {
  const abort = new AbortController();
  const running = outcomeOf("await files.wait(); return 1", { signal: abort.signal });
  setTimeout(() => abort.abort(new Error("enough")), 500);
  const outcome = await running;
  expect(outcome.fault?.reason).toBe("aborted");
});
