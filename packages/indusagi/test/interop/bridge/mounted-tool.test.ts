import { verifies } from "@indus/testkit";
import {
  type EndpointPhase,
  type InvokeResult,
  ProtocolFault,
  type RemoteTool,
  type ServerFleet,
} from "indusagi/interop";
import { expect } from "vitest";
import { bridgeBox } from "../../../src/interop/bridge/index.ts";

const tool: RemoteTool = {
  ref: { server: "s", name: "echo" },
  descriptor: { name: "s__echo", description: "", parameters: { type: "object" } },
  definition: { name: "echo" },
};
const answer: InvokeResult = {
  content: [{ type: "text", text: "second" }],
  isError: false,
  raw: {},
  wire: { value: () => ({}) },
};

/** A fleet whose first endpoint fails as told and whose second one answers. */
async function callWith(first: { readonly phase: EndpointPhase; readonly retrySafe: boolean }) {
  const fault = new ProtocolFault("transport", "lost", { server: "s", retrySafe: first.retrySafe });
  let leases = 0;
  let released = 0;
  const fleet = {
    endpoints: () => [{ config: { id: "s" } }],
    catalogue: () => [tool],
    onChange: () => () => {},
    acquire: async () => {
      const isFirst = leases++ === 0;
      const endpoint = isFirst
        ? { phase: first.phase, invoke: () => Promise.reject(fault) }
        : { phase: "ready", invoke: async () => answer };
      return { endpoint, release: () => released++ };
    },
  } as unknown as ServerFleet;
  const call = { id: "1", name: "s__echo", input: {} };
  const outcome = await bridgeBox(fleet).runner.run(call);
  return { output: outcome.output, leases, released };
}

verifies(
  "bridge:retry",
  "a call that did not run because its endpoint ended is sent to the next endpoint",
  async () => {
    const twice = { output: "second", leases: 2, released: 2 };
    expect(await callWith({ phase: "faulted", retrySafe: true })).toEqual(twice);
    expect(await callWith({ phase: "closing", retrySafe: true })).toEqual(twice);
  },
);

verifies(
  "bridge:retry",
  "a call that may have run, or that a usable endpoint refused, is not repeated",
  async () => {
    const once = { output: "lost", leases: 1, released: 1 };
    expect(await callWith({ phase: "faulted", retrySafe: false })).toEqual(once);
    expect(await callWith({ phase: "ready", retrySafe: true })).toEqual(once);
  },
);
