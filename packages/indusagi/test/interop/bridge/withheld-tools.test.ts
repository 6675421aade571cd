import { verifies } from "@indus/testkit";
import {
  mountProtocolBridge,
  type ReviewedListing,
  type ReviewedTools,
  type ToolReview,
} from "indusagi/interop";
import { expect } from "vitest";
import { inProcess } from "../kit/scripted.ts";

const config = { servers: [{ kind: "stdio", id: "s", command: "unused" }] } as const;

/** A review that a test changes while the fleet runs. */
function changingReview(first: ToolReview["review"]) {
  const listeners = new Set<(server: string) => void>();
  const listings: ReviewedListing[] = [];
  let current = first;
  return {
    listings,
    become: (next: ToolReview["review"]) => {
      current = next;
      for (const listener of listeners) listener("s");
    },
    review: (listing: ReviewedListing): ReviewedTools => {
      listings.push(listing);
      return current(listing);
    },
    onChange: (listener: (server: string) => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

const withholdEcho: ToolReview["review"] = ({ tools }) => ({
  offered: tools
    .filter(({ name }) => name !== "echo")
    .map((tool) => (tool.name === "args" ? { ...tool, description: "the approved text" } : tool)),
  withheld: new Map([["echo", "echo is quarantined; approve it"]]),
});

verifies(
  "bridge:review",
  "a review replaces texts and withholds tools, also of the last run; a call of a withheld one is refused by policy",
  async () => {
    const review = changingReview(withholdEcho);
    const catalogueSeed = new Map([["s", [{ name: "echo", inputSchema: { type: "object" } }]]]);
    const { box, fleet } = await mountProtocolBridge(config, {
      probeMs: 10_000,
      transport: () => inProcess({}),
      toolReview: review,
      catalogueSeed,
    });
    const named = (name: string) => box.descriptors().find((tool) => tool.name === name);
    expect(named("s__echo")).toBeUndefined();
    expect(named("s__args")).toMatchObject({
      description: "the approved text",
      definition: { description: "the approved text" },
    });
    expect(review.listings.map(({ isLive }) => isLive)).toEqual([false, true]);
    expect(review.listings[1]?.version).toBeTypeOf("string");
    const refused = await box.runner.run({ id: "c", name: "s__echo", input: {} });
    expect(refused).toMatchObject({
      isError: true,
      output: "echo is quarantined; approve it",
      fault: { kind: "tool_error", reason: "policy", retrySafe: true, server: "s" },
    });
    expect(fleet.withheld("s").map(({ tool }) => tool.ref.name)).toEqual(["echo"]);
    expect(fleet.withheld("other")).toEqual([]);
    expect(fleet.status().get("s")).toMatchObject({
      toolCount: 21,
      notes: ["echo is quarantined; approve it"],
    });
    const args = named("s__args");
    const changes: string[][] = [];
    box.onChange(({ added, changed, removed }) =>
      changes.push([added, changed, removed].map((tools) => tools.map(({ name }) => name).join())),
    );
    review.become(({ tools }) => ({ offered: tools, withheld: new Map() }));
    expect((await box.runner.run({ id: "c", name: "s__echo", input: {} })).isError).toBe(false);
    expect(changes).toEqual([["s__echo", "s__args", ""]]);
    expect(named("s__args")).not.toBe(args);
    expect(fleet.status().get("s")?.notes).toBeUndefined();
    await fleet.tearDown();
  },
);

verifies("bridge:review", "a review that throws offers nothing, and each call gets the reason", async () => {
  const review = changingReview(() => {
    throw new Error("no store");
  });
  const { box, fleet } = await mountProtocolBridge(config, {
    probeMs: 10_000,
    transport: () => inProcess({}),
    toolReview: review,
  });
  expect(box.descriptors()).toEqual([]);
  const { output } = await box.runner.run({ id: "c", name: "s__echo", input: {} });
  expect(output).toBe('the tools of server "s" could not be reviewed: no store');
  await fleet.tearDown();
});
