import { readFileSync, writeFileSync } from "node:fs";
import { relative, resolve } from "node:path";
import { tempDir, verifies } from "@indus/testkit";
import { createReadState } from "indusagi/capabilities";
import { textResult } from "indusagi/runtime";
import {
  buildBuiltin,
  type CheckpointStore,
  createDeckContext,
  type DeckContext,
  type DelegateRunner,
  effectOf,
  type PreviousState,
  type Profile,
  provisionDeck,
  type ToolDeck,
} from "induscode/deck";
import { expect } from "vitest";

const namesOf = (deck: ToolDeck): string[] =>
  deck
    .intoToolBox()
    .descriptors()
    .map(({ name }) => name);

function run(deck: ToolDeck, name: string, input: unknown = {}) {
  return deck.intoToolBox().runner.run({ id: "c", name, input });
}

for (const [profile, count] of [
  ["authoring", 7],
  ["survey", 12],
  ["all", 19],
] as const satisfies (readonly [Profile, number])[])
  verifies("deck:provision", `${profile} has ${count} tools, in the list and in the box`, async () => {
    await using deck = provisionDeck(profile, createDeckContext("."));
    expect(namesOf(deck)).toHaveLength(count);
    expect(deck.tools().map(({ name }) => name)).toEqual(namesOf(deck));
  });

verifies("deck:provision", "the tools of a deck share one session, and two decks share nothing", async () => {
  await using one = provisionDeck("all", createDeckContext("."));
  await using other = provisionDeck("all", createDeckContext("."));
  const items = [{ id: "1", text: "write a test", status: "active" }];
  expect((await run(one, "todo_set", { items })).isError).toBe(false);
  expect((await run(one, "todo_read")).output).toContain("write a test");
  expect((await run(other, "todo_read")).output).not.toContain("write a test");
  const task = { action: "set", items: [{ task: "its own list", state: "active", weight: "high" }] };
  expect((await run(one, "todo", task)).isError).toBe(false);
  expect((await run(one, "todo", { action: "read" })).output).toContain("its own list");
  expect((await run(one, "todo_read")).output).not.toContain("its own list");
  expect((await run(other, "todo", { action: "read" })).output).not.toContain("its own list");
});

verifies(
  "deck:context",
  "a file must be read before it is changed, unless the context has no read state",
  async () => {
    await using folder = await tempDir();
    writeFileSync(folder.at("a.txt"), "one\n");
    const edit = { path: "a.txt", oldText: "one", newText: "two" };
    await using gated = provisionDeck("survey", createDeckContext(folder.path));
    expect(await run(gated, "edit", edit)).toMatchObject({ isError: true });
    await run(gated, "read", { path: "a.txt" });
    expect(await run(gated, "edit", edit)).toMatchObject({ isError: false });
    await using plain = provisionDeck("survey", { cwd: folder.path, framework: {} });
    expect(await run(plain, "edit", { ...edit, oldText: "two", newText: "three" })).toMatchObject({
      isError: false,
    });
    expect(readFileSync(folder.at("a.txt"), "utf8")).toBe("three\n");
  },
);

verifies("deck:context", "createDeckContext resolves the folder and keeps given handles", () => {
  const readState = createReadState();
  const context = createDeckContext("packages", { readState });
  expect(context.cwd).toBe(resolve("packages"));
  expect(context.framework.readState).toBe(readState);
  expect(createDeckContext(".").framework.readState).not.toBe(createDeckContext(".").framework.readState);
});

verifies("deck:context", "a relative folder in a plain context is resolved once, for all tools", async () => {
  await using folder = await tempDir();
  writeFileSync(folder.at("here.txt"), "");
  await using deck = provisionDeck("all", { cwd: relative(".", folder.path), framework: {} });
  expect((await run(deck, "ls")).output).toContain("here.txt");
});

verifies("deck:provision", "with a checkpoint store, write and edit record before they change", async () => {
  await using folder = await tempDir();
  writeFileSync(folder.at("a.txt"), "old");
  const records: [string, string | undefined][] = [];
  const checkpoint: CheckpointStore = {
    record: async (path, previous) => void records.push([path, await textOf(previous)]),
  };
  const context: DeckContext = { cwd: folder.path, framework: { checkpoint } };
  await using deck = provisionDeck("survey", context);
  await run(deck, "write", { path: "a.txt", content: "new" });
  await run(deck, "write", { path: "b.txt", content: "new" });
  expect(records).toEqual([
    [folder.at("a.txt"), "old"],
    [folder.at("b.txt"), undefined],
  ]);
  // The wrapper is not visible: same names, same definitions, same effects.
  const plain = buildBuiltin("write", context).descriptor;
  const wrapped = deck.tools().find(({ name }) => name === "write")?.descriptor;
  expect(wrapped).toEqual(plain);
  expect(wrapped && effectOf(wrapped, { path: "x" })).toEqual(effectOf(plain, { path: "x" }));
});

verifies("deck:effect", "cards: an action that only reads is known to be harmless", async () => {
  await using deck = provisionDeck("all", createDeckContext("."));
  const effect = (name: string, input: unknown) => {
    const descriptor = deck
      .intoToolBox()
      .descriptors()
      .find((each) => each.name === name);
    return descriptor && effectOf(descriptor, input).readOnly;
  };
  for (const [name, harmless, other] of [
    ["memory", { action: "read" }, { action: "append", content: "x" }],
    ["todo", { action: "read" }, { action: "set", items: [] }],
    ["bg-process", { action: "list" }, { action: "start", command: "true" }],
    ["saas-action", { action: "discover" }, { action: "execute", slug: "X" }],
  ] as const) {
    expect([name, effect(name, harmless), effect(name, other)]).toEqual([name, true, false]);
    expect(effect(name, JSON.stringify(harmless))).toBe(true);
    expect(effect(name, undefined)).toBe(false);
  }
  expect(effect("task", { objective: "x" })).toBe(false);
  expect(effect("enter_plan_mode", {})).toBe(true);
  expect(effect("exit_plan_mode", { plan: "x" })).toBe(true);
});

verifies(
  "deck:provision",
  "options reach the session: other roots, and the reports of the deck",
  async () => {
    await using folder = await tempDir();
    await using outside = await tempDir();
    writeFileSync(outside.at("far.txt"), "far away");
    const reports: string[] = [];
    await using deck = provisionDeck("authoring", createDeckContext(folder.path), {
      session: { read: [folder.path, outside.path] },
      report: (message) => reports.push(message),
    });
    expect((await run(deck, "read", { path: outside.at("far.txt") })).output).toContain("far away");
    const [read] = deck.tools();
    deck.graft(read ? [read] : []);
    expect(reports).toEqual(["a second tool named read is not offered: the name is taken"]);
  },
);

verifies(
  "deck:close-jobs",
  "jobs of process and bg-process end with the deck, also when closed twice",
  async () => {
    await using folder = await tempDir();
    const deck = provisionDeck("all", createDeckContext(folder.path));
    const command = "echo $$ > PIDFILE; exec sleep 600";
    for (const [name, file] of [
      ["process", "one.pid"],
      ["bg-process", "two.pid"],
    ] as const)
      expect(
        await run(deck, name, { action: "start", command: command.replace("PIDFILE", file) }),
      ).toMatchObject({ isError: false });
    const pidIn = (file: string): number => Number(readFileSync(folder.at(file), "utf8"));
    await expect
      .poll(() => [pidIn("one.pid"), pidIn("two.pid")].every((pid) => pid > 0), { timeout: 10_000 })
      .toBe(true);
    const pids = [pidIn("one.pid"), pidIn("two.pid")];
    expect(pids.map(isAlive)).toEqual([true, true]);
    await Promise.all([deck.close(), deck.close()]);
    expect(pids.map(isAlive)).toEqual([false, false]);
    const start = { action: "start", command: "sleep 600" };
    for (const [name, input] of [
      ["process", start],
      ["bg-process", start],
      ["bash", { command: "true" }],
    ] as const)
      expect((await run(deck, name, input)).output, name).toMatch(/session (is|has)/);
  },
  { only: ["linux", "darwin"] },
);

verifies("deck:provision", "a card that cannot be built is a fault that names it, with the cause", () => {
  const cause = new Error("the roster is lost");
  const delegate: DelegateRunner = {
    listAgents: () => {
      throw cause;
    },
    run: async () => textResult(""),
  };
  expect(() => provisionDeck("all", createDeckContext(".", { delegate }))).toThrow(
    expect.objectContaining({
      kind: "build_failed",
      message: "card task could not be built: the roster is lost",
      cause,
    }),
  );
  expect(() => provisionDeck("nope" as Profile, createDeckContext("."))).toThrow(
    "known: authoring, survey, all",
  );
});

async function textOf(state: PreviousState): Promise<string | undefined> {
  if (typeof state !== "object") return state;
  let text = "";
  for await (const part of state.bytes instanceof Uint8Array ? [state.bytes] : state.bytes)
    text += Buffer.from(part).toString();
  return text;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
