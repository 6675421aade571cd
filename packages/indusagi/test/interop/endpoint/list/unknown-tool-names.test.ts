import { verifies } from "@indus/testkit";
import { createServerEndpoint, startServerFleet } from "indusagi/interop";
import { expect } from "vitest";
import { unknownToolNotes } from "../../../../src/interop/endpoint/list/unknown-tool-names.ts";
import { inProcess } from "../../kit/scripted.ts";

const row = { kind: "stdio", id: "s", command: "unused" } as const;

verifies(
  "diagnose:unknown-tools",
  "each member that names an unknown tool has one note, with the similar name",
  async () => {
    const endpoint = createServerEndpoint(row, inProcess({ era: "legacy" }));
    await endpoint.open();
    const listing = await endpoint.listing();
    const notes = (members: object, more: object = {}): Promise<readonly string[]> =>
      unknownToolNotes(members, () => ({ ...listing, ...more }));
    expect(await notes({})).toEqual([]);
    expect(await notes({ includeTools: ["echo"], excludeTools: ["echo", "echo"] })).toEqual([]);
    expect(await notes({ includeTools: ["echo", "s__echo", "zzzzzz"] })).toEqual([
      '"includeTools" names tools that the server does not have: "s__echo" (did you mean "echo"?), "zzzzzz"',
    ]);
    expect(await notes({ excludeTools: ["ecoh", "ecoh"], toolOverrides: { ehco: { name: "b" } } })).toEqual([
      '"excludeTools" names a tool that the server does not have: "ecoh" (did you mean "echo"?)',
      '"toolOverrides" names a tool that the server does not have: "ehco" (did you mean "echo"?)',
    ]);
    const many = Array.from({ length: 8 }, (_, at) => `qqqqqqqq${at}`);
    expect((await notes({ includeTools: many }))[0]).toMatch(/: ("q{8}\d", ){4}"q{8}4" and 3 more$/);
    // It exists, but cannot be used; and a list that was cut proves nothing.
    expect(await notes({ includeTools: ["bad"] }, { skipped: [{ name: "bad", why: "no" }] })).toEqual([]);
    expect(await notes({ includeTools: ["ecoh"] }, { truncated: true })).toEqual([]);
    await endpoint.close();
  },
);

verifies("diagnose:unknown-tools", "the status of a server has the note after its listing", async () => {
  const fleet = await startServerFleet(
    { servers: [{ ...row, excludeTools: ["ecoh"] }] },
    { transport: () => inProcess({ era: "legacy" }) },
  );
  const status = fleet.status().get("s");
  expect(status).toMatchObject({ phase: "ready", toolCount: 22 });
  expect(status?.rowNotes).toEqual([expect.stringContaining('"ecoh" (did you mean "echo"?)')]);
  expect(status).not.toHaveProperty("notes");
  await fleet.tearDown();
});
