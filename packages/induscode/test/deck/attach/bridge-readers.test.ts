import { verifies } from "@indus/testkit";
import { mountProtocolBridge } from "indusagi/interop";
import {
  BridgeLedger,
  bridgeCapabilityCard,
  bridgeStatus,
  bridgeToolCounts,
  bridgeToolNames,
  createDeckContext,
  inProfile,
} from "induscode/deck";
import { expect } from "vitest";
import { inProcess, scripted } from "../../../../indusagi/test/interop/kit/scripted.ts";
import { AT, sampleCapability } from "../ledger/sample-tools.ts";

verifies("ledger:readers", "names and counts are those of the live tools", () => {
  const ledger = [["fs", "read"] as const, ["fs", "write"] as const, ["git", "log"] as const].reduce(
    (next, [server, tool]) => next.enroll({ capability: sampleCapability(server, tool), server }, AT),
    BridgeLedger.empty(),
  );
  expect(bridgeToolNames(ledger)).toEqual(["fs__read", "fs__write", "git__log"]);
  expect(bridgeToolCounts(ledger)).toEqual(new Map(Object.entries({ fs: 2, git: 1 })));
  const after = ledger.withdrawServer("fs", AT);
  expect(bridgeToolNames(after)).toEqual(["git__log"]);
  expect(bridgeToolCounts(after)).toEqual(new Map([["git", 1]]));
});

verifies("ledger:readers", "the status is that of the fleet", async () => {
  const { fleet } = await mountProtocolBridge({ servers: [scripted("s")] }, { transport: () => inProcess() });
  expect(bridgeStatus(fleet).get("s")).toMatchObject({ server: "s", phase: "ready" });
  await fleet.tearDown();
});

verifies(
  "ledger:readers",
  "a mounted tool is a card outside of all profiles that builds the tool itself",
  () => {
    const description = `\u001b[31mReads\u001b[0m a file.\r\nMore text.`;
    const capability = sampleCapability("fs", "read", { description });
    const card = bridgeCapabilityCard(capability);
    expect(card).toMatchObject({ id: "fs__read", title: "fs__read", summary: "Reads a file.", profiles: [] });
    expect(card.build(createDeckContext("."))).toBe(capability);
    expect((["authoring", "survey", "all"] as const).some((profile) => inProfile(card, profile))).toBe(false);
    const long = bridgeCapabilityCard(sampleCapability("fs", "read", { description: "x".repeat(10_000) }));
    expect(long.summary).toHaveLength(200);
  },
);
