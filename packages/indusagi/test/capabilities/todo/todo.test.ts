import { verifies } from "@indus/testkit";
import { makeLocalContext, todoReadTool, todoSetTool, withSignal } from "indusagi/capabilities";
import { expect } from "vitest";
import { callContext } from "../../../src/capabilities/kernel/index.ts";
import { session } from "../session.ts";

const item = (id: string, status: string, text = `do ${id}`): object => ({ id, text, status });

verifies("todo:list", "the list is shown with a glyph for each state and the counts", async () => {
  await using at = await session();
  expect(await at.text("todo_read", {})).toBe("the checklist is empty");
  const items = [item("1", "done"), item("2", "active"), item("3", "pending"), item("4", "pending")];
  const shown = [
    "[x] 1: do 1",
    "[~] 2: do 2",
    "[ ] 3: do 3",
    "[ ] 4: do 4",
    "4 items: 1 done, 1 active, 2 pending",
  ].join("\n");
  expect(await at.text("todo_set", { items })).toBe(shown);
  expect(await at.text("todo_read", null)).toBe(shown);
});

verifies("todo:list", "set replaces the whole list, and an empty list clears it", async () => {
  await using at = await session();
  await at.text("todo_set", { items: [item("1", "done"), item("2", "pending")] });
  expect(await at.text("todo_set", { items: [item("9", "active")] })).toBe(
    "[~] 9: do 9\n1 item: 0 done, 1 active, 0 pending",
  );
  expect(await at.text("todo_set", { items: [] })).toBe("the checklist is empty");
  expect(await at.text("todo_read", {})).toBe("the checklist is empty");
});

verifies(
  "todo:rejects-whole",
  "a duplicate id or a bad item rejects the list, names the field and changes nothing",
  async () => {
    await using at = await session();
    await at.text("todo_set", { items: [item("kept", "active")] });
    const bad: [unknown, string][] = [
      [
        { items: [item("1", "done"), item("1", "done")] },
        'todo_set: two items have the id "1"; nothing was changed',
      ],
      [
        { items: [item("1", "done"), item("2", "soon")] },
        'todo_set: "items[1].status" must be one of "pending", "active", "done"',
      ],
      [{ items: [item("1", "done"), { id: "2", status: "done" }] }, 'todo_set: "items[1].text" is missing'],
      [
        { items: [item("1", "done"), { ...item("2", "done"), id: 2 }] },
        'todo_set: "items[1].id" must be a string, got 2',
      ],
      [{ items: [item("", "done")] }, 'todo_set: "items[0].id" must not be empty'],
      [{ items: [item("1", "done"), "two"] }, 'todo_set: "items[1]" must be an object, got "two"'],
      [{ items: {} }, 'todo_set: "items" must be an array, got an object'],
      [{}, 'todo_set: "items" is missing'],
    ];
    for (const [input, message] of bad) expect(await at.fails("todo_set", input)).toBe(message);
    expect(await at.text("todo_read", {})).toContain("[~] kept: do kept");
  },
);

verifies("todo:rejects-whole", "a list sent as JSON text is accepted", async () => {
  await using at = await session();
  expect(await at.text("todo_set", { items: JSON.stringify([item("1", "done")]) })).toContain("[x] 1: do 1");
});

verifies("todo:per-context", "two contexts share nothing; another signal keeps the list", async () => {
  const [one, two] = [makeLocalContext("."), makeLocalContext(".")];
  const call = { id: "1", name: "todo_set", input: { items: [item("1", "active")] } };
  await todoSetTool().invoke(call, callContext(one, call));
  const read = { id: "2", name: "todo_read", input: {} };
  const seen = async (ctx: typeof one): Promise<unknown> =>
    (await todoReadTool().invoke(read, callContext(ctx, read))).output;
  expect(await seen(one)).toContain("[~] 1: do 1");
  expect(await seen(withSignal(one, new AbortController().signal))).toContain("[~] 1: do 1");
  expect(await seen(two)).toBe("the checklist is empty");
});
