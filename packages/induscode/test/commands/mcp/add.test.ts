import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { muteRow, untilGone } from "../../bin/run-indus.ts";
import { type ScratchHome, scratchHome } from "../in-home.ts";

const OURS = ".config/indusvx/mcp.json";
const listed = fileURLToPath(new URL("../../../../../test/servers/listed.mjs", import.meta.url));

/** The command of a server with some tools. */
function serverWith(scratch: ScratchHome, count: number): readonly string[] {
  const tools = Array.from({ length: count }, (_, at) => ({
    name: `t${at}`,
    description: "Does it.\u001b[2J",
    inputSchema: { type: "object" },
  }));
  writeFileSync(scratch.at("offered.json"), JSON.stringify({ tools }));
  return [process.execPath, listed, scratch.at("offered.json")];
}

verifies("add:start", "the tools are shown with the next step, and known from then on", async () => {
  await using scratch = await scratchHome();
  const { indus } = scratch;
  const added = await indus("mcp", "add", "a", "--", ...serverWith(scratch, 2));
  expect([added.code, added.err]).toEqual([0, ""]);
  expect(added.out).toMatch(
    /^added server "a" to .*\na: ready after .*, 2 tools\na__t0 {2}Does it\.\\x1b\[2J\na__t1 {2}Does it\.\\x1b\[2J\nnext: indus mcp tools a shows how to call them, indus connect CLIENT offers them /,
  );
  expect((await indus("completion", "tools")).out).toBe("a__t0\na__t1\n");
  // In a file that only --mcp names, and with more tools than a screen takes.
  const file = scratch.at("own.json");
  await indus("connect", "claude-code");
  const own = await indus("mcp", "add", "b", "--mcp", file, "--", ...serverWith(scratch, 30));
  expect(own.out).toContain("b__t19  Does it.\\x1b[2J\n… and 10 more\n");
  expect(own.out).toMatch(new RegExp(`\\nnext: indus mcp tools b --mcp ${file} shows how to call them\\n$`));
});

verifies(
  "add:start",
  "a fault is one line on standard error; the row stays, and nothing runs on",
  async () => {
    await using scratch = await scratchHome();
    const { indus, read } = scratch;
    const gone = await indus("mcp", "add", "it's", "--", "no-such-program-anywhere");
    expect(gone.code).toBe(0);
    expect(gone.out).toMatch(/^added server "it's" to .*\n$/);
    expect(gone.err).toMatch(
      /^indus: server "it's" could not be opened: .*install it.*\nindus: the row stays; next: indus mcp doctor 'it'\\''s'\n$/,
    );
    const starts = scratch.at("starts");
    const mute = { ...muteRow(starts), timeouts: { connectMs: 1_000 } };
    const silent = await indus("mcp", "add-json", "mute", JSON.stringify(mute));
    expect([silent.code, silent.err]).toEqual([0, expect.stringContaining("next: indus mcp doctor mute\n")]);
    // On a slow machine it may be ended before it has written its id.
    const pids = existsSync(starts) ? readFileSync(starts, "utf8").split("\n").filter(Boolean) : [];
    await untilGone(pids.map(Number));
    expect(Object.keys((JSON.parse(read(OURS)) as { servers: object }).servers)).toEqual(["it's", "mute"]);
  },
);

verifies("add:not-started", "nothing is started; what the user may not expect is said", async () => {
  await using scratch = await scratchHome();
  const { indus } = scratch;
  const starts = scratch.at("starts");
  const row = muteRow(starts);
  const json = (name: string, members: object, ...words: string[]) =>
    indus("mcp", "add-json", name, JSON.stringify({ ...row, ...members }), ...words);
  const quiet = [
    await json("no", {}, "--no-start"),
    await json("off", { enabled: false }),
    await json("disabled", { disabled: true }),
    await json("same", {}, "--no-start", "--scope", "project"),
  ];
  for (const { code, err } of quiet) expect([code, err]).toEqual([0, ""]);
  const hidden = await json("same", { cwd: scratch.home });
  expect([hidden.code, hidden.err]).toEqual([
    0,
    `indus: server "same" was not started: here the row of this name in ${scratch.project}/.indusvx/mcp.json is used\n`,
  ]);
  const unset = await json("unset", { env: { A: "${INDUS_NOT_SET}" } });
  expect(unset.err).toMatch(/^indus: server "unset": .*which is not set.*\n$/);
  expect(existsSync(starts) && readFileSync(starts, "utf8")).toBe(false);
});
