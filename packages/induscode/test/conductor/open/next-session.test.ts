import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import type { SessionEvent } from "../../../src/conductor/index.ts";
import { scriptedRow, writeConfig } from "../../bin/run-indus.ts";
import { calling, printRun } from "../../commands/session/print-run.ts";
import { answersIn, openTestSession, testUser } from "./open-test-session.ts";

/** Against a hang: on a busy machine the first test loads everything. */
const LIMIT_MS = 60_000;

verifies(
  "session:next",
  "a new session and a resumed one use the servers that run already; one that cannot be opened changes nothing",
  async () => {
    await using test = await printRun([
      calling(["s__echo", { text: "first" }]),
      { text: "One." },
      { text: "Two." },
      calling(["s__echo", { text: "third" }]),
      { text: "Three." },
    ]);
    const mcp = [await writeConfig(test.at("servers.json"), { s: scriptedRow() })];
    await using run = await test.run();
    const first = await openTestSession(run, { line: { mcp }, user: testUser(), flags: { allow: ["s__*"] } });
    await first.turn("The first.");
    first.session.setMode("acceptEdits");
    first.session.setModel("openai-compatible/other-model");
    await expect(first.next({ resume: "01NOSUCH" })).rejects.toThrow('has no session "01NOSUCH"');
    await expect(first.next({ resume: first.session.id })).rejects.toThrow("is in use");
    expect(first.session.turns()).toHaveLength(1);

    const second = await first.next("new");
    expect(second.session).toMatchObject({ mode: "acceptEdits", model: "openai-compatible/other-model" });
    expect(second.session.turns()).toEqual([]);
    expect(second.servers).toBe(first.servers);
    await drain(second.session.send("The second."));
    expect(JSON.stringify(test.server.requests.at(-1)?.["messages"])).not.toContain("The first.");

    // The first one is not held any more, and has its own mode and model.
    const third = await second.next({ resume: first.session.id });
    expect(third.session).toMatchObject({ id: first.session.id, mode: "acceptEdits" });
    expect(third.session.turns().map(({ text }) => text)).toEqual(["The first."]);
    const answers = answersIn(await drain(third.session.send("The third.")));
    expect(answers.join()).toContain("third");
    expect(third.servers?.statuses().map(({ server, phase }) => ({ server, phase }))).toEqual([
      { server: "s", phase: "ready" },
    ]);
  },
  { timeoutMs: LIMIT_MS },
);

async function drain(events: AsyncIterable<SessionEvent>): Promise<readonly SessionEvent[]> {
  const all: SessionEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}
