import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type TempDir, tempDir, verifies } from "@indus/testkit";
import { expect } from "vitest";
import { eventually, untilGone, writeConfig } from "./run-indus.ts";
import { connectScripted, mountedNames, type ScriptedClient } from "./scripted-client.ts";

const script = fileURLToPath(new URL("../../../../test/servers/gated.mjs", import.meta.url));

/** A server that leaves its process id as the name of a file when it starts. */
function countedRow(dir: TempDir, id: string): object {
  const note = `process.getBuiltinModule("node:fs").writeFileSync(${JSON.stringify(`${dir.at("starts")}/${id}.`)} + process.pid, "")`;
  return {
    command: process.execPath,
    args: ["--import", `data:text/javascript,${encodeURIComponent(note)}`, script, "--count", "2"],
  };
}

/** The process ids of the servers that were started, in order of their names. */
const started = (dir: TempDir): readonly number[] =>
  readdirSync(dir.at("starts")).map((name) => Number(name.split(".")[1]));

/** The processes that `indus` has as children now. */
function childrenOf({ indus }: ScriptedClient): readonly string[] {
  const { pid = 0 } = indus.child;
  return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean);
}

verifies(
  "lazy:serve",
  "lists come from the last run with no child; a call starts one server, which stops when it is idle",
  async () => {
    await using dir = await tempDir();
    readyFolder(dir);
    const ids = ["a", "b", "c", "d"];
    const rows = ids.map((id) => [id, { ...countedRow(dir, id), idleMs: 300 }] as const);
    const file = await writeConfig(dir.at("servers.json"), {
      ...Object.fromEntries(rows),
      eager: { ...countedRow(dir, "eager"), lazy: false, enabled: false },
    });
    const all = ids.flatMap((id) => [`${id}__t0`, `${id}__t1`]);
    const options = { cwd: dir.path, env: { XDG_STATE_HOME: dir.at("state") } };
    const connect = (): Promise<ScriptedClient> =>
      connectScripted("codex-mcp-client", ["--lazy", "--mcp", file], options);
    {
      // Nothing is known yet: each server is started once to learn what it has.
      using client = await connect();
      expect(mountedNames(await client.result(client.request("tools/list")))).toEqual(all);
      expect(started(dir)).toHaveLength(ids.length);
      await untilGone(started(dir));
      client.indus.child.stdin.end();
      await client.indus.ended;
    }
    using client = await connect();
    expect(mountedNames(await client.result(client.request("tools/list")))).toEqual(all);
    const { prompts } = (await client.result(client.request("prompts/list"))) as {
      prompts: { name: string }[];
    };
    expect(prompts.map(({ name }) => name)).toEqual(ids.map((id) => `${id}__greet`));
    const { resources } = (await client.result(client.request("resources/list"))) as { resources: object[] };
    expect(resources.length).toBeGreaterThanOrEqual(2 * ids.length);
    expect(started(dir)).toHaveLength(ids.length);
    if (process.platform === "linux") expect(childrenOf(client)).toEqual([]);

    const called = await client.result(client.request("tools/call", { name: "b__t1", arguments: {} }));
    expect(called).toMatchObject({ content: [{ text: "called t1" }] });
    const after = started(dir);
    expect(after).toHaveLength(ids.length + 1);
    await eventually(() => (started(dir).length === ids.length + 1 ? true : undefined));
    await untilGone(after);
    // It is still offered, and starts again.
    expect(mountedNames(await client.result(client.request("tools/list")))).toEqual(all);
    await client.result(client.request("tools/call", { name: "b__t0", arguments: {} }));
    expect(started(dir)).toHaveLength(ids.length + 2);
    expect(client.messages().filter(({ method }) => method === "notifications/tools/list_changed")).toEqual(
      [],
    );
  },
  { timeoutMs: 90_000 },
);

function readyFolder(dir: TempDir): void {
  process.getBuiltinModule("node:fs").mkdirSync(dir.at("starts"));
}
