import { verifies } from "@indus/testkit";
import { KeyedQueue } from "indusagi/core";
import { expect } from "vitest";

verifies(
  "core:keyed-queue",
  "steps of one key keep their order, others do not wait, failures stop nothing",
  async () => {
    const queue = new KeyedQueue();
    const done: string[] = [];
    let open = (): void => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const step = (name: string, wait?: Promise<void>) => async (): Promise<string> => {
      await wait;
      done.push(name);
      return name;
    };
    const first = queue.run("a", step("a1", gate));
    const failing = queue.run("a", () => Promise.reject(new Error("no")));
    const last = queue.run("a", step("a2"));
    expect(await queue.run("b", step("b1"))).toBe("b1");
    expect(done).toEqual(["b1"]);
    open();
    await expect(failing).rejects.toThrow("no");
    expect(await Promise.all([first, last])).toEqual(["a1", "a2"]);
    expect(done).toEqual(["b1", "a1", "a2"]);
  },
);
