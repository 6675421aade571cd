import { tempDir, verifies } from "@indus/testkit";
import { type MountedProtocolBridge, mountProtocolBridge } from "indusagi/interop";
import { answeredOutcome, textResult } from "indusagi/runtime";
import { mcpSaasGateway, saasCard } from "induscode/deck";
import { expect } from "vitest";
import { inProcess, scripted } from "../../../../indusagi/test/interop/kit/scripted.ts";
import { openCard } from "./card-session.ts";

/** Two servers with the same tools. */
async function mounted(era: "legacy" | "modern"): Promise<MountedProtocolBridge> {
  return mountProtocolBridge(
    { servers: [scripted("desk"), scripted("other")] },
    { transport: () => inProcess({ era }) },
  );
}

verifies(
  "cards:saas-mcp",
  "of several servers each action runs on its own; a clash is qualified, and a withheld tool says why",
  async () => {
    const called: string[] = [];
    const tool = (server: string, name: string) => ({
      name: `${server}__${name}`,
      description: name,
      parameters: { type: "object" },
      origin: { server, tool: name },
    });
    const tools = [tool("a", "x"), tool("a", "both"), tool("b", "both"), tool("c", "hidden")];
    const box = {
      descriptors: () => tools,
      refusalOf: (name: string) =>
        name === "b__changed"
          ? { message: "it was changed", fault: { kind: "tool_error", retrySafe: false } }
          : undefined,
      runner: {
        run: async ({ id, name }: { readonly id: string; readonly name: string }) => {
          called.push(name);
          return answeredOutcome(id, textResult(name));
        },
      },
    } as Parameters<typeof mcpSaasGateway>[0];
    const gateway = mcpSaasGateway(box, ["a", "b"]);
    const call = { signal: new AbortController().signal };
    const slugs = (await gateway.discover({}, call)).map(({ slug }) => slug);
    expect(slugs).toEqual(["x", "a__both", "b__both"]);
    const origins: unknown[] = [];
    // The last two are withheld: a call gets the reason, by whatever name it was discovered.
    for (const slug of [...slugs, "changed", "b__changed"])
      origins.push((await gateway.execute(slug, {}, call)).origin);
    expect(called).toEqual(["a__x", "a__both", "b__both", "b__changed", "b__changed"]);
    const origin = (server: string, tool: string) => ({ server, tool });
    expect(origins).toEqual([
      ...[origin("a", "x"), origin("a", "both"), origin("b", "both")],
      ...[origin("b", "changed"), origin("b", "changed")],
    ]);
    for (const slug of ["hidden", "c__changed"])
      expect(await gateway.execute(slug, {}, call)).toMatchObject({ isError: true });
    expect(called).toHaveLength(5);
  },
);

for (const era of ["legacy", "modern"] as const) {
  verifies(
    "cards:saas-mcp",
    `the tools of one ${era} server are the actions, under their own names`,
    async () => {
      await using dir = await tempDir();
      const { box, fleet } = await mounted(era);
      try {
        await using card = openCard(saasCard(), dir.path, { saas: mcpSaasGateway(box, "desk") });
        const all = await card.run({ action: "discover", toolkits: ["desk"] });
        const slugs = (all.structured["actions"] as readonly { readonly slug: string }[]).map(
          ({ slug }) => slug,
        );
        expect(slugs).toEqual(
          box.descriptors().flatMap(({ origin }) => (origin?.server === "desk" ? origin.tool : [])),
        );
        expect(slugs).toContain("echo");
        expect((await card.run({ action: "discover", query: "ECHO the" })).text).toMatch(
          /^echo: The echo tool\.\narg/,
        );
        expect((await card.run({ action: "discover", toolkits: ["other"] })).text).toBe("no action matches");

        const echo = await card.run({ action: "execute", slug: "echo", arguments: { text: "hi" } });
        expect(echo.outcome.output).toBe("hi");
        expect((await card.run({ action: "execute", slug: "fail" })).outcome).toMatchObject({
          isError: true,
          output: "it went wrong",
        });
        const unknown = await card.run({ action: "execute", slug: "desk__echo" });
        expect(unknown.text).toBe(
          'saas-action: server "desk" has no action "desk__echo"; use discover to list its actions',
        );
      } finally {
        await fleet.tearDown();
      }
    },
  );

  verifies(
    "cards:saas-mcp",
    `questions, progress and aborts of a ${era} call pass through the gateway`,
    async () => {
      await using dir = await tempDir();
      const { box, fleet } = await mounted(era);
      try {
        await using card = openCard(saasCard(), dir.path, { saas: mcpSaasGateway(box, "desk") });
        const notes: unknown[] = [];
        const caller = {
          key: "me",
          can: { elicit: { form: true }, suspend: true },
          progress: (note: unknown) => notes.push(note),
          ask: async (requests: object) =>
            Object.fromEntries(
              Object.keys(requests).map((key) => [key, { action: "accept", content: { name: "Ada" } }]),
            ),
        };
        const asked = await card.run({ action: "execute", slug: "ask" }, { caller });
        expect(asked.outcome.suspended).toBeUndefined();
        expect(String(asked.outcome.output)).toContain("Ada");

        await card.run({ action: "execute", slug: "slow", arguments: { ms: 50 } }, { caller });
        expect(notes.length).toBeGreaterThan(0);

        const abort = new AbortController();
        const silent = card.run({ action: "execute", slug: "silent" }, { signal: abort.signal });
        await new Promise((resolve) => setTimeout(resolve, 20));
        abort.abort();
        expect((await silent).outcome.fault).toMatchObject({ reason: "aborted" });
      } finally {
        await fleet.tearDown();
      }
    },
  );
}
