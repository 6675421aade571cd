import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { tempDir, verifies } from "@indus/testkit";
import { expect } from "vitest";
import { eventually, runIndus, startIndus } from "../packages/induscode/test/bin/run-indus.ts";
import { codeBlocks, readDocument, root, shellCommands } from "./kit/documents.ts";

const readme = readDocument("README.md");

function blocks(language: string): string[] {
  return codeBlocks(readme)
    .filter((block) => block.language === language)
    .map(({ body }) => body);
}

function run(...args: string[]): {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
} {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: root,
    encoding: "utf8",
    timeout: 60_000,
  });
  return { code: status, out: stdout, err: stderr };
}

const indus = (...args: string[]): ReturnType<typeof run> => run("packages/induscode/bin/indus.js", ...args);

/** The arguments of each `npx indus …` command of some documents. */
function commandsOf(...documents: readonly string[]): readonly (readonly string[])[] {
  return documents
    .flatMap((document) => shellCommands(readDocument(document)))
    .filter((line) => line.startsWith("npx indus "))
    .map((line) => line.split(/\s+/).slice(2));
}

/** These are run one after another, with the files of a client. */
const journey = commandsOf("README.md");
/** Each of these is run alone. */
const invocations = commandsOf("docs/guide/serving.md", "docs/guide/native-tools.md");

const snippets = blocks("ts");

verifies("docs:readme", "the README has fewer than 900 words", () => {
  expect(readme.split(/\s+/).filter((word) => word !== "").length).toBeLessThan(900);
});

verifies("docs:readme", "the README and its guides have snippets and commands to check", () => {
  expect(snippets).toHaveLength(2);
  expect(journey.length).toBeGreaterThan(3);
  expect(invocations.length).toBeGreaterThan(5);
  expect(invocations.filter((args) => args[1] === "list")).toHaveLength(1);
});

for (const [index, code] of snippets.entries()) {
  const firstImport = code.split("\n")[0];
  verifies(
    "docs:readme",
    `snippet ${index + 1} runs and prints what its comments show: ${firstImport}`,
    () => {
      const folder = mkdtempSync(join(tmpdir(), "indus-readme-"));
      try {
        const file = join(folder, `readme-${index + 1}.ts`);
        writeFileSync(file, code);
        const { code: exitCode, out, err } = run("scripts/run-ts.mjs", file);
        expect(exitCode, err).toBe(0);
        const promised = [...code.matchAll(/\/\/ prints: (.*)$/gm)].map(([, text]) => text ?? "");
        expect(promised.length).toBeGreaterThan(0);
        for (const text of promised) expect(out).toContain(text);
      } finally {
        rmSync(folder, { recursive: true });
      }
    },
    { timeoutMs: 90_000 },
  );
}

verifies(
  "docs:readme",
  "the servers of a client are imported, examined and moved behind indus, and its file is restored",
  async () => {
    await using dir = await tempDir();
    const file = dir.at("home/.cursor/mcp.json");
    const notes = { command: process.execPath, args: [join(root, "packages/induscode/demo/notes.mjs")] };
    const before = `${JSON.stringify({ mcpServers: { notes } })}\n`;
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, before);
    const env = {
      HOME: dir.at("home"),
      XDG_STATE_HOME: dir.at("state"),
      XDG_CONFIG_HOME: dir.at("config"),
      PATH: process.env["PATH"] ?? "",
    };
    const seen: Record<string, string> = {};
    for (const args of journey) {
      const { code, out, err } = await runIndus([...args], { cwd: dir.path, env });
      expect(code, `${args.join(" ")}: ${err}`).toBe(0);
      seen[args.join(" ")] = `${out}\n${readFileSync(file, "utf8")}`;
    }
    expect(seen["mcp import --yes"]).toContain("added server notes");
    expect(seen["mcp doctor"]).toContain("notes: ready");
    expect(seen["connect cursor --move"]).toContain('"indus"');
    expect(readFileSync(file, "utf8")).toBe(before);
  },
  { only: ["linux", "darwin"], timeoutMs: 90_000 },
);

/** `mcp list` for `mcp list --mcp FILE`, `serve` for `serve --stdio`, nothing for `--help`. */
function subcommandOf(args: readonly string[]): readonly string[] {
  const [first = ""] = args;
  if (first.startsWith("-")) return [];
  return args.slice(0, first === "mcp" ? 2 : 1);
}

verifies("docs:readme", "every subcommand and flag that the README names is in the help", () => {
  const sessions = blocks("bash").flatMap((block) => [...block.matchAll(/^npx indus (-p .*)"/gm)]);
  expect(sessions.length).toBeGreaterThan(0);
  const all = [...journey, ...invocations, ...sessions.map(([, words = ""]) => words.split(" "))];
  const subcommands = new Set(all.map((args) => subcommandOf(args).join(" ")));
  const help = [...subcommands].map((name) => indus(...name.split(" ").filter(Boolean), "--help").out).join();
  for (const name of subcommands) expect(help).toContain(`indus ${name}`);
  const inCommands = all.flat().filter((word) => word.startsWith("-"));
  const inProse = [...readme.matchAll(/`(--[a-z-]+)`/g)].map(([, flag]) => flag ?? "");
  for (const flag of new Set([...inCommands, ...inProse])) {
    expect(help, flag).toMatch(new RegExp(`(^|[^\\w-])${flag}(?![\\w-])`, "m"));
  }
});

/** Every server of the example that is not disabled works. */
function expectWorkingServers(table: string): void {
  const { mcpServers } = JSON.parse(readDocument("servers.example.json")) as {
    readonly mcpServers: { readonly [name: string]: { readonly enabled?: boolean } };
  };
  const states = Object.entries(mcpServers).map(([name, { enabled = true }]) => [
    name,
    enabled ? "ready" : "disabled",
  ]);
  expect(states.length).toBeGreaterThan(3);
  for (const [name, state] of states)
    expect(table).toMatch(new RegExp(`^${name} +\\S+ +\\S+ +${state} `, "m"));
}

for (const args of invocations.filter(([command]) => command !== "serve")) {
  verifies(
    "docs:readme",
    `the command runs: indus ${args.join(" ")}`,
    () => {
      const { code, out, err } = indus(...args);
      expect(err).toBe("");
      expect(code).toBe(0);
      expect(out).not.toBe("");
      if (args[1] === "list") expectWorkingServers(out);
    },
    { timeoutMs: 90_000 },
  );
}

verifies(
  "docs:readme",
  "every command with a configuration file uses the example, which a client can copy",
  () => {
    const files = invocations.flatMap((args) => args.filter((_, at) => args[at - 1] === "--mcp"));
    expect(files.length).toBeGreaterThan(3);
    expect(new Set(files)).toEqual(new Set(["servers.example.json"]));
    expect(() => JSON.parse(readDocument("servers.example.json"))).not.toThrow();
  },
);

verifies(
  "docs:readme",
  "the demonstration prints the table and the URL that the README shows",
  async () => {
    const [shown = ""] = blocks("text");
    // The state of the broken server changes while it is restarted, and the test uses a free port.
    const cells = shown
      .split(/ {2,}|\n/)
      .map((cell) => cell.replace(/…$/, "").replace(/:7717.*/, ":"))
      .filter((cell) => cell !== "" && cell !== "restarting");
    expect(cells.length).toBeGreaterThan(10);
    using demo = startIndus(["serve", "--demo", "--port", "0"], { cwd: root });
    const output = await eventually(() => {
      const text = `${demo.out()}${demo.err()}`;
      return demo.out().includes("\n") && text.includes("Ctrl-C") ? text : undefined;
    });
    for (const cell of cells) expect(output).toContain(cell);
  },
  { timeoutMs: 60_000 },
);
