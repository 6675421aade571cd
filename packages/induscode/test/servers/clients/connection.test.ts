import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { parse } from "smol-toml";
import { expect } from "vitest";
import {
  CLIENTS,
  type Client,
  clientById,
  connectedText,
  disconnectedText,
  editClientText,
  readClient,
  rowIn,
  type WritePlace,
  writePlace,
} from "../../../src/servers/clients/index.ts";
import { FIXTURE_WORLD, readFixture } from "./client-fixtures.ts";

const launch = { command: "/usr/bin/node", args: ["/opt/indus/bin/indus.js", "serve", "--stdio"] };

function userPlace(client: Client): WritePlace {
  const at = writePlace(client, FIXTURE_WORLD, "user");
  if (!at) throw new Error(`${client.id} has no file of the user`);
  return at;
}

function fixtureText({ place }: WritePlace): string {
  const reading = readFixture(place.file);
  if ("problem" in reading) throw new Error(`${place.file} ${reading.problem}`);
  return reading.text;
}

for (const client of CLIENTS) {
  const at = userPlace(client);

  verifies(
    "clients:connect",
    `${client.title} gets one row, every other line stays, and the way back restores them`,
    async () => {
      const text = fixtureText(at);
      const connected = await connectedText(text, at, { launch });
      const added = connected.split("\n").filter((line) => !text.split("\n").includes(line));
      expect(
        added.every((line) =>
          /[{}\]]|indus|command|args|type|timeout|required|source|env|enabled/.test(line),
        ),
      ).toBe(true);
      for (const line of text.split("\n").filter((each) => each.trim() !== "" && !/^\s*[}\]],?$/.test(each)))
        expect(connected).toContain(line.replace(/,$/, ""));
      const [file] = await readClient(client, FIXTURE_WORLD, () => ({ text: connected }));
      expect(file?.servers.filter(({ isGateway }) => isGateway).map(({ name }) => name)).toEqual(["indus"]);
      // A second time changes nothing.
      expect(await connectedText(connected, at, { launch })).toBe(connected);
      expect((await disconnectedText(connected, at)).trimEnd()).toBe(text.trimEnd());
    },
  );

  verifies("clients:connect", `${client.title} is connected without a file of its own`, async () => {
    const connected = await connectedText(undefined, at, { launch });
    expect(await rowIn(connected, at, "indus")).toBeDefined();
    const [file] = await readClient(client, FIXTURE_WORLD, () => ({ text: connected }));
    expect(file?.servers).toMatchObject([{ name: "indus", isGateway: true }]);
  });
}

verifies("clients:connect", "Codex requires the gateway and gives it time", async () => {
  const connected = await connectedText("", userPlace(known("codex")), { launch });
  expect(parse(connected)).toEqual({
    mcp_servers: {
      indus: { ...launch, required: true, startup_timeout_sec: 60, tool_timeout_sec: 600 },
    },
  });
});

verifies("clients:move", "moved servers leave the file, and come back with their own form", async () => {
  for (const id of ["codex", "opencode", "cursor"]) {
    const at = userPlace(known(id));
    const text = fixtureText(at);
    const files = await readClient(at.client, FIXTURE_WORLD, readFixture);
    const moved = (files[0]?.servers ?? []).filter(({ written }) => written !== undefined);
    const rows = await Promise.all(
      moved.map(async ({ name }) => ({ name, row: (await rowIn(text, at, name)) ?? {} })),
    );
    const connected = await connectedText(text, at, { launch, moved });
    for (const { name } of moved) expect(await rowIn(connected, at, name)).toBeUndefined();
    const back = await disconnectedText(connected, at, rows);
    expect(await rowIn(back, at, "indus")).toBeUndefined();
    for (const { name, row } of rows) expect(await rowIn(back, at, name)).toEqual(row);
  }
});

verifies(
  "clients:connect-refusals",
  "a file that cannot be changed safely stays, and the reason names it",
  async () => {
    const codex = userPlace(known("codex"));
    const inline = 'mcp_servers = { a = { command = "x" }, b = { command = "y" } }\n';
    await expect(editClientText(inline, codex, [{ name: "a" }])).rejects.toThrow(
      "config.toml is malformed, or has",
    );
    await expect(connectedText("[broken", codex, { launch })).rejects.toThrow("edit it by hand");
    const cursor = userPlace(known("cursor"));
    await expect(connectedText("{", cursor, { launch })).rejects.toThrow(/mcp\.json" is not valid JSON/);
    const taken = '{ "mcpServers": { "indus": { "command": "other" } } }';
    await expect(connectedText(taken, cursor, { launch })).rejects.toThrow('another server named "indus"');
    expect(writePlace(known("windsurf"), FIXTURE_WORLD, "project")).toBeUndefined();
  },
);

const words = fc.constantFrom("a", "b c", "x.y", 'q"', "é", "#");
const values = fc.oneof(
  fc.string(),
  fc.integer(),
  fc.boolean(),
  fc.array(fc.string(), { maxLength: 2 }),
  fc.dictionary(words, fc.string(), { maxKeys: 2 }),
);
const rows = fc.dictionary(words, fc.dictionary(words, values, { minKeys: 1, maxKeys: 3 }), { maxKeys: 3 });

verifies(
  "clients:toml-law",
  "a row of a TOML file is set and removed, and the other rows are unchanged",
  async () => {
    const { stringify } = await import("smol-toml");
    const at = userPlace(known("codex"));
    const law = fc.asyncProperty(
      rows,
      words,
      fc.dictionary(words, values, { minKeys: 1, maxKeys: 2 }),
      async (all, name, row) => {
        const text = `# top\n${stringify({ model: "m", mcp_servers: all })}`;
        const set = await editClientText(text, at, [{ name, row }]);
        expect(set.startsWith("# top\n")).toBe(true);
        expect((parse(set)["mcp_servers"] ?? {}) as object).toEqual({ ...all, [name]: row });
        const removed = await editClientText(set, at, [{ name }]);
        const { [name]: _, ...others } = all;
        expect((parse(removed)["mcp_servers"] ?? {}) as object).toEqual(others);
      },
    );
    await fc.assert(law, { numRuns: 60 });
  },
);

function known(id: string): Client {
  const client = clientById(id);
  if (!client) throw new Error(`no client ${id}`);
  return client;
}
