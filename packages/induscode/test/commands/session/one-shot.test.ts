import { readFileSync, writeFileSync } from "node:fs";
import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { calling, printRun } from "./print-run.ts";

/** Against a hang: on a busy machine the first test loads everything. */
const LIMIT_MS = 60_000;
const PNG = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");

verifies(
  "print:text",
  "the words, piped text, a file and an image reach the model; only the last message is printed",
  async () => {
    await using test = await printRun(
      [{ ...calling(["ls", {}]), text: "First I look." }, { text: "Two files." }],
      { "notes.md": "Remember the milk." },
    );
    writeFileSync(test.at("project", "dot.png"), PNG);
    const words = [
      "-p",
      "What",
      "is",
      "here?",
      `@${test.at("project", "notes.md")}`,
      `@${test.at("project", "dot.png")}`,
    ];
    const result = await test.indus([...words, "--append-system", "Be brief."], { piped: "piped text\n" });
    expect(result).toEqual({ code: 0, out: "Two files.\n", err: "" });
    const [first] = test.server.requests;
    const text = JSON.stringify(first);
    expect(text).toContain("What is here?\\n\\npiped text");
    expect(text).toContain("Remember the milk.");
    expect(text).toContain(`data:image/png;base64,${PNG.toString("base64")}`);
    expect(text).toContain("# Tools");
    expect(text).toContain("Be brief.");
  },
  { timeoutMs: LIMIT_MS },
);

verifies(
  "print:json",
  "the session first, then each event, and the tokens with the end",
  async () => {
    await using test = await printRun([
      calling(["ls", {}]),
      { text: "Nothing here.", usage: { input: 200, output: 4, cached: 150 } },
    ]);
    const { code, out, err } = await test.indus(["-p", "--json", "List it."]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    const events = out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { readonly [member: string]: unknown });
    expect(events[0]).toMatchObject({
      kind: "session",
      mode: "default",
      model: "openai-compatible/some-model",
    });
    expect(events.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(["step", "tool_start", "entry", "text_delta"]),
    );
    const end = events.at(-1) as { readonly session: { readonly usage: object; readonly context: object } };
    expect(end).toMatchObject({ kind: "end", reason: "stop", steps: 2 });
    expect(end.session.usage).toMatchObject({ cachedInputTokens: 150 });
    expect(end.session.usage).toHaveProperty("cacheHitShare");
    expect(end.session.context).toMatchObject({ windowTokens: 200_000 });
  },
  { timeoutMs: LIMIT_MS },
);

verifies(
  "print:problems",
  "a wrong line is one line and a code, and no model is asked",
  async () => {
    await using test = await printRun([]);
    const lines: readonly (readonly [words: readonly string[], code: number, line: string])[] = [
      [["-p"], 2, '-p needs a prompt: indus -p "PROMPT", or pipe it in'],
      [["-p", "Hi", "@nope.md"], 1, "@nope.md cannot be attached: there is no such file"],
      [["-p", "Hi", "--model", "x"], 1, '"x" has no known provider: write provider/name with one of'],
      [
        ["-p", "Hi", "--allow", "bash("],
        2,
        'rule "bash(": use one of the forms TOOL, TOOL(PATTERN) and SERVER__*',
      ],
      [["-p", "Hi", "--continue"], 1, "this folder has no session to continue; start one without --continue"],
      [["-p", "Hi", "--resume", "01ABC"], 1, '--resume: this folder has no session "01ABC"; it has none'],
      [["-p", "Hi", "--account", "work"], 1, 'has no account "work"; it has: none'],
      [["-p", "Hi", "--mcp", "nope.json"], 1, "nope.json"],
      [
        ["--cwd", ".", "mcp", "list"],
        2,
        "the command mcp comes before its flags; a prompt needs -p or -i; see indus help mcp",
      ],
      [
        ["summarise", "it"],
        2,
        "a prompt needs -p, which answers it and exits, or -i, which keeps the conversation open",
      ],
    ];
    for (const [words, code, line] of lines) {
      const result = await test.indus(words);
      expect(result, words.join(" ")).toMatchObject({ code, out: "" });
      expect(result.err, words.join(" ")).toContain(line);
      expect(result.err.trimEnd().split("\n"), words.join(" ")).toHaveLength(1);
    }
    expect(test.server.requests).toEqual([]);
  },
  { timeoutMs: LIMIT_MS },
);

verifies(
  "print:problems",
  "a failure of the model is one line with the remedy, and what it said is printed",
  async () => {
    await using test = await printRun([
      { text: "Half of the answer", cutAfter: 0.6 },
      { status: 404 },
      { text: "x", finish: "length" },
    ]);
    const cut = await test.indus(["-p", "Hi"]);
    expect(cut.code).toBe(1);
    expect(cut.out).toMatch(/^Half/);
    expect(cut.err.trimEnd().split("\n")).toHaveLength(1);
    const unknown = await test.indus(["-p", "Hi"]);
    expect(unknown).toMatchObject({ code: 1, out: "" });
    expect(unknown.err).toContain(
      'openai-compatible has no model "some-model"; indus --list-models shows what there is',
    );
    expect(await test.indus(["-p", "Hi"])).toMatchObject({
      code: 1,
      out: "x\n",
      err: "indus: the answer is cut off at the model's limit\n",
    });
  },
  { timeoutMs: LIMIT_MS },
);

verifies(
  "print:problems",
  "a model that repeats itself is stopped",
  async () => {
    const same = calling(["ls", { path: "." }]);
    await using test = await printRun(Array.from({ length: 9 }, () => same));
    expect(await test.indus(["-p", "Hi"])).toMatchObject({
      code: 1,
      err: "indus: stopped: the model kept repeating the same call\n",
    });
  },
  { timeoutMs: LIMIT_MS },
);

verifies(
  "print:refusal",
  "the line names the tool, the reason and the flag, and comes once for the same call",
  async () => {
    await using test = await printRun([
      calling(["write", { path: "a b.txt", content: "x" }]),
      calling(["write", { path: "a b.txt", content: "x" }]),
      { text: "no" },
    ]);
    const { code, err } = await test.indus(["-p", "Hi"]);
    expect(code).toBe(0);
    expect(err).toBe(
      `indus: write was refused: default mode requires approval, and there is no user to ask; to allow it, run indus again with --allow 'write(${test.at("project", "a b.txt")})'\n`,
    );
  },
  { timeoutMs: LIMIT_MS },
);

verifies(
  "session:plan",
  "-p prints a plan with its lines on standard error, and names its file",
  async () => {
    const plan = "# Split it\n\n1. Move the parser.\u001b[2J\n2. Test it.\n";
    await using test = await printRun([calling(["exit_plan_mode", { plan }]), { text: "See the plan." }]);
    const { code, out, err } = await test.indus(["-p", "--mode", "plan", "How?"]);
    expect({ code, out }).toEqual({ code: 0, out: "See the plan.\n" });
    const [, file = ""] = /^indus: the plan is kept in (.+):\n/.exec(err) ?? [];
    expect(err.trimEnd().split("\n").slice(1)).toEqual([
      "# Split it",
      "",
      "1. Move the parser.\\x1b[2J",
      "2. Test it.",
    ]);
    expect(readFileSync(file, "utf8")).toContain("Move the parser.");
  },
  { timeoutMs: LIMIT_MS },
);

verifies(
  "print:models",
  "names on standard output, and why a provider has none on standard error",
  async () => {
    await using test = await printRun([]);
    const { code, out, err } = await test.indus(["--list-models"]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toContain("anthropic/a-model\nanthropic/b-model\n");
    const listings = JSON.parse((await test.indus(["--list-models", "--json"])).out) as readonly object[];
    expect(listings).toHaveLength(4);
  },
  { timeoutMs: LIMIT_MS },
);
