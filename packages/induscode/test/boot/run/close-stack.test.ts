import { setTimeout as pause } from "node:timers/promises";
import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { createCloseStack } from "../../../src/boot/run/close-stack.ts";

/** Something that records its name when it is closed. */
function part(name: string, closed: string[]): AsyncDisposable {
  return {
    [Symbol.asyncDispose]: async () => {
      await pause(1);
      closed.push(name);
    },
  };
}

verifies("command:run", "parts are closed one after the other, in reverse order", async () => {
  const closed: string[] = [];
  {
    await using stack = createCloseStack();
    await stack.open(Promise.resolve(part("first", closed)));
    stack.defer(() => void closed.push("second"));
    await stack.open(Promise.resolve(part("third", closed)));
  }
  expect(closed).toEqual(["third", "second", "first"]);
});

verifies(
  "command:run",
  "a part that fails to close leaves no other open, and its error is not lost",
  async () => {
    const closed: string[] = [];
    const stack = createCloseStack();
    await stack.open(Promise.resolve(part("first", closed)));
    stack.defer(() => {
      throw new Error("stuck");
    });
    await stack.open(Promise.resolve(part("third", closed)));
    await expect(stack[Symbol.asyncDispose]()).rejects.toThrow("stuck");
    expect(closed).toEqual(["third", "first"]);
    await stack[Symbol.asyncDispose]();
    expect(closed).toHaveLength(2);
  },
);

verifies("command:run", "a part that opens after the end is closed at once", async () => {
  const closed: string[] = [];
  const stack = createCloseStack();
  const late = stack.open(pause(5).then(() => part("late", closed)));
  await stack[Symbol.asyncDispose]();
  await expect(late).rejects.toThrow("already closed");
  expect(closed).toEqual(["late"]);
});

verifies("command:run", "what is deferred during the end or after it is closed too", async () => {
  const closed: string[] = [];
  const stack = createCloseStack();
  stack.defer(() => {
    closed.push("first");
    stack.defer(() => void closed.push("during"));
  });
  await stack[Symbol.asyncDispose]();
  expect(closed).toEqual(["first", "during"]);
  stack.defer(() => void closed.push("after"));
  stack.defer(() => Promise.reject(new Error("stuck")));
  expect(closed).toEqual(["first", "during", "after"]);
});
