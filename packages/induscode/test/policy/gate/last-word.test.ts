import { verifies } from "@indus/testkit";
import { makeLocalContext } from "indusagi/capabilities";
import { answeredOutcome, createTableBox, type ToolBox, textResult } from "indusagi/runtime";
import { gate } from "induscode/policy";
import { expect } from "vitest";
import { sessionBoxes } from "../../../src/conductor/parts/session-boxes.ts";
import { bridgeBoxSource, bridgeBoxToCapabilities } from "../../../src/deck/ledger/index.ts";
import { ToolDeck } from "../../../src/deck/provision/index.ts";
import { samplePolicy } from "../sample-policy.ts";

const ECHO = {
  name: "s__echo",
  description: "",
  parameters: { type: "object" },
  origin: { server: "s", tool: "echo" },
} as const;
const CALL = { id: "1", name: "s__echo", input: {} } as const;

/** A box with one tool of a server, which can be withheld. */
function servers() {
  const ran: string[] = [];
  const table = createTableBox(
    [
      {
        descriptor: ECHO,
        run: async ({ id, name }) => {
          ran.push(name);
          return answeredOutcome(id, textResult("ran"));
        },
      },
    ],
    {
      refusalOf: () => ({
        message: "echo is quarantined",
        fault: { kind: "tool_error", reason: "policy", retrySafe: true, server: "s" },
      }),
    },
  );
  return { box: table.box, ran, withhold: () => table.replace([]) };
}

verifies(
  "house:last-word",
  "a capability of an earlier moment does not run a tool that is withheld since",
  async () => {
    const { box, ran, withhold } = servers();
    const [capability] = bridgeBoxToCapabilities(box);
    withhold();
    expect((await capability?.invoke(CALL))?.output).toBe("echo is quarantined");
    expect(ran).toEqual([]);
  },
);

verifies("house:last-word", "a tool that is withheld while the folder is kept does not run", async () => {
  const { box, ran, withhold } = servers();
  const parts = { box, policy: samplePolicy({ mode: "bypass" }), cwd: "/", writePlan: () => "" };
  const { gated } = sessionBoxes(parts as never, {
    emit: () => {},
    notice: () => {},
    setMode: () => {},
    files: { beforeCommand: async () => withhold() },
    model: { windowTokens: 1_000_000, onChange: () => {} },
  });
  expect((await gated.runner.run(CALL)).output).toBe("echo is quarantined");
  expect(ran).toEqual([]);
});

verifies("house:last-word", "a mounted box that rejects is an outcome of the deck's box", async () => {
  const list = Object.freeze([ECHO]);
  const rejecting: ToolBox = {
    descriptors: () => list,
    onChange: () => () => {},
    runner: { run: () => Promise.reject(new Error("boom")) },
  };
  await using deck = new ToolDeck([], makeLocalContext("."));
  deck.graft(bridgeBoxSource(rejecting));
  expect((await deck.intoToolBox().runner.run(CALL)).output).toContain("boom");
});

verifies(
  "house:last-word",
  "the gate judges a tool as its box describes it, before the box has told of the change",
  async () => {
    const ran: string[] = [];
    const tool = { name: "x", description: "", parameters: { type: "object" } };
    let list: ReturnType<ToolBox["descriptors"]> = Object.freeze([
      { ...tool, annotations: { readOnlyHint: true } },
    ]);
    const box: ToolBox = {
      descriptors: () => list,
      onChange: () => () => {},
      runner: {
        run: async ({ id, name }) => {
          ran.push(name);
          return answeredOutcome(id, textResult("ran"));
        },
      },
    };
    const gated = gate(box, samplePolicy());
    list = Object.freeze([{ ...tool, annotations: { readOnlyHint: false } }]);
    expect((await gated.runner.run({ id: "1", name: "x", input: {} })).fault?.reason).toBe("policy");
    expect(ran).toEqual([]);
  },
);

verifies(
  "house:last-word",
  "arguments that change while the question about them is open are judged again",
  async () => {
    const ran: unknown[] = [];
    const properties = { path: { type: "string" }, n: { type: "integer" } };
    const { box } = createTableBox([
      {
        descriptor: { name: "write", description: "", parameters: { type: "object", properties } },
        run: async ({ id, input }) => {
          ran.push(input);
          return answeredOutcome(id, textResult("ran"));
        },
      },
    ]);
    const input = { path: "a.txt", n: "5" };
    const gated = gate(box, samplePolicy(), async () => {
      input.path = "/etc/passwd";
      return { allow: true };
    });
    const { fault } = await gated.runner.run({ id: "1", name: "write", input });
    expect([ran, fault?.reason]).toEqual([[], "policy"]);
  },
);
