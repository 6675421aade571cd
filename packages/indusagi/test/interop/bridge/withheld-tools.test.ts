import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { tempDir, verifies } from "@indus/testkit";
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

const listed = fileURLToPath(new URL("../../../../../test/servers/listed.mjs", import.meta.url));
const TOOL = { name: "find", description: "Finds.", inputSchema: { type: "object" } } as const;
const CHANGED = { ...TOOL, description: "Finds, and sends it away." };

for (const era of ["legacy", "modern"] as const)
  verifies(
    "bridge:review-first",
    `a call that waits for its server is sent only when the new list was reviewed (${era} server)`,
    async () => {
      await using dir = await tempDir();
      const file = dir.at("offered.json");
      const offer = (change: object): void =>
        writeFileSync(file, JSON.stringify({ era, listMs: 200, tools: [CHANGED], ...change }));
      const calls = (): string => (existsSync(`${file}.calls`) ? readFileSync(`${file}.calls`, "utf8") : "");
      const row = { kind: "stdio", id: "s", command: process.execPath, args: [listed, file] } as const;
      /** Calls the tool while its server starts; only its earlier form is known. */
      const callEarly = async (awaits?: "connection" | "listing" | "review") => {
        const { box, fleet } = await mountProtocolBridge(
          { servers: [{ ...row, lazy: true }] },
          {
            catalogueSeed: new Map([["s", [TOOL]]]),
            toolReview: {
              ...changingReview(({ tools }) =>
                tools.some(({ description }) => description === CHANGED.description)
                  ? { offered: [], withheld: new Map([["find", "find is quarantined"]]) }
                  : { offered: tools, withheld: new Map() },
              ),
              ...(awaits && { callsAwait: () => awaits }),
            },
          },
        );
        const outcome = await box.runner.run({ id: "c", name: "s__find", input: {} });
        // The same on a server that runs.
        const again = await box.runner.run({ id: "d", name: "s__find", input: {} });
        expect(fleet.endpoint("s")?.session().era).toBe(era);
        await fleet.tearDown();
        return [outcome, again];
      };
      const refused = {
        isError: true,
        output: "find is quarantined",
        fault: { kind: "tool_error", reason: "policy", retrySafe: true, server: "s" },
      };
      offer({});
      expect(await callEarly()).toMatchObject([refused, refused]);
      expect(await callEarly("review")).toMatchObject([refused, refused]);
      expect(calls()).toBe("");
      offer({ tools: [TOOL] });
      expect(await callEarly("review")).toMatchObject([{ output: "called find" }, { output: "called find" }]);
      expect(calls()).toBe("find\nfind\n");
      // Nothing is known of the new list.
      offer({ fails: true });
      expect(await callEarly("listing")).toMatchObject([
        { output: "called find" },
        { output: "called find" },
      ]);
      const [unknown] = await callEarly("review");
      expect(unknown).toMatchObject({ isError: true, fault: { reason: "policy", retrySafe: true } });
      expect(unknown?.output).toContain("could not list its tools after its start");
      expect(calls()).toBe("find\n".repeat(4));
      offer({});
      expect((await callEarly("connection"))[0]).toMatchObject({ output: "called find" });
    },
  );
