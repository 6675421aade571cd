import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { type TempDir, tempDir, verifies } from "@indus/testkit";
import type { ServerConfig } from "indusagi/interop";
import { expect } from "vitest";
import { workspaceTokens } from "../../../src/boot/internal.ts";
import { connectTo, names, type Served, serveIn } from "./serve-in.ts";

const script = fileURLToPath(new URL("../../../../../test/servers/listed.mjs", import.meta.url));

async function server(dir: TempDir, id: string, tools: readonly string[]): Promise<ServerConfig> {
  const file = dir.at(`${id}.tools.json`);
  const listed = tools.map((name) => ({ name, inputSchema: { type: "object" } }));
  await writeFile(file, JSON.stringify({ tools: listed }));
  return { kind: "stdio", id, command: process.execPath, args: [script, file] };
}

const policy = (rules: { readonly allow?: string[]; readonly deny?: string[] }) =>
  ({ mode: "default", allow: [], deny: [], ...rules }) as const;

async function offered(served: Served, path = "", token?: string): Promise<string[]> {
  const client = await connectTo(`${served.url}${path}`, { token });
  const found = await names(client);
  await client.close();
  return found;
}

const linesOf = ({ reports }: Served): string[] => reports.join("").split("\n").filter(Boolean);

const SLOW = { timeout: 30_000 };

verifies(
  "policy:readings",
  "a tool with __ in its name is denied, and offered by --tools, a profile and a token, by the pattern that means it",
  async () => {
    await using dir = await tempDir();
    const notes = await server(dir, "notes", ["add", "sub__read", "sub__wipe"]);
    const profiles = [{ name: "few", tools: ["notes__sub__*"], native: "none" }] as const;
    await using served = await serveIn(
      dir,
      {
        profile: "none",
        profiles,
        policy: policy({ deny: ["notes__sub__wi*"] }),
        selection: { tools: ["notes__sub__*"] },
      },
      // A row of a project that nobody approved must not change what the patterns of the user mean.
      [notes, { ...(await server(dir, "notes__sub", ["wipe"])), pending: true }],
    );
    const tokens = await workspaceTokens(served.run);
    const { token } = await tokens.add("ci", { tools: ["notes__sub__*"] });
    const only = ["notes__sub__read"];
    expect([
      await offered(served),
      await offered(served, "/p/few"),
      await offered(served, "", token),
    ]).toEqual([[...only, "indus__status"], [...only, "indus__status"], only]);
    const client = await connectTo(served.url);
    expect(JSON.stringify(await client.invoke("notes__sub__wipe", {}))).toContain(
      'refused by the deny rule \\"notes__sub__wi*\\"',
    );
    await client.close();
    expect(linesOf(served)).toEqual([expect.stringContaining('"notes__sub" comes with a project')]);
  },
  { timeoutMs: 60_000 },
);

verifies(
  "policy:readings",
  "when a second approved server could be meant, permissions lapse with one line each and the gateway goes on",
  async () => {
    await using dir = await tempDir();
    const notes = await server(dir, "notes", ["add", "sub__read"]);
    const inner = await server(dir, "notes__sub", ["read"]);
    const profiles = [{ name: "few", tools: ["notes__sub__*", "*__add"], native: "none" }] as const;
    await using served = await serveIn(dir, { profile: "none", profiles }, [notes]);
    const tokens = await workspaceTokens(served.run);
    const { token } = await tokens.add("ci", { tools: ["notes__sub__*"] });
    const ofToken = (): Promise<string[]> => offered(served, "", token);
    expect(await ofToken()).toEqual(["notes__sub__read"]);
    expect(await offered(served, "/p/few")).toEqual(["notes__add", "notes__sub__read"]);

    await served.gateway.apply({ servers: [notes, inner], profiles });
    expect(await ofToken()).toEqual([]);
    expect(await offered(served, "/p/few")).toEqual(["notes__add"]);
    const both =
      '"notes__sub__*" means sub__* of server notes or * of server notes__sub, so it allows nothing';
    await expect.poll(() => linesOf(served).filter((line) => line.includes(both)), SLOW).toHaveLength(2);
    const lines = linesOf(served).filter((line) => line.includes(both));
    expect(lines.map((line) => line.split(both)[0]).sort()).toEqual([
      'indus: profile "few": ',
      "indus: token ci: ",
    ]);

    // Back as it was, and once more the other way: nothing is repeated.
    await served.gateway.apply({ servers: [notes], profiles });
    expect(await ofToken()).toEqual(["notes__sub__read"]);
    await served.gateway.apply({ servers: [notes, inner], profiles });
    expect(await ofToken()).toEqual([]);
    await served[Symbol.asyncDispose]();
    expect(linesOf(served).filter((line) => line.includes(both))).toHaveLength(2);
  },
  { timeoutMs: 60_000 },
);

verifies(
  "policy:real-tool",
  "a row that shows one tool under the name of another offers nothing to a token, a profile or --tools for that name",
  async () => {
    await using dir = await tempDir();
    const notes = {
      ...(await server(dir, "notes", ["wipe", "see"])),
      toolOverrides: { wipe: { name: "list" } },
    };
    const profiles = [{ name: "few", tools: ["notes__list", "notes__see"], native: "none" }] as const;
    await using served = await serveIn(dir, { profile: "none", profiles }, [notes]);
    const tokens = await workspaceTokens(served.run);
    const [shown, real] = await Promise.all([
      tokens.add("shown", { tools: ["notes__list"] }),
      tokens.add("real", { tools: ["notes__wipe"] }),
    ]);
    expect(await offered(served)).toEqual(["notes__list", "notes__see"]);
    expect(await offered(served, "/p/few")).toEqual(["notes__see"]);
    expect(await offered(served, "", shown.token)).toEqual([]);
    expect(await offered(served, "", real.token)).toEqual(["notes__list"]);
    await expect
      .poll(() => linesOf(served), SLOW)
      .toContain('indus: profile "few": "notes__list" is only a name that a row shows; write notes__wipe');
  },
  { timeoutMs: 60_000 },
);

verifies(
  "policy:unmatched",
  "words that match nothing are reported once, those of a server only after it was listed",
  async () => {
    await using dir = await tempDir();
    const notes = await server(dir, "notes", ["add", "wipe"]);
    const late = await server(dir, "late", ["x"]);
    const profiles = [
      { name: "few", servers: ["note"], tools: ["notes__ad", "raed", "late__y", "notes__*"] },
    ] as const;
    await using first = await serveIn(dir, {}, []);
    await (await workspaceTokens(first.run)).add("old", { tools: ["b__(", "nots__*", "late__y"] });
    await using served = await serveIn(
      dir,
      { profiles, policy: policy({ allow: ["bahs"], deny: ["notes__wpie", "notes__wipe", "late__y"] }) },
      [notes, { ...late, enabled: false }],
    );
    const nothing = "matches nothing that is known; did you mean";
    const expected = [
      `indus: profile "few": there is no server named "note"; did you mean notes?`,
      `indus: profile "few": there is no tool named "raed"; did you mean read?`,
      `indus: profile "few": "notes__ad" ${nothing} notes__add?`,
      `indus: the allow rule "bahs" ${nothing} bash?`,
      `indus: the deny rule "notes__wpie" ${nothing} notes__wipe?`,
      `indus: token old: "b__(" is not a name or pattern of tools, and matches nothing`,
      `indus: token old: "nots__*" ${nothing} notes__…?`,
    ];
    await expect.poll(() => linesOf(served).sort(), SLOW).toEqual(expected.sort());
    // The rows change, the server is listed: only what is about it is new.
    await served.gateway.apply({ servers: [notes, { ...late, enabled: true }], profiles });
    const added = `"late__y" ${nothing} late__x?`;
    await expect.poll(() => linesOf(served).filter((line) => line.endsWith(added)), SLOW).toHaveLength(3);
    const isNew = (line: string): boolean => !expected.includes(line) && !line.endsWith(added);
    expect(linesOf(served).filter(isNew)).toEqual(["indus: the configuration changed: changed late"]);
    expect(new Set(linesOf(served)).size).toBe(linesOf(served).length);
  },
  { timeoutMs: 60_000 },
);
