import { mkdirSync, writeFileSync } from "node:fs";
import { PassThrough } from "node:stream";
import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { COMMANDS, runCommand } from "../../../src/commands/index.ts";
import { parseArguments } from "../../../src/launch/internal.ts";
import { calling, type PrintRun, printRun } from "./print-run.ts";

verifies(
  "repl:start",
  "without a terminal, a model or a cursor there is one line or the short help",
  async () => {
    await using test = await printRun([]);
    const on = onTerminal(test);
    const help = await on([], { isTerminal: false });
    expect(help).toMatchObject({ code: 0, err: "" });
    expect(help.out).toContain("indus mcp list");
    expect((await on([], { env: { INDUS_MODEL: "" } })).out).toContain("indus mcp list");
    expect((await on([], { env: { TERM: "dumb" } })).out).toContain("indus mcp list");
    const lines: readonly (readonly [Ran, number, string])[] = [
      [
        await on(["-i"], { isTerminal: false }),
        2,
        "the interactive mode needs a terminal; use -p for one prompt",
      ],
      [await on(["-i"], { env: { TERM: "dumb" } }), 2, "TERM is dumb"],
      [await on(["-i"], { env: { INDUS_MODEL: "nobody/x" } }), 1, "nobody"],
      [await on(["-i", "--resume", "nothing"]), 1, "nothing"],
      [await on(["-i", "@no-such-file"]), 1, "@no-such-file cannot be attached"],
      [await on(["--rpc", "words"]), 2, "takes its prompts as JSON-RPC"],
      [await on(["--rpc", "-i"]), 2, "takes its prompts as JSON-RPC"],
      [await on(["tols"]), 2, "did you mean"],
    ];
    for (const [{ code, out, err }, expected, line] of lines) {
      expect(err).toContain(line);
      expect(err.trimEnd().split("\n")).toHaveLength(1);
      expect({ code, out }).toEqual({ code: expected, out: "" });
    }
    // A model in the user's settings opens the conversation as the variable does.
    mkdirSync(test.at("config", "indusvx"), { recursive: true });
    writeFileSync(test.at("config", "indusvx", "settings.json"), '{ "model": "nobody/x" }');
    expect((await on([], { env: { INDUS_MODEL: "" } })).out).toContain("indus mcp list");
    writeFileSync(test.at("config", "indusvx", "settings.json"), '{ "model": "anthropic/x" }');
    const keyless = await on([], { env: { INDUS_MODEL: "", ANTHROPIC_API_KEY: "" } });
    expect(keyless).toMatchObject({ code: 1, out: "" });
    expect(keyless.err).toContain("there is no key for anthropic");
    expect(test.server.requests).toEqual([]);
  },
);

verifies(
  "repl:model",
  "at a terminal without a model, three lines of 80 columns say what this environment still needs",
  async () => {
    await using test = await printRun([]);
    const on = onTerminal(test);
    const none = { INDUS_MODEL: "", OPENAI_BASE_URL: "", OPENAI_API_KEY: "", ANTHROPIC_API_KEY: "" };
    const bare = { ...none, GOOGLE_GENERATIVE_AI_API_KEY: "" };
    const advice: readonly (readonly [env: { readonly [name: string]: string }, RegExp])[] = [
      [bare, /export ANTHROPIC_API_KEY=KEY .*OPENAI_BASE_URL=.*\n {2}indus config set model anthropic\/\S+ /],
      [
        { ...bare, ANTHROPIC_API_KEY: "good" },
        /key for anthropic.*\n {2}indus config set model anthropic\/\S+\n/,
      ],
      [none, /key for google.*\n {2}indus config set model google\/\S+\n/],
      [
        { ...bare, OPENAI_BASE_URL: test.env["OPENAI_BASE_URL"] ?? "" },
        /OPENAI_BASE_URL is set.*\n {2}indus --list-models\n {2}indus config set model openai-compatible\/NAME/,
      ],
    ];
    for (const [env, expected] of advice) {
      const { code, out, err } = await on(["-i"], { env });
      expect(err).toMatch(expected);
      expect({ code, out }).toEqual({ code: 1, out: "" });
      const lines = err.trimEnd().split("\n");
      expect(lines).toHaveLength(3);
      expect(lines.filter((line) => line.length > 80)).toEqual([]);
      // Bare indus ends its overview with the same lines.
      const overview = await on([], { env });
      expect(overview.code).toBe(0);
      expect(overview.out.replace(/^[\s\S]*?(?=indus: no model)/, "")).toBe(
        `indus: ${err.replace(/^indus: /, "")}`,
      );
    }
    // A program gets one line.
    const [line = "", ...more] = (await test.indus(["-p", "Hi"], { env: bare })).err.trimEnd().split("\n");
    expect(line).toContain("no model is chosen");
    expect(more).toEqual([]);
    expect((await on([], { env: bare, isTerminal: false })).out).not.toContain("no model");
  },
);

verifies(
  "repl:interrupt",
  "a terminal that disappears without a signal stops the turn and ends the session",
  async () => {
    await using test = await printRun([{ text: "This answer hangs in the middle of it", hangAfter: 0.7 }]);
    const { code, shown } = await untilShown(test, ["-i", "Begin."], "This answer");
    expect(code).toBe(0);
    expect(shown).toContain("stopped");
  },
  { timeoutMs: 60_000 },
);

verifies(
  "repl:continue",
  "a session that is continued begins with its last turn, and a new one with the prompt",
  async () => {
    await using test = await printRun([{ text: "Old." }, calling(["ls", {}]), { text: "**Two** files." }]);
    expect((await untilShown(test, ["-i"], "> ")).shown).not.toContain("the last one");
    await test.indus(["-p", "First."]);
    await test.indus(["-p", "--continue", "What is\nhere?"]);
    const { shown } = await untilShown(test, ["-i", "--continue"], "Two");
    expect(shown).toMatch(
      /The session has 2 turns; the last one was:\n\n> What is\n {2}here\?\n\n✓ ls\(\)\n {2}\.: 0 entries\nTwo files\.\n/,
    );
    expect(shown).not.toContain("Old.");
  },
  { timeoutMs: 60_000 },
);

/** Runs a conversation until the screen shows a text. Then the terminal disappears. */
async function untilShown(
  test: PrintRun,
  words: readonly string[],
  text: string,
): Promise<{ readonly code: number; readonly shown: string }> {
  const keys = Object.assign(new PassThrough(), { setRawMode: () => {} });
  const { signal } = new AbortController();
  let shown = "";
  const out = (piece: string | Uint8Array): void => {
    shown += String(piece);
    if (shown.includes(text)) keys.end();
  };
  const terminal = { out, err: () => {}, keys, outIsScreen: true };
  const options = { terminal, signal, cwd: test.project, env: test.env };
  return { code: await runCommand(parseArguments(words, COMMANDS), options), shown };
}

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a command line in this process, on a terminal or not. */
function onTerminal(
  test: PrintRun,
): (
  words: readonly string[],
  options?: { readonly isTerminal?: boolean; readonly env?: object },
) => Promise<Ran> {
  return async (words, { isTerminal = true, env = {} } = {}) => {
    const texts = { out: "", err: "" };
    const keys = Object.assign(new PassThrough(), { setRawMode: () => {} });
    const terminal = {
      out: (text: string | Uint8Array): void => void (texts.out += String(text)),
      err: (text: string): void => void (texts.err += text),
      ...(isTerminal && { keys, outIsScreen: true }),
    };
    const { signal } = new AbortController();
    const options = { terminal, signal, cwd: test.project, env: { ...test.env, ...env } };
    try {
      return { code: await runCommand(parseArguments(words, COMMANDS), options), ...texts };
    } catch (thrown) {
      return { code: 1, ...texts, err: `${texts.err}${(thrown as Error).message}\n` };
    }
  };
}
