import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type TempDir, tempDir, verifies } from "@indus/testkit";
import { followBridgeBox } from "induscode/deck";
import { expect } from "vitest";
import { openRun, type Run } from "../../../src/boot/internal.ts";
import { approve, refuse } from "../../../src/commands/mcp/approve.ts";
import { diff } from "../../../src/commands/mcp/diff.ts";
import { explain } from "../../../src/commands/mcp/explain.ts";
import { history } from "../../../src/commands/mcp/history.ts";
import { findServers, openServers } from "../../../src/servers/internal.ts";
import { writeConfig } from "../../bin/run-indus.ts";
import { tool } from "../../servers/pins/sample-server.ts";

const script = fileURLToPath(new URL("../../../../../test/servers/listed.mjs", import.meta.url));

/** Carries out a command in a run of its own. */
async function inRun(dir: TempDir, command: (run: Run) => Promise<number>) {
  const texts = { out: "", err: "" };
  const terminal = {
    out: (text: string) => void (texts.out += text),
    err: (text: string) => void (texts.err += text),
  };
  const { signal } = new AbortController();
  const run = await openRun({ terminal, signal, cwd: dir.path, env: { XDG_STATE_HOME: dir.at("state") } });
  const code = await command(run);
  await run[Symbol.asyncDispose]();
  return { code, ...texts };
}

/** A run like `indus serve`: it mounts the server, and its ledger follows the tools. */
function served(dir: TempDir, tools: readonly object[]) {
  writeFileSync(dir.at("offered.json"), JSON.stringify({ tools }));
  return inRun(dir, async (run) => {
    const file = await writeConfig(dir.at("servers.json"), {
      notes: { command: process.execPath, args: [script, dir.at("offered.json")] },
    });
    const found = await findServers(run, { mcp: [file], run: [] });
    const servers = await openServers(run, { servers: found?.configs ?? [] });
    await servers.settled;
    const log = await run.state.ledger.log();
    await followBridgeBox(servers.box, log ? { log } : {}).close();
    return 0;
  });
}

const nothing = { names: [], all: [], sources: { mcp: [], run: [] }, yes: true, json: false };
/** Times differ in each run. */
const timeless = (text: string): string => text.replaceAll(/\d{4}-[\d-]+T[\d:.]+Z/g, "TIME");

verifies(
  "pins:approve",
  "approve shows the difference and adopts what is named; history, explain and diff tell what happened",
  async () => {
    await using dir = await tempDir();
    await served(dir, [tool()]);
    const between = new Date().toISOString();
    await served(dir, [tool({ description: "Finds\u001b[2J notes.", name: "find" }), tool({ name: "add" })]);

    const shown = await inRun(dir, (run) => approve(run, nothing));
    expect(timeless(shown.out)).toBe(
      'tool "find" of server "notes", withheld since TIME: it gained invisible or control characters (\\x1b) (notes__find)\n' +
        "  description:\n  - Finds notes.\n  + Finds\\x1b[2J notes.\n",
    );
    expect(shown).toMatchObject({
      code: 0,
      err: "indus: nothing was approved; name the servers or tools to approve\n",
    });

    const typo = await inRun(dir, (run) => approve(run, { ...nothing, names: ["notes__fnd"] }));
    expect(typo).toMatchObject({ code: 1, out: "" });
    expect(typo.err).toContain('unknown server or tool "notes__fnd"; did you mean notes or notes__find?');

    const why = await inRun(dir, (run) => explain(run, { tool: "notes__find", json: false }));
    expect(timeless(why.out)).toBe(
      'find of server "notes" is quarantined since TIME: it gained invisible or control characters (\\x1b)\n' +
        "to see and approve the change: indus mcp approve notes__find\n" +
        "changed TIME\n  description:\n  - Finds notes.\n  + Finds\\x1b[2J notes.\n",
    );

    const unasked = { ...nothing, names: ["notes__find"], yes: false };
    expect((await inRun(dir, (run) => approve(run, unasked))).err).toContain("run it again with --yes");
    const approved = await inRun(dir, (run) => approve(run, { ...nothing, names: ["notes__find"] }));
    expect(approved.out).toContain("+ Finds\\x1b[2J notes.\napproved 1 change\n");
    await served(dir, [tool({ description: "Finds\u001b[2J notes." }), tool({ name: "add" })]);

    const events = await inRun(dir, (run) => history(run, { names: ["notes__find"], json: false }));
    expect(timeless(events.out)).toBe(
      [
        "the oldest record is of TIME",
        "TIME  notes  find  added",
        "TIME  notes  find  quarantined",
        "TIME  notes  find  approved",
        "TIME  notes  find  added",
        "",
      ].join("\n"),
    );
    const changes = await inRun(dir, (run) => diff(run, { from: between, json: false }));
    expect(timeless(changes.out)).toBe(
      "+ notes  add  (TIME)\n~ notes  find  (TIME)\n  description:\n  - Finds notes.\n  + Finds\\x1b[2J notes.\n",
    );
    const here = await inRun(dir, (run) => explain(run, { tool: "add", json: true }));
    expect(JSON.parse(here.out)).toMatchObject([{ server: "notes", tool: "add", state: "here" }]);
  },
);

verifies(
  "pins:approve",
  "a wrong moment, an unknown tool and an empty history get one line each",
  async () => {
    await using dir = await tempDir();
    const wrong = await inRun(dir, (run) => diff(run, { from: "yesterday", json: false }));
    expect(wrong).toMatchObject({ code: 2, out: "" });
    expect(wrong.err).toBe(
      'indus: "yesterday" is neither a time such as 2026-11-16T09:30:00Z nor the id of a run\n',
    );
    const unknown = await inRun(dir, (run) => explain(run, { tool: "x", json: false }));
    expect(unknown).toMatchObject({
      code: 1,
      err: 'indus: nothing is recorded about a tool named "x"; indus mcp history shows what is recorded\n',
    });
    const empty = await inRun(dir, (run) => history(run, { names: [], json: false }));
    expect(empty).toMatchObject({ code: 0, out: "nothing is recorded yet\n" });
    const idle = await inRun(dir, (run) => approve(run, nothing));
    expect(idle).toMatchObject({ code: 0, out: "", err: "indus: nothing waits for an approval\n" });
    const at = "2026-11-16T09:30:00.000Z";
    await inRun(dir, async ({ state: { ledger } }) => {
      ledger.record([{ op: "hold", server: "notes", tool: "", subject: "instructions", at, reason: "text" }]);
      ledger.record([{ op: "hold", server: "notes", tool: "greet", subject: "prompt", at, reason: "text" }]);
      return 0;
    });
    for (const name of ["notes", "notes__greet"])
      expect((await inRun(dir, (run) => explain(run, { tool: name, json: false }))).err).toBe(
        `indus: nothing is recorded about a tool named "${name}"; indus mcp history shows what is recorded\n`,
      );
  },
);

verifies(
  "console:refuse",
  "a refused change stays withheld and is asked about no longer; it can still be approved, and a later change waits again",
  async () => {
    await using dir = await tempDir();
    const hidden = tool({ description: "Finds\u001b[2J notes.", name: "find" });
    await served(dir, [tool()]);
    await served(dir, [hidden]);
    const decision = { names: ["notes__find"], yes: true, json: false };

    const typo = await inRun(dir, (run) => refuse(run, { ...decision, names: ["notes__fnd"] }));
    expect(typo).toMatchObject({ code: 1, out: "" });
    expect(typo.err).toContain('unknown server or tool "notes__fnd"');
    const unasked = await inRun(dir, (run) => refuse(run, { ...decision, yes: false }));
    expect(unasked.err).toContain("run it again with --yes");

    const refused = await inRun(dir, (run) => refuse(run, decision));
    expect(refused).toMatchObject({ code: 0, err: "" });
    expect(refused.out).toContain("+ Finds\\x1b[2J notes.\nrefused 1 change\n");
    await served(dir, [hidden]);
    const idle = await inRun(dir, (run) => approve(run, nothing));
    expect(idle).toMatchObject({ code: 0, out: "", err: "indus: nothing waits for an approval\n" });
    const why = await inRun(dir, (run) => explain(run, { tool: "notes__find", json: false }));
    expect(why.out).toContain('find of server "notes" is quarantined');

    await served(dir, [tool({ description: "Finds\u001b[1J notes.", name: "find" })]);
    expect((await inRun(dir, (run) => approve(run, nothing))).out).toContain("+ Finds\\x1b[1J notes.");
    const approved = await inRun(dir, (run) => approve(run, { ...nothing, names: ["notes__find"] }));
    expect(approved.out).toContain("approved 1 change\n");
  },
);
