import { type TempDir, tempDir, verifies } from "@indus/testkit";
import type { ServerConfig } from "indusagi/interop";
import { expect } from "vitest";
import { textOf } from "../../../../indusagi/test/interop/host/http/raw-http.ts";
import { workspaceTokens } from "../../../src/boot/internal.ts";
import { scriptedRow } from "../../bin/run-indus.ts";
import { callModern } from "../serving-gateway.ts";
import { serveIn } from "./serve-in.ts";
import { library } from "./served-library.ts";

const { command, args } = scriptedRow() as { command: string; args: string[] };
const scripted = (id: string): ServerConfig => ({ kind: "stdio", id, command, args });

async function notes(dir: TempDir, description: string): Promise<ServerConfig> {
  const definitions = [{ name: "a", description, inputSchema: { type: "object" } }];
  return { ...(await library(dir, "notes", { definitions })), pin: "quarantine" as const };
}

/** Ways to call a tool, as expressions: each is a call that must fail. */
function waysTo(server: string, tool: string): readonly string[] {
  const wire = `${server}__${tool}`;
  return [
    `${server}.${tool}({})`,
    `${server}[${JSON.stringify(tool)}]({})`,
    `globalThis[${JSON.stringify(server)}][${JSON.stringify(tool)}]({})`,
    `Reflect.get(${server}, ${JSON.stringify(tool)})({})`,
    `open.${wire}({})`,
    `open[${JSON.stringify(`../${wire}`)}]({})`,
    `open[${JSON.stringify(`_${wire}`)}]({})`,
    `open[${JSON.stringify(`echo\\0${wire}`)}]({})`,
    `open.constructor(${JSON.stringify(wire)})`,
    `open.__proto__[${JSON.stringify(wire)}]({})`,
    `native[${JSON.stringify(wire)}]({})`,
    `native[${JSON.stringify(wire.toUpperCase())}]({})`,
    `native.tool_call({ name: ${JSON.stringify(wire)}, arguments: {} })`,
    `native.run_code({ code: ${JSON.stringify(`return await ${server}.${tool}({})`)} })`,
    `open.echo({ text: "x", __proto__: { name: ${JSON.stringify(wire)} } }).then((text) => { if (text === "x") throw new Error("only an echo") })`,
  ];
}

verifies(
  "code:gateway",
  "a program reaches no tool that is denied, hidden from its token or quarantined, by any name",
  async () => {
    await using dir = await tempDir();
    const policy = { mode: "bypass", allow: [], deny: ["open__args"] } as const;
    for (const description of ["Reads a note.", "Deletes all notes."]) {
      const servers = [scripted("open"), scripted("secret"), await notes(dir, description)];
      await using served = await serveIn(dir, { policy }, servers);
      const tokens = await workspaceTokens(served.run);
      const grant = { servers: ["open", "notes"], listing: "code" } as const;
      const { token } = await tokens.add(description.slice(0, 5), grant);
      const headers = { authorization: `Bearer ${token}` };
      const run = async (code: string): Promise<string> =>
        textOf(await callModern(served.url, "run_code", { args: { code }, headers })) ?? "";
      expect(await run("return await open.echo({ text: 'hi' })")).toBe("hi");
      // The first time the server is new and its tool is pinned as it is.
      if (description.startsWith("Reads")) {
        await run("return await notes.a({})");
        continue;
      }
      await expect.poll(() => served.gateway.servers.fleet.withheld("notes")).toHaveLength(1);
      const forbidden = [waysTo("secret", "echo"), waysTo("open", "args"), waysTo("notes", "a")].flat();
      const tries = forbidden.map(
        (way) =>
          `try { const value = await ${way}; ran.push(${JSON.stringify(way)} + ": " + typeof value) } catch {}`,
      );
      expect(await run(`const ran = []; ${tries.join("\n")}\nreturn ran`)).toBe("[]");
    }
  },
  { timeoutMs: 60_000 },
);
