import { existsSync } from "node:fs";
import { type TempDir, tempDir, verifies } from "@indus/testkit";
import { wireName } from "indusagi/interop";
import { expect } from "vitest";
import { runIndus, scriptedRow, writeConfig } from "./run-indus.ts";

/** Runs `indus mcp …` with servers of these ids; returns the result and which of the servers were started. */
async function ran(dir: TempDir, ids: readonly string[], words: readonly string[]) {
  const run = `${Date.now()}-${Math.random()}`;
  const startsOf = (id: string): string => dir.at(`${run}-${ids.indexOf(id)}`);
  const rows = ids.map((id) => [id, scriptedRow("--starts", startsOf(id))]);
  const file = await writeConfig(dir.at(`${run}.json`), Object.fromEntries(rows));
  const env = { XDG_STATE_HOME: dir.at("state") };
  const result = await runIndus(["mcp", ...words, "--mcp", file], { env });
  return { ...result, started: ids.filter((id) => existsSync(startsOf(id))) };
}

verifies(
  "command:one-server",
  "only the server of the tool is started; the rest if it does not list the tool",
  async () => {
    await using dir = await tempDir();
    const ids = ["a", "b", "c d"];
    const hashed = wireName({ server: "c d", name: "echo" }, 48);
    const [plain, odd, wrong, unknown] = await Promise.all([
      ran(dir, ids, ["call", "b__echo", "text=one"]),
      ran(dir, ids, ["call", hashed, "text=two"]),
      ran(dir, ids, ["call", "a__no_such_tool"]),
      ran(dir, ids, ["call", "no_such_server"]),
    ]);
    expect(plain).toMatchObject({ code: 0, out: "one\n", started: ["b"] });
    expect(odd).toMatchObject({ code: 0, out: "two\n", started: ["c d"] });
    expect(wrong).toMatchObject({ code: 2, started: ids });
    expect(unknown).toMatchObject({ code: 2, started: ids });
    expect(wrong.err).toContain('there is no tool named "a__no_such_tool"');
  },
);

verifies("command:one-server", "the catalogue of the last run decides between two servers", async () => {
  await using dir = await tempDir();
  const rows = { a: scriptedRow("--starts", dir.at("a")), a__b: scriptedRow("--starts", dir.at("a__b")) };
  const file = await writeConfig(dir.at("servers.json"), rows);
  const env = { XDG_STATE_HOME: dir.at("state") };
  const call = ["mcp", "call", wireName({ server: "a__b", name: "echo" }, 48), "text=hi", "--mcp", file];
  expect(await runIndus(["mcp", "list", "a__b", "--mcp", file], { env })).toMatchObject({ code: 0 });
  expect(await runIndus(call, { env })).toMatchObject({ code: 0, out: "hi\n" });
  expect([existsSync(dir.at("a")), existsSync(dir.at("a__b"))]).toEqual([false, true]);
});

verifies("command:list-named", "only the named servers are started and shown", async () => {
  await using dir = await tempDir();
  const ids = ["notes", "units", "files"];
  const [named, unknown] = await Promise.all([
    ran(dir, ids, ["list", "units", "notes"]),
    ran(dir, ids, ["list", "unit"]),
  ]);
  expect(named).toMatchObject({ code: 0, started: ["notes", "units"] });
  expect(named.out).not.toContain("files");
  expect(unknown).toMatchObject({ code: 1, out: "", started: [] });
  expect(unknown.err).toContain('there is no server named "unit"; did you mean units?');
});
