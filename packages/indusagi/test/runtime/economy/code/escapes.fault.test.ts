import { writeFile } from "node:fs/promises";
import { atSize, recordFigure, tempDir, verifies } from "@indus/testkit";
import {
  answeredOutcome,
  createTableBox,
  economize,
  type ProgramLimits,
  type ToolCall,
  textResult,
} from "indusagi/runtime";
import { expect } from "vitest";
import { tool } from "../catalogue.ts";

/** What a program tries, and what it gets. Each is the body of a program. */
interface Attempt {
  readonly name: string;
  readonly code: string;
  /** The whole answer, or a part of it. */
  readonly gives: string | RegExp;
}

/** Values of Node that no program may reach, as an expression that is true if none is there. */
const NOTHING = `["process", "require", "module", "Buffer", "fetch", "WebAssembly", "Worker", "XMLHttpRequest", "Deno", "Bun", "std", "os",
  "setInterval", "setImmediate", "queueMicrotask_", "importScripts", "navigator", "performance_", "URL_", "__dirname", "exports"]
  .every((name) => !(name in globalThis))`;

/** Ways to the constructor of functions, which in another realm would reach that realm. */
const ROADS = [
  "(() => {}).constructor",
  "(async () => {}).constructor",
  "(function* () {}).constructor",
  "(async function* () {}).constructor",
  "files.echo.constructor",
  "files.echo({}).constructor.constructor",
  "files.echo({}).then.constructor",
  "console.log.constructor",
  "console.constructor.constructor",
  "setTimeout.constructor",
  "clearTimeout.constructor",
  "ToolError.constructor",
  "Object.getPrototypeOf(async () => {}).constructor",
  "(await files.echo({}).catch((e) => e)).constructor.constructor",
  "(await files.fails({}).catch((e) => e)).constructor.constructor",
  "(await files.nothing({}).catch((e) => e)).constructor.constructor",
  "Reflect.get(files, 'echo').constructor",
  "new Error().constructor.constructor",
  "[].constructor.constructor",
  "Symbol.constructor",
];

/** Ways to a value of the host through an object that crosses, or seems to. */
const EXPRESSIONS: readonly (readonly [string, string])[] = [
  ["Object.getPrototypeOf(files)", "null"],
  ["typeof files.then", '"undefined"'],
  ["Object.keys(files).length", "0"],
  ["Object.getOwnPropertyNames(files).length", "0"],
  ["typeof files.__proto__", '"function"'],
  ["(() => { try { files.echo = 1; return files.echo === 1 } catch { return false } })()", "false"],
  [
    "(() => { try { Object.defineProperty(files, 'x', { value: 1 }); return true } catch { return false } })()",
    "false",
  ],
  [
    "(() => { try { Object.setPrototypeOf(files, { x: 1 }); return true } catch { return false } })()",
    "false",
  ],
  ["typeof globalThis.indus", '"undefined"'],
  ["typeof send", '"undefined"'],
  ["typeof done", '"undefined"'],
  ["typeof arguments", '"undefined"'],
  ["this === globalThis", "true"],
  ["new Error().stack.includes('/')", "false"],
  ["await files.fails({}).catch((e) => e.stack.includes('node:'))", "false"],
  ["await files.fails({}).catch((e) => 'cause' in e)", "false"],
  ["await import('node:fs').then(() => 'loaded', () => 'refused')", '"refused"'],
  ["await import('fs').then(() => 'loaded', () => 'refused')", '"refused"'],
  ["await import('file:///etc/passwd').then(() => 'loaded', () => 'refused')", '"refused"'],
  ["await import('data:text/javascript,1').then(() => 'loaded', () => 'refused')", '"refused"'],
  ["Error.prepareStackTrace === undefined || typeof Error.prepareStackTrace", /./.source],
  [
    "(() => { let seen = 0; Error.prepareStackTrace = (e, frames) => { seen = frames?.length; return '' }; new Error().stack; return typeof (globalThis.process) })()",
    '"undefined"',
  ],
];

/** Arguments and results that try to change what reads them. */
const BORDER: readonly Attempt[] = [
  {
    name: "__proto__ in arguments",
    code: 'return await files.echo(JSON.parse(\'{"__proto__":{"polluted":1},"a":1}\'))',
    gives: '{"__proto__":{"polluted":1},"a":1}',
  },
  {
    name: "a getter as argument",
    code: "let n = 0; await files.echo({ get a() { return ++n } }); return n",
    gives: "1",
  },
  {
    name: "a proxy as argument",
    code: "return await files.echo(new Proxy({ a: 1 }, { get: (t, k) => k === 'toJSON' ? undefined : 7 }))",
    gives: '{"a":7}',
  },
  {
    name: "toJSON that throws",
    code: "return await files.echo({ toJSON() { throw new Error('mine') } }).catch((e) => e.message)",
    gives: "mine",
  },
  {
    name: "toJSON that answers a text",
    code: "return await files.echo({ toJSON: () => 'x' }).catch((e) => e.message)",
    gives: /not JSON/,
  },
  {
    name: "no object",
    code: "return await files.echo('x').catch((e) => e.message)",
    gives: /takes one object/,
  },
  { name: "a list", code: "return await files.echo([1]).catch((e) => e.message)", gives: /takes one object/ },
  {
    name: "a cycle as argument",
    code: "const a = {}; a.a = a; return await files.echo({ a }).catch((e) => e.name)",
    gives: "TypeError",
  },
  {
    name: "deep arguments",
    code: "let a = {}; for (let i = 0; i < 5000; i++) a = { a }; return await files.echo(a).catch((e) => e.message)",
    gives: /nested too deeply|overflow|used up its stack/,
  },
  {
    name: "large arguments",
    code: "return await files.echo({ a: 'x'.repeat(2e6) }).catch((e) => e.message)",
    gives: /at most 1048576/,
  },
  {
    name: "a changed JSON",
    code: 'JSON.stringify = () => \'{"a":"changed"}\'; JSON.parse = () => 1; return await files.echo({ a: 1 })',
    gives: '{"a":1}',
  },
  {
    name: "a changed Promise.prototype.then",
    code: "Promise.prototype.then = () => 1; return 5",
    gives: /5|nothing can resolve/,
  },
  {
    name: "a changed Map.prototype",
    code: "Map.prototype.get = () => undefined; await files.echo({}); return 1",
    gives: /nothing can resolve|not a function|^1/,
  },
  {
    name: "a changed Array.prototype.map",
    code: "Array.prototype.map = () => { throw new Error('mine') }; console.log(1); return 2",
    gives: /mine|2/,
  },
  {
    name: "a getter on the prototype of objects",
    code: "Object.defineProperty(Object.prototype, 'type', { get() { return 'end' }, configurable: true }); return await files.echo({})",
    gives: "{}",
  },
  {
    name: "a return value with a getter",
    code: "let n = 0; return { get a() { return ++n } }",
    gives: '{"a":1}',
  },
  {
    name: "a return value that throws",
    code: "return { get a() { throw new Error('mine') } }",
    gives: /return value is not JSON/,
  },
  {
    name: "a cyclic return value",
    code: "const a = []; a.push(a); return a",
    gives: /return value is not JSON/,
  },
  {
    name: "a thenable as return value",
    code: "return { then(resolve) { resolve('taken') } }",
    gives: "taken",
  },
  {
    name: "a thrown proxy",
    code: "throw new Proxy({}, { get() { throw new Error('trap') }, has() { throw new Error('trap') } })",
    gives: /cannot be read|trap/,
  },
  { name: "a thrown text", code: "throw 'plain'", gives: /Error: plain/ },
  { name: "a thrown null", code: "throw null", gives: /Error: null/ },
  {
    name: "an error with a false stack",
    code: "const e = new Error('m'); e.stack = 'at x (program.js:9999:9)'; throw e",
    gives: /Error: m/,
  },
  {
    name: "an error with an object as message",
    code: "const e = new Error(); e.message = { toString() { throw 1 } }; throw e",
    gives: /a value without a text/,
  },
  {
    name: "the end of the wrapper",
    code: "}), (async () => { return 'second' ",
    gives: /second|SyntaxError/,
  },
  {
    name: "a wrapper that ends early",
    code: "} ) ; globalThis.x = 1 ; ( async ( ) => {",
    gives: /SyntaxError|returned nothing/,
  },
  { name: "a hashbang and HTML comments", code: "<!-- x\nreturn 1", gives: /SyntaxError|1/ },
  { name: "import as a statement", code: "import fs from 'node:fs'; return 1", gives: /SyntaxError/ },
  {
    name: "the name of a missing tool",
    code: "return await files.nothing({}).catch((e) => e.message)",
    gives: /there is no tool/,
  },
  {
    name: "a name with a path",
    code: "return await files['../../etc/passwd']({}).catch((e) => e.message)",
    gives: /there is no tool/,
  },
  {
    name: "a very long name",
    code: "return await files['x'.repeat(1e6)]({}).catch((e) => e.message.length < 4000)",
    gives: "true",
  },
  {
    name: "the names of our own tools",
    code: "return await native.run_code({ code: '1' }).catch((e) => e.name)",
    gives: /ToolError|ReferenceError/,
  },
  {
    name: "names of the prototype",
    code: "return await Promise.all(['constructor', '__proto__', 'toString'].map((n) => files[n]({}).catch((e) => e.name)))",
    gives: /ToolError/,
  },
  {
    name: "a call after the end",
    code: "setTimeout(() => files.echo({ late: 1 }), 0); files.echo({ early: 1 }); return 1",
    gives: /^1/,
  },
];

/** Loops, and what fills memory: each is ended at its limit. */
const GREEDY: readonly Attempt[] = [
  { name: "while", code: "while (true);", gives: /processor time/ },
  {
    name: "a regular expression",
    code: "return /^(a+)+$/.test('a'.repeat(40) + '!')",
    gives: /processor time/,
  },
  { name: "sort", code: "[3, 1, 2].sort(() => { while (true); })", gives: /processor time/ },
  { name: "microtasks", code: "for (;;) await null;", gives: /processor time/ },
  {
    name: "then without end",
    code: "const next = () => Promise.resolve().then(next); await next()",
    gives: /processor time/,
  },
  {
    name: "a generator",
    code: "function* g() { for (;;) yield 1 } for (const x of g());",
    gives: /processor time/,
  },
  { name: "a getter", code: "const o = { get a() { for (;;); } }; return o", gives: /processor time/ },
  {
    name: "toString in an error",
    code: "const e = new Error(); e.message = { toString() { for (;;); } }; throw e",
    gives: /processor time/,
  },
  {
    name: "a caught interrupt",
    code: "for (;;) { try { for (;;); } catch {} finally { for (;;); } }",
    gives: /processor time/,
  },
  {
    name: "a proxy trap",
    code: "return await files.echo(new Proxy({}, { ownKeys() { for (;;); } }))",
    gives: /processor time/,
  },
  { name: "replace", code: "'x'.repeat(1e4).replace(/x/g, () => { for (;;); })", gives: /processor time/ },
  { name: "eval", code: "eval('for (;;);')", gives: /processor time/ },
  { name: "recursion", code: "(function f() { f() })()", gives: /stack|processor time/ },
  {
    name: "recursion in toJSON",
    code: "const f = () => ({ toJSON: () => f() }); let a = f(); const g = () => [g()]; return g()",
    gives: /stack|memory|JSON/,
  },
  { name: "a deep JSON text", code: "return JSON.parse('['.repeat(1e6))", gives: /stack|JSON|memory/i },
  {
    name: "a deep regular expression",
    code: "return new RegExp('('.repeat(1e5) + ')'.repeat(1e5)).test('')",
    gives: /./,
  },
  {
    name: "an array that grows",
    code: "const a = []; for (;;) a.push(new Array(1e4).fill(a.length))",
    gives: /memory|processor time/,
  },
  {
    name: "a text that doubles",
    code: "let s = 'x'; for (;;) s += s",
    gives: /memory|string too long|stack|processor time/i,
  },
  { name: "one large buffer", code: "return new Uint8Array(1e9).length", gives: /memory|length/ },
  {
    name: "many buffers",
    code: "const a = []; for (;;) a.push(new ArrayBuffer(1e6))",
    gives: /memory|processor time/,
  },
  {
    name: "a map that grows",
    code: "const m = new Map(); for (let i = 0; ; i++) m.set(i, 'x' + i)",
    gives: /memory|processor time/,
  },
  {
    name: "10^6 lines",
    code: "for (let i = 0; i < 1e6; i++) console.log('line ' + i)",
    gives: /more lines were not kept|processor time/,
  },
  {
    name: "10^5 calls",
    code: "for (let i = 0; i < 1e5; i++) files.echo({ i }).catch(() => {}); return 1",
    gives: /^1\n|processor time|memory/,
  },
  {
    name: "10^4 timers",
    code: "for (let i = 0; i < 1e4; i++) setTimeout(() => {}, 1e6)",
    gives: /at most 100 timers/,
  },
  { name: "a promise without end", code: "await new Promise(() => {})", gives: /nothing can resolve/ },
  {
    name: "a timer beyond the time",
    code: "await new Promise((r) => setTimeout(r, 1e9))",
    gives: /did not end within/,
  },
  { name: "a value that is too long", code: "return 'x'.repeat(5e6)", gives: /5000000 bytes/ },
];

/** What would keep the gateway itself busy. */
const HEAVY: readonly Attempt[] = [
  {
    name: "arguments with many values",
    code: "return await files.fails({ a: new Array(300000).fill([]) }).catch((e) => e.message)",
    gives: "no",
  },
  {
    name: "many calls with large arguments",
    code: "const a = 'x'.repeat(1e6); await Promise.allSettled(Array.from({ length: 100 }, () => files.fails({ a }))); return 1",
    gives: "1",
  },
  {
    name: "many calls with arguments of many values",
    code: "const a = new Array(1e5).fill({}); await Promise.allSettled(Array.from({ length: 12 }, () => files.fails({ a }))); return 1",
    gives: /^1$|processor time/,
  },
  { name: "a long value", code: "return 'x'.repeat(4e6)", gives: /^x+/ },
  { name: "a long value of short lines", code: "return 'x\\n'.repeat(2e6)", gives: /^x\n/ },
  {
    name: "a long value of characters of four bytes",
    code: "return '\\u{1f600}'.repeat(1e6)",
    gives: /^\u{1f600}/u,
  },
  {
    name: "a value of many values",
    code: "return new Array(1e6).fill([])",
    gives: /^\[\[\]|processor time|memory/,
  },
  {
    name: "a log of short lines",
    code: "for (let i = 0; i < 1e5; i++) console.log(''); return 1",
    gives: /^1|processor time/,
  },
  { name: "an error with a long message", code: "throw new Error('x'.repeat(4e6))", gives: /Error: x+/ },
  {
    name: "a long name of an error",
    code: "const e = new Error('m'); e.name = 'x'.repeat(4e6); throw e",
    gives: /x: m/,
  },
  {
    name: "a thousand failing calls",
    code: "for (let i = 0; i < 1000; i++) await files.fails({ i }).catch(() => {}); throw new Error('end')",
    gives: /Error: end|processor time/,
  },
  {
    name: "a program of many names",
    code: `return [${Array.from({ length: 15_000 }, (_, at) => `typeof n${at}`).join()}].length`,
    gives: "15000",
  },
  {
    name: "a program that is deep",
    code: `return ${"[".repeat(30_000)}${"]".repeat(30_000)}`,
    gives: /stack|memory|JSON|SyntaxError/,
  },
  {
    name: "a program that is one long line",
    code: `return "${"a.".repeat(90_000)}".length`,
    gives: "180000",
  },
];

const ATTEMPTS: readonly Attempt[] = [
  ...ROADS.map((road) => ({
    name: road,
    code: `const made = (${road})(${JSON.stringify(`return ${NOTHING}`)});
      let value = typeof made === "function" ? await made() : made;
      if (typeof value?.next === "function") value = (await value.next()).value;
      return value`,
    gives: /^true/,
  })),
  ...EXPRESSIONS.map(([expression, gives]) => ({
    name: expression,
    code: `return (${expression}) ?? "null"`,
    gives: gives === "." ? /./ : gives.startsWith('"') ? gives.slice(1, -1) : gives,
  })),
  { name: "globals", code: `return ${NOTHING}`, gives: "true" },
  { name: "globals by eval", code: `return (0, eval)(${JSON.stringify(NOTHING)})`, gives: "true" },
  ...BORDER,
  ...GREEDY,
  ...HEAVY,
];

const LIMITS: Partial<ProgramLimits> = { processorMs: 400, totalMs: 20_000 };

/** The longest time in which our own loop did nothing else, in milliseconds. Time that the machine gave to other processes does not count. */
function watchLoop(): () => number {
  let longest = 0;
  let last = performance.now();
  let used = process.cpuUsage();
  const timer = setInterval(() => {
    const now = performance.now();
    const { user, system } = process.cpuUsage(used);
    longest = Math.max(longest, Math.min(now - last - 5, (user + system) / 1_000));
    last = now;
    used = process.cpuUsage();
  }, 5);
  return () => {
    clearInterval(timer);
    return longest;
  };
}

/** What the gateway's loop may stop for. */
const MAX_STOP_MS = 50;

verifies(
  "code:escapes",
  "each of the attempts stays inside, and ends",
  async () => {
    await using dir = await tempDir();
    const secret = dir.at("secret.txt");
    await writeFile(secret, "the secret");
    process.env["INDUS_TEST_SECRET"] = "the secret";
    const calls: ToolCall[] = [];
    const echo = createTableBox([
      {
        descriptor: tool("files", "echo"),
        run: async (call) => {
          calls.push(call);
          return answeredOutcome(call.id, textResult(JSON.stringify(call.input)));
        },
      },
      {
        descriptor: tool("files", "fails"),
        run: async ({ id }) =>
          answeredOutcome(id, { content: [{ kind: "text", text: "no" }], isError: true }),
      },
    ]).box;
    const box = economize(echo, { mode: "code", code: { limits: LIMITS } });
    expect(ATTEMPTS.length).toBeGreaterThanOrEqual(80);
    const chosen = ATTEMPTS.filter((_, at) => at % atSize({ quick: 11, full: 1 }) === 0);
    const wrong: string[] = [];
    let longest = 0;
    for (const { name, code, gives } of chosen) {
      const stop = watchLoop();
      const outcome = await box.runner.run({ id: "1", name: "run_code", input: { code } });
      const stoppedMs = stop();
      longest = Math.max(longest, stoppedMs);
      if (stoppedMs > MAX_STOP_MS) wrong.push(`${name}: the loop stopped for ${stoppedMs.toFixed(0)} ms`);
      const text = outcome.result.content
        .map((block) => (block.kind === "text" ? block.text : ""))
        .join("\n");
      const isAsMeant = typeof gives === "string" ? text === gives : gives.test(text);
      const isKept = outcome.fault === undefined && !text.includes("the secret");
      if (!isAsMeant || !isKept) wrong.push(`${name}: ${text.slice(0, 300)}`);
    }
    expect(wrong).toEqual([]);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
    expect(calls.every(({ name }) => name === "files__echo")).toBe(true);
    delete process.env["INDUS_TEST_SECRET"];
    recordFigure({
      what: "programs that try to escape, or never end",
      size: `${chosen.length} of ${ATTEMPTS.length} attempts`,
      found: `all contained; the gateway's loop stopped for ${longest.toFixed(0)} ms at most`,
    });
  },
  { timeoutMs: atSize({ quick: 120_000, full: 15 * 60_000 }) },
);
