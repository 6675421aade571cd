import { verifies } from "@indus/testkit";
import type { RemoteTool, ServerFleet } from "indusagi/interop";
import { expect } from "vitest";
import { bridgeBox } from "../../../src/interop/bridge/index.ts";

const remote = (server: string, name: string, wire: string): RemoteTool => ({
  ref: { server, name },
  descriptor: { name: wire, description: "", parameters: { type: "object" }, origin: { server, tool: name } },
  definition: { name },
});

/** A fleet that has just these tools. Wire names clash only by a broken hash, so the clash is made by hand. */
function fleetOf(tools: readonly RemoteTool[]): ServerFleet {
  const servers = [...new Set(tools.map((tool) => tool.ref.server))];
  return {
    endpoints: () => servers.map((id) => ({ config: { kind: "stdio", id, command: "unused" } })),
    catalogue: (server: string) => tools.filter((tool) => tool.ref.server === server),
    withheld: () => [],
    onChange: () => () => {},
  } as unknown as ServerFleet;
}

function offered(
  tools: readonly RemoteTool[],
  reserved: ReadonlySet<string> = new Set(),
): { names: (string | undefined)[]; reports: string[] } {
  const reports: string[] = [];
  const box = bridgeBox(fleetOf(tools), { reserved, report: (message) => reports.push(message) });
  return { names: box.descriptors().map((tool) => tool.origin?.server), reports };
}

verifies("bridge:mount", "a tool with a reserved name is not offered, and that is reported", () => {
  const { names, reports } = offered(
    [remote("a", "one", "read"), remote("b", "two", "b__two")],
    new Set(["read"]),
  );
  expect(names).toEqual(["b"]);
  expect(reports).toEqual(['tool "one" of server "a" is not offered: the name read is taken']);
});

verifies("bridge:mount", "if two names clash, the first by identity wins in any order", () => {
  const clash = [remote("b", "x", "same"), remote("a", "x", "same"), remote("c", "y", "c__y")];
  for (const tools of [clash, clash.toReversed()]) {
    const { names, reports } = offered(tools);
    expect(names.toSorted()).toEqual(["a", "c"]);
    expect(reports).toEqual(['tool "x" of server "b" is not offered: the name same is taken']);
  }
});
