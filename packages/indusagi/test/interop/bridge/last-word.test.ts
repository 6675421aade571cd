import { verifies } from "@indus/testkit";
import { mountProtocolBridge, type ToolReview } from "indusagi/interop";
import { viewBox } from "indusagi/runtime";
import { expect } from "vitest";
import { inProcess } from "../kit/scripted.ts";

verifies(
  "house:last-word",
  "a tool that a review withholds is refused at once, also through a layer",
  async () => {
    const listeners: ((server: string) => void)[] = [];
    let isWithheld = false;
    const toolReview: ToolReview = {
      review: ({ tools }) => ({
        offered: tools.filter(({ name }) => !isWithheld || name !== "echo"),
        withheld: new Map(isWithheld ? [["echo", "echo is quarantined"]] : []),
      }),
      onChange: (listener) => {
        listeners.push(listener);
        return () => {};
      },
    };
    const { box, fleet } = await mountProtocolBridge(
      { servers: [{ kind: "stdio", id: "s", command: "unused" }] },
      { probeMs: 10_000, transport: () => inProcess({}), toolReview },
    );
    const view = viewBox(box, { show: (tool) => tool });
    const call = { id: "1", name: "s__echo", input: {} };
    expect((await view.runner.run(call)).isError).toBe(false);
    isWithheld = true;
    for (const listener of listeners) listener("s");
    const refused = await view.runner.run(call);
    await fleet.tearDown();
    expect(refused.output).toBe("echo is quarantined");
  },
);
