import { writeFileSync } from "node:fs";
import { tempDir, verifies } from "@indus/testkit";
import type { ServerConfig, ServerEndpoint } from "indusagi/interop";
import { expect } from "vitest";
import { workspaceAudit, workspaceTokens } from "../../../src/boot/internal.ts";
import { eventually, scriptedRow } from "../../bin/run-indus.ts";
import { gatedRow } from "../../bin/scripted-client.ts";
import { connectTo, serveIn } from "./serve-in.ts";

const scripted = (id: string): ServerConfig => ({
  kind: "stdio",
  id,
  ...(scriptedRow() as { command: string; args: string[] }),
});
const DENY = { mode: "default", allow: ["s__*"], deny: ["s__fail"] } as const;

/** What a client reads when it calls a tool, however that ends. */
async function said(client: ServerEndpoint, name: string, input: object = {}): Promise<string> {
  const answer = await client.invoke(name, { ...input }).catch((thrown: unknown) => String(thrown));
  return typeof answer === "string" ? answer : JSON.stringify(answer);
}

verifies(
  "house:layer-order",
  "a search is outside the gate, and observation is outside both the gate and the wait for a tool, and inside the previews",
  async () => {
    await using dir = await tempDir();
    const slow: ServerConfig = { kind: "stdio", id: "slow", ...gatedRow("--gate", dir.at("gate")) };
    const offered = { listing: "search", previewOver: 2_000, policy: DENY, waitMs: 20_000 } as const;
    await using served = await serveIn(dir, offered, [scripted("s"), slow]);
    const client = await connectTo(served.url);
    const shown = await said(client, "tool_call", {
      name: "s__echo",
      arguments: { text: "x".repeat(9_000) },
    });
    expect(shown.length).toBeLessThan(8_000);
    // The gate decides about the tool that is called, not about the search that calls it.
    expect(await said(client, "tool_call", { name: "s__fail", arguments: {} })).toContain(
      'the deny rule \\"s__fail\\"',
    );
    const waiting = said(client, "slow__t0");
    await new Promise((resolve) => setTimeout(resolve, 300));
    writeFileSync(dir.at("gate"), "");
    expect(await waiting).toContain("called t0");
    await client.close();
    const trail = await workspaceAudit(served.run);
    const records = await eventually(() => (trail.read().length >= 3 ? trail.read() : undefined));
    const summary = records.map(({ server, tool, outcome }) => [server, tool, outcome]);
    expect(summary).toEqual([
      ["s", "s__echo", "ok"],
      ["s", "s__fail", "refused"],
      ["slow", "slow__t0", "ok"],
    ]);
    // The whole result, and the whole wait.
    expect(records[0]?.resultBytes).toBeGreaterThan(9_000);
    expect(records[2]?.ms).toBeGreaterThanOrEqual(250);
  },
  { timeoutMs: 60_000 },
);

verifies(
  "house:layer-refusals",
  "why a tool is refused reaches a client through every layer, and a token learns it only about its own servers",
  async () => {
    await using dir = await tempDir();
    const profiles = [
      { name: "few", tools: ["s__*"] },
      { name: "found", tools: ["s__*"], listing: "search" },
    ] as const;
    await using served = await serveIn(dir, { policy: DENY, profiles, previewOver: 2_000 }, [
      scripted("s"),
      scripted("t"),
    ]);
    const tokens = await workspaceTokens(served.run);
    const [own, foreign] = [
      await tokens.add("own", { servers: ["s"] }),
      await tokens.add("foreign", { servers: ["t"] }),
    ];
    const reason = 'the deny rule \\"s__fail\\"';
    const ask = async (path: string, name: string, token?: string): Promise<string> => {
      const client = await connectTo(`${served.url}${path}`, { token });
      try {
        await client.listTools();
        return await said(client, name);
      } finally {
        await client.close();
      }
    };
    for (const path of ["", "/p/few", "/p/found"])
      expect((await ask(path, "s__fail")).replaceAll("\\", ""), path).toContain(reason.replaceAll("\\", ""));
    expect((await ask("/s", "fail")).replaceAll("\\", "")).toContain(reason.replaceAll("\\", ""));
    expect((await ask("", "s__fail", own.token)).replaceAll("\\", "")).toContain(reason.replaceAll("\\", ""));
    expect(await ask("", "s__fail", foreign.token)).toContain("there is no tool named");
  },
  { timeoutMs: 60_000 },
);
