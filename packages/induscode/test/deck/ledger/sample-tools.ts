import type { ToolDescriptor } from "indusagi/llm";
import { answeredOutcome, type ToolRunner, textResult } from "indusagi/runtime";
import { BridgeCapability, type BridgeEntry, BridgeLedger } from "induscode/deck";

export const AT = "2026-07-28T09:30:00.000Z";

/** A tool as a server lists it. */
export function sampleDescriptor(server: string, tool: string, listing: object = {}): ToolDescriptor {
  const definition = {
    name: tool,
    description: `does ${tool}`,
    inputSchema: { type: "object", properties: { path: { type: "string" } } },
    ...listing,
  };
  return {
    name: `${server}__${tool}`,
    description: definition.description,
    parameters: { type: "object" },
    origin: { server, tool },
    definition,
  };
}

export const echoRunner: ToolRunner = {
  run: async (call) => answeredOutcome(call.id, textResult(`${call.name} ${JSON.stringify(call.input)}`)),
};

export function sampleCapability(server: string, tool: string, listing: object = {}): BridgeCapability {
  return new BridgeCapability(sampleDescriptor(server, tool, listing), echoRunner);
}

/** A ledger with `count` entries: every fourth retires what the previous one enrolled. */
export function sampleLedger(count: number, first: BridgeLedger = BridgeLedger.empty()): BridgeLedger {
  let ledger = first;
  while (ledger.nextSeq <= count) {
    const last = ledger.nextSeq % 4 === 0 ? ledger.log.at(-1) : undefined;
    ledger = last
      ? ledger.retire(last.key, last.server, AT)
      : ledger.enroll({ capability: sampleCapability("fs", `t${ledger.nextSeq}`), server: "fs" }, AT);
  }
  return ledger;
}

/** Entries as plain data: a capability read from a log has everything except its runner. */
export function asData(entries: readonly BridgeEntry[]): unknown {
  return entries.map(({ capability, ...stamp }) =>
    capability ? { ...stamp, tool: capability.descriptor } : stamp,
  );
}
