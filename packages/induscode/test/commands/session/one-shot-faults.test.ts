import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { muteRow, scriptedRow, writeConfig } from "../../bin/run-indus.ts";
import { gatedRow } from "../../bin/scripted-client.ts";
import { closedAddress } from "../../models/wire/model-server.ts";
import { calling, MODELS, printRun } from "./print-run.ts";

/** Against a hang: on a busy machine the first test loads everything. */
const LIMIT_MS = 60_000;

const linesOf = (text: string): readonly string[] => text.trimEnd().split("\n");

verifies(
  "print:problems",
  "no key, a wrong key, a wrong address and a wrong window are one line each; the prompt stays on the disk, and is not sent again",
  async () => {
    await using test = await printRun([{ text: "Here." }]);
    const nowhere = await closedAddress();
    const secret = "sk-wrong-0123456789";
    const faults: readonly (readonly [env: { readonly [name: string]: string }, line: RegExp])[] = [
      [
        { INDUS_MODEL: "anthropic/claude-sonnet-4-5", ANTHROPIC_API_KEY: "" },
        /^indus: there is no key for anthropic; set ANTHROPIC_API_KEY, or put the key into accounts\.json next to your mcp\.json$/,
      ],
      [{ INDUS_CONTEXT_TOKENS: "128k" }, /^indus: INDUS_CONTEXT_TOKENS takes a whole number .* not "128k"/],
      [
        { OPENAI_BASE_URL: "localhost:11434/v1" },
        /^indus: OPENAI_BASE_URL must start with http:\/\/ or https:\/\/, not "localhost:11434\/v1"$/,
      ],
      [
        { OPENAI_BASE_URL: `http://user:${secret}@127.0.0.1/v1` },
        /^indus: OPENAI_BASE_URL must not have a user or a password; put a key into OPENAI_API_KEY$/,
      ],
      [
        { OPENAI_API_KEY: `${secret}\u2026` },
        /^indus: OPENAI_API_KEY contains a character that is not valid in a key; copy the key again$/,
      ],
      [
        { OPENAI_API_KEY: secret },
        /^indus: openai-compatible refused the key \(401\); check OPENAI_API_KEY: /,
      ],
      [
        { OPENAI_BASE_URL: `${nowhere}/v1` },
        /^indus: openai-compatible cannot be reached at http:\S+; check OPENAI_BASE_URL and the network: .*ECONNREFUSED/,
      ],
    ];
    for (const [env, line] of faults) {
      const { code, out, err } = await test.indus(["-p", "Remember the milk."], { env });
      expect({ code, out }, err).toEqual({ code: 1, out: "" });
      expect(linesOf(err)).toEqual([expect.stringMatching(line)]);
      expect(err).not.toContain(secret);
    }
    expect(await test.indus(["-p", "--continue", "Are you there?"])).toMatchObject({
      code: 0,
      out: "Here.\n",
    });
    expect(JSON.stringify(test.server.requests)).not.toContain("Remember the milk.");
    const files = readdirSync(test.at("state"), { recursive: true, encoding: "utf8" });
    const transcripts = files.filter((file) => file.endsWith("transcript.jsonl"));
    const kept = transcripts.map((file) => readFileSync(test.at("state", file), "utf8"));
    expect(kept.filter((text) => text.includes("Remember the milk."))).toHaveLength(2);
  },
  { timeoutMs: LIMIT_MS },
);

verifies(
  "print:problems",
  "a rule that cannot be parsed is a wrong line, with -p, --rpc and acp, and starts nothing",
  async () => {
    await using test = await printRun([]);
    const starts = test.at("starts");
    const file = await writeConfig(test.at("servers.json"), { s: muteRow(starts) });
    for (const words of [["-p", "Hi"], ["--rpc"], ["acp"]]) {
      const { code, out, err } = await test.indus([
        ...words,
        "--mcp",
        file,
        "--deny",
        "a b",
        "--allow=bash(",
      ]);
      expect({ code, out }, words[0]).toEqual({ code: 2, out: "" });
      expect(linesOf(err)).toEqual([
        expect.stringMatching(/^indus: rule "bash\(": use one of the forms .*; rule "a b": use one of /),
      ]);
    }
    expect(existsSync(starts)).toBe(false);
    expect(test.server.requests).toEqual([]);
  },
);

verifies(
  "models:accounts",
  "--account takes the key from the private file, and refuses a file that others can read",
  async () => {
    await using test = await printRun([{ text: "Welcome." }]);
    const file = test.at("config", "indusvx", "accounts.json");
    mkdirSync(test.at("config", "indusvx"), { recursive: true });
    const accounts = { work: { "openai-compatible": "good" }, home: { "openai-compatible": "old-key" } };
    writeFileSync(file, JSON.stringify(accounts), { mode: 0o600 });
    const env = { OPENAI_API_KEY: "not-this-one" };
    const words = ["-p", "--account", "work", "Hi"];
    expect(await test.indus(words, { env })).toEqual({ code: 0, out: "Welcome.\n", err: "" });
    const refused = await test.indus(["-p", "--account", "home", "Hi"]);
    expect(refused).toMatchObject({ code: 1, out: "" });
    expect(refused.err).toMatch(/refused the key \(401\); check openai-compatible in the account file: /);
    chmodSync(file, 0o640);
    expect(await test.indus(words, { env })).toEqual({
      code: 1,
      out: "",
      err: `indus: ${file} can be read by other users; run: chmod 600 ${file}\n`,
    });
    expect(test.server.requests).toHaveLength(1);
  },
  { timeoutMs: LIMIT_MS },
);

verifies(
  "models:fallback",
  "--fallback-model answers after 529 and 429; without it one line names the flag",
  async () => {
    const soon = { status: 529, headers: { "retry-after": "0" } };
    const late = { status: 429, headers: { "retry-after": "3600" } };
    await using test = await printRun([soon, soon, soon, { text: "By another." }, late]);
    const [, spare] = MODELS;
    const { code, out, err } = await test.indus(["-p", "--fallback-model", spare, "Hi"]);
    expect({ code, out }).toEqual({ code: 0, out: "By another.\n" });
    expect(linesOf(err)).toEqual([
      expect.stringContaining("attempt 2 of 3"),
      expect.stringContaining("attempt 3 of 3"),
      expect.stringMatching(new RegExp(`continuing with ${spare}$`)),
    ]);
    const alone = await test.indus(["-p", "Hi"]);
    expect(alone).toMatchObject({ code: 1, out: "" });
    expect(linesOf(alone.err)).toEqual([
      expect.stringMatching(/limits requests \(429\); try again later, or name a --fallback-model/),
    ]);
  },
  { timeoutMs: LIMIT_MS },
);

verifies(
  "models:thinking",
  "--thinking reaches the wire of each vendor",
  async () => {
    await using test = await printRun([]);
    for (const model of MODELS)
      expect(await test.indus(["-p", "--thinking", "high", "--model", model, "Hi"])).toMatchObject({
        code: 0,
      });
    const sent = test.server.requests.map((body) => ({
      openai: body["reasoning_effort"],
      anthropic: body["thinking"],
      gemini: (body["generationConfig"] as { readonly thinkingConfig?: unknown } | undefined)?.thinkingConfig,
    }));
    expect(sent).toEqual([
      { openai: "high" },
      { anthropic: { type: "enabled", budget_tokens: 24_576 } },
      { gemini: { thinkingBudget: 24_576 } },
    ]);
  },
  { timeoutMs: LIMIT_MS },
);

verifies(
  "print:problems",
  "unknown tools and broken arguments are answered in each wire, and a model that never stops calling is stopped",
  async () => {
    const odd = calling(["no such.tool/at all: ".repeat(8), {}]);
    const broken = { ...calling(["ls", {}]), rawInput: '{"path":' };
    for (const model of MODELS) {
      await using test = await printRun([odd, broken, { text: "I see." }]);
      const result = await test.indus(["-p", "--model", model, "Hi"]);
      expect(result, model).toEqual({ code: 0, out: "I see.\n", err: "" });
      const sent = JSON.stringify(test.server.requests.at(-1));
      expect(sent).toContain("there is no tool named");
      // Gemini takes arguments as an object, so that they cannot be broken.
      if (!model.startsWith("google")) expect(sent).toContain("its arguments are not valid JSON");
    }
    const endless = Array.from({ length: 120 }, (_, number) => calling(["count", { number }]));
    await using test = await printRun(endless);
    expect(await test.indus(["-p", "--no-tools", "Count."])).toEqual({
      code: 1,
      out: "",
      err: "indus: stopped after 100 steps; continue with indus -p --continue\n",
    });
    expect(test.server.requests).toHaveLength(100);
  },
  { timeoutMs: LIMIT_MS },
);

verifies(
  "print:dying-server",
  "the model gets one line that names the server, and the next call reaches a new process",
  async () => {
    await using test = await printRun([
      calling(["s__die", {}]),
      calling(["s__echo", { text: "alive again" }]),
      { text: "It came back." },
    ]);
    const file = await writeConfig(test.at("servers.json"), { s: scriptedRow() });
    expect(await test.indus(["-p", "--mcp", file, "Try."])).toEqual({
      code: 0,
      out: "It came back.\n",
      err: "",
    });
    const [, second, third] = test.server.requests.map((body) => JSON.stringify(body));
    expect(second).toMatch(/\\"s\\".*about to die/);
    expect(third).toContain("alive again");
  },
  { timeoutMs: LIMIT_MS },
);

verifies(
  "print:late-servers",
  "a missing server is named; one of an earlier run has its tools at once, and a call waits for it",
  async () => {
    await using test = await printRun([
      { text: "Without it." },
      { text: "With it." },
      calling(["late__t0", {}]),
      { text: "Called." },
    ]);
    const gate = test.at("gate");
    const file = await writeConfig(test.at("servers.json"), { late: gatedRow("--gate", gate) });
    const words = ["-p", "--mcp", file, "--wait"];
    expect(await test.indus([...words, "0", "Hi"])).toEqual({
      code: 0,
      out: "Without it.\n",
      err: 'indus: server "late" is still starting; this run continues without its tools; --wait SECONDS waits longer\n',
    });
    writeFileSync(gate, "");
    expect(await test.indus([...words, "30", "Hi"])).toEqual({ code: 0, out: "With it.\n", err: "" });
    rmSync(gate);
    const open = (text: string): void => {
      if (text.includes('"tool_start"')) writeFileSync(gate, "");
    };
    const { code, out, err } = await test.indus(["-p", "--mcp", file, "--json", "Hi"], { onOut: open });
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toContain("called t0");
    const offered = test.server.requests.map((body) => JSON.stringify(body["tools"]).includes("late__t0"));
    expect(offered).toEqual([false, true, true, true]);
  },
  { timeoutMs: LIMIT_MS },
);

verifies(
  "session:known-servers",
  "the first request leaves before the processes of servers with known tools are started",
  async () => {
    await using test = await printRun([{ text: "Learned." }, calling(["s__t0", {}]), { text: "Called." }]);
    const mark = test.at("mark");
    const file = await writeConfig(test.at("servers.json"), { s: gatedRow("--mark", mark) });
    await test.indus(["-p", "--mcp", file, "Hi"]);
    rmSync(mark);
    let wasStarted: boolean | undefined;
    const look = (text: string): void => {
      // The line about the session is printed when it is open, before the request.
      if (text.includes('"kind":"session"')) wasStarted = existsSync(mark);
    };
    const { out, err } = await test.indus(["-p", "--mcp", file, "--json", "Hi"], { onOut: look });
    expect({ err, wasStarted }).toEqual({ err: "", wasStarted: false });
    expect(out).toContain("called t0");
    expect(JSON.stringify(test.server.requests[1]?.["tools"])).toContain("s__t0");
  },
  { timeoutMs: LIMIT_MS },
);
