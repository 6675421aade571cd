import { atSize, type BuiltProgram, buildProgram, recordFigure, verifies } from "@indus/testkit";
import { afterAll, beforeAll, expect } from "vitest";
import { legacyCall, modernRequest, type RawMessage } from "./http/raw-http.ts";
import { StdioClient } from "./stdio-client.ts";

let program: BuiltProgram;
beforeAll(async () => {
  program = await buildProgram(new URL("stdio-threat-program.ts", import.meta.url));
});
afterAll(() => program[Symbol.dispose]());

const patient = { timeout: 15_000 };

function textOf(message: RawMessage | undefined): string | undefined {
  return (message?.result?.["content"] as { readonly text?: string }[] | undefined)?.[0]?.text;
}

function modernCall(id: number, name: string): unknown {
  return modernRequest(id, "tools/call", { name }).body;
}

/** The opening and a call in each era. */
const ERAS = {
  legacy: {
    start: (client: StdioClient) => client.initialize(),
    call: (id: number, name: string) => legacyCall(id, name),
  },
  modern: { start: () => {}, call: modernCall },
} as const;

for (const [era, { start, call }] of Object.entries(ERAS)) {
  verifies(
    "host-threats:stdout",
    `${era}: what a tool prints goes to standard error, only messages to standard output`,
    async () => {
      await using client = new StdioClient(program.path);
      start(client);
      client.send(call(1, "noisy"), call(2, "noisy"));
      await expect.poll(() => client.answer(1) && client.answer(2), patient).toBeDefined();
      expect([textOf(client.answer(1)), textOf(client.answer(2))]).toEqual(["done", "done"]);
      for (const line of client.lines) expect(line).not.toMatch(/printed|forged/);
      await expect.poll(() => client.stderr.match(/forged/g)?.length, patient).toBe(2);
      expect(client.stderr).toContain(
        "printed by console.log\n{ printed: 'by console.info' }\nprinted by write, no newline",
      );
      client.child.stdin.end();
      expect(await client.exited).toEqual({ code: 0, signal: null });
    },
  );

  verifies(
    "host-threats:stdio-disconnect",
    `${era}: the end of input aborts what runs and ends the process`,
    async () => {
      await using client = new StdioClient(program.path);
      start(client);
      client.send(call(1, "hang"), call(2, "hang"));
      await expect.poll(() => client.stderr.match(/hang started/g)?.length, patient).toBe(2);
      client.child.stdin.end();
      expect(await client.exited).toEqual({ code: 0, signal: null });
      expect(client.stderr.match(/hang aborted/g)?.length).toBe(2);
      expect(client.stderr).toContain("connection over");
    },
  );
}

verifies(
  "host-threats:stdio-disconnect",
  "a client that no longer reads ends the process, without a stack trace",
  async () => {
    await using client = new StdioClient(program.path);
    client.initialize();
    client.send(legacyCall(1, "hang"));
    await expect.poll(() => client.stderr, patient).toContain("hang started");
    client.child.stdout.destroy();
    client.send(...Array.from({ length: 50 }, (_, at) => legacyCall(at + 2, "echo")));
    await expect.poll(() => client.stderr, patient).toContain("hang aborted");
    client.child.stdin.end();
    expect((await client.exited).signal).toBeNull();
    expect(client.stderr).not.toMatch(/EPIPE|\n {4}at /);
  },
);

verifies("host-threats:stdio-signals", "SIGTERM ends a process that is busy", async () => {
  await using client = new StdioClient(program.path);
  client.initialize();
  client.send(legacyCall(1, "hang"));
  await expect.poll(() => client.stderr, patient).toContain("hang started");
  client.child.kill("SIGTERM");
  expect(await client.exited).toEqual({ code: null, signal: "SIGTERM" });
});

verifies(
  "host-threats:stdio-floods",
  "a flood of calls, unknown methods, batches and garbage: each request is answered once, with its own error or result",
  async () => {
    const count = atSize({ quick: 1_500, full: 60_000 });
    await using client = new StdioClient(program.path);
    client.initialize();
    const junk = [
      "",
      "   ",
      "junk",
      "{",
      "null",
      "7",
      '"text"',
      "[]",
      "\u001b[31mred",
      '{"jsonrpc":"2.0"}',
      "[null,1]",
    ];
    const flood: string[] = [];
    for (let id = 1; id <= count; id += 1) {
      const unknown = JSON.stringify({ jsonrpc: "2.0", id, method: `no/such/${id}` });
      const known = JSON.stringify(legacyCall(id, "echo", { id }));
      flood.push([unknown, known, `[${known}]`][id % 3] ?? "", junk[id % junk.length] ?? "");
    }
    const started = performance.now();
    client.sendText(`${flood.join("\n")}\n`);
    const answered = (): number => client.lines.filter((line) => /"id":[1-9]/.test(line)).length;
    await expect.poll(answered, { timeout: 120_000, interval: 100 }).toBe(count);
    const took = performance.now() - started;
    const byId = new Map(client.messages.map((message) => [message.id, message]));
    for (let id = 1; id <= count; id += 1) {
      const answer = byId.get(id);
      if (id % 3 === 0) expect(answer?.error?.code).toBe(-32601);
      else expect(textOf(answer)).toBe(`{"id":${id}}`);
    }
    recordFigure({
      what: "flood on stdio",
      size: `${count} requests`,
      found: `all answered in ${took.toFixed(0)} ms`,
    });
  },
  { timeoutMs: 180_000 },
);

verifies(
  "host-threats:stdio-huge",
  "large arguments are accepted, bombs are refused, and the connection remains",
  async () => {
    await using client = new StdioClient(program.path);
    client.initialize();
    const call = (id: number, args: string): string =>
      `${JSON.stringify(legacyCall(id, "length", "HERE")).replace('"HERE"', () => args)}\n`;
    client.sendText(call(1, JSON.stringify({ a: "x".repeat(8 * 1024 * 1024) })));
    client.sendText(call(2, `{"a":[${"0,".repeat(1_000_000)}0]}`));
    client.sendText(call(3, `{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`));
    client.sendText(call(4, `{"a":${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}}`));
    client.send({ jsonrpc: "2.0", id: 5, method: "x".repeat(1024 * 1024) }, legacyCall(6, "echo"));
    // Answers may come in any order: the first call has the most work.
    for (const id of [6, 1]) await expect.poll(() => client.answer(id), patient).toBeDefined();
    expect(textOf(client.answer(1))).toBe(String(8 * 1024 * 1024 + 8));
    for (const id of [2, 3, 4]) expect(client.answer(id)?.error?.code, `call ${id}`).toBe(-32602);
    expect(client.answer(5)?.error?.code).toBe(-32601);
    expect(textOf(client.answer(6))).toBe("{}");
  },
);
