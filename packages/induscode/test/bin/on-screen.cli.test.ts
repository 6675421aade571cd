import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { tempDir, verifies } from "@indus/testkit";
import { expect } from "vitest";
import { eventually, muteRow, scriptedRow, startedPids, untilGone, writeConfig } from "./run-indus.ts";
import { startInTerminal, type TerminalIndus, type TerminalOptions } from "./terminal-indus.ts";

const POSIX = ["linux", "darwin"] as const;
/** Against a hang only: other programs may make everything slow. */
const HANG_MS = 60_000;

verifies(
  "command:list-progress",
  "in a terminal there is one live line for each server that still starts; Ctrl-C removes them and ends everything",
  async () => {
    await using dir = await tempDir();
    const starts = dir.at("starts");
    const file = await writeConfig(dir.at("servers.json"), {
      stuck: muteRow(starts),
      good: scriptedRow(),
      [`slow-${"x".repeat(80)}`]: muteRow(starts),
    });
    using indus = startInTerminal(["mcp", "list", "--mcp", file]);
    const pids = await startedPids(starts, 2);
    // The name that is too long is cut. The line of the server that is ready has gone.
    await eventually(
      () => /^stuck: starting, \d+ s\nslow-x+…: starting, \d+ s$/.test(indus.screen()) || undefined,
      HANG_MS,
    );
    expect(indus.broken()).toEqual([]);
    indus.press("\u0003");
    expect(await indus.ended).toBe(130);
    await untilGone(pids);
    expect(indus.screen()).not.toContain("starting");
    expect(indus.isRestored()).toBe(true);
  },
  { timeoutMs: 2 * HANG_MS, only: POSIX },
);

/** Runs a command in a terminal until it ends. */
async function shown(args: readonly string[], options: TerminalOptions = {}): Promise<TerminalIndus> {
  const indus = startInTerminal(args, options);
  await indus.ended;
  return indus;
}

const COLOUR = /\u001b\[\d+m/;

verifies(
  "command:colours",
  "in a terminal there are colours; NO_COLOR, --no-color and a dumb terminal are respected",
  async () => {
    await using dir = await tempDir();
    const file = await writeConfig(dir.at("servers.json"), { good: scriptedRow() });
    const list = ["mcp", "list", "--mcp", file];
    const [plain, coloured, flag, dumb] = await Promise.all([
      shown(list, { env: { NO_COLOR: "1" } }),
      shown(list),
      shown([...list, "--no-color"]),
      shown(list, { term: "dumb" }),
    ]);
    expect(coloured.written()).toMatch(COLOUR);
    expect(plain.written()).not.toMatch(COLOUR);
    expect(flag.written()).not.toMatch(COLOUR);
    expect(dumb.written()).not.toContain("\u001b");
    // Colours change nothing else; the times differ.
    const words = (indus: TerminalIndus): string[] =>
      indus
        .screen()
        .replaceAll(/(?:\d+ ms|\d+(?:\.\d)? s)/g, "")
        .split(/\s+/);
    expect(words(coloured)).toEqual(words(plain));
    expect(words(dumb)).toEqual(words(flag));
  },
  { timeoutMs: 2 * HANG_MS, only: POSIX },
);

verifies(
  "command:narrow",
  "at 60 columns the terminal breaks no line of help, tables and reports",
  async () => {
    await using dir = await tempDir();
    const file = await writeConfig(dir.at("servers.json"), {
      good: scriptedRow(),
      gone: { command: "npx", args: ["-y", "x"], env: { PATH: dir.at("no-such-folder") } },
    });
    const of = (...args: string[]): Promise<TerminalIndus> => shown(args, { columns: 60, cwd: dir.path });
    const screens = await Promise.all([
      of("--help"),
      of("mcp", "--help"),
      of("mcp", "list", "--mcp", file),
      of("mcp", "doctor", "--mcp", file),
      of("tools"),
      of("mcp", "tools", "good", "--mcp", file),
    ]);
    for (const screen of screens) {
      expect(screen.lines().length).toBeGreaterThan(3);
      expect(screen.broken()).toEqual([]);
    }
  },
  { timeoutMs: 2 * HANG_MS, only: POSIX },
);

verifies(
  "listing:messages",
  "at 50 columns no message is broken inside a word, whoever writes it",
  async () => {
    await using dir = await tempDir();
    mkdirSync(dir.at(".indusvx"));
    await writeConfig(dir.at(".indusvx/mcp.json"), { mine: scriptedRow() });
    const of = (...args: string[]): Promise<TerminalIndus> => shown(args, { columns: 50, cwd: dir.path });
    const screens = await Promise.all([
      of("mcp", "tools"), // a report of the run
      of("tools", "--tools", "memroy"), // wrong usage
      of("tools", "--cwd", "no-such-folder-anywhere"), // an error that nothing catches
    ]);
    const [pending, usage, thrown] = screens.map((screen) => {
      expect(screen.broken()).toEqual([]);
      return screen.screen();
    });
    // Lines after the first are below the words of the first.
    expect(pending).toMatch(/^indus: server "mine" comes with a project and is\n {7}not approved, /);
    expect(usage?.replaceAll(/\s+/g, " ")).toContain(
      'indus: --tools does not know "memroy"; it takes read, ls,',
    );
    expect(thrown?.replaceAll(/\s+/g, " ")).toContain("is not a folder; name an existing one");
  },
  { timeoutMs: 2 * HANG_MS, only: POSIX },
);

verifies(
  "add:start",
  "in a terminal Ctrl-C ends the server that is tried, and its row stays",
  async () => {
    await using dir = await tempDir();
    const starts = dir.at("starts");
    const row = JSON.stringify(muteRow(starts));
    const env = { XDG_CONFIG_HOME: dir.at("config") };
    using indus = startInTerminal(["mcp", "add-json", "stuck", row], { env, cwd: dir.path });
    const pids = await startedPids(starts, 1);
    await eventually(() => /^stuck: starting, \d+ s$/m.test(indus.screen()) || undefined, HANG_MS);
    indus.press("\u0003");
    expect(await indus.ended).toBe(130);
    await untilGone(pids);
    expect(indus.screen()).not.toContain("starting");
    expect(readFileSync(dir.at("config/indusvx/mcp.json"), "utf8")).toContain('"stuck"');
  },
  { timeoutMs: 2 * HANG_MS, only: POSIX },
);

verifies(
  "command:overview",
  "in a terminal `indus` alone shows the first commands and the servers of the folder, at 60 and 80 columns, and starts nothing",
  async () => {
    await using dir = await tempDir();
    mkdirSync(dir.at(".indusvx"));
    const starts = dir.at("starts");
    await writeConfig(dir.at(".indusvx/mcp.json"), { mine: scriptedRow("--starts", starts) });
    const [narrow, usual] = await Promise.all(
      [60, 80].map((columns) => shown([], { columns, cwd: dir.path })),
    );
    for (const screen of [narrow, usual]) {
      expect(screen?.broken()).toEqual([]);
      expect(screen?.screen()).toMatch(/^ {2}indus mcp list .*\n(?:.*\n)* {2}indus --help /m);
      expect(screen?.screen()).toMatch(/^mine +project +pending /m);
      expect(await screen?.ended).toBe(0);
    }
    expect(existsSync(starts)).toBe(false);
  },
  { timeoutMs: 2 * HANG_MS, only: POSIX },
);
