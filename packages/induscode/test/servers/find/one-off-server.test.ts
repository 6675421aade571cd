import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { expect } from "vitest";
import { oneOffCommand, oneOffUrl } from "../../../src/servers/find/one-off-server.ts";

/** A word as a shell reads it unchanged. */
const quoted = (word: string): string => `'${word.replaceAll("'", `'"'"'`)}'`;

verifies("command:sources", "a quoted command line is split into exactly its words", () => {
  const word = fc
    .string({ unit: "grapheme", minLength: 1, maxLength: 20 })
    .filter((text) => !/\p{Cc}/u.test(text));
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 5 }), (words) => {
      const [command, ...args] = words;
      const server = oneOffCommand(words.map(quoted).join(" "));
      expect(server).toMatchObject({ row: { command, args } });
      // The id needs no hash in the names of tools.
      expect(server).toMatchObject({ id: expect.stringMatching(/^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?$/) });
    }),
  );
});

verifies("command:sources", "the id is the most telling word", () => {
  for (const [text, id] of [
    ["npx -y some-server", "some-server"],
    ["npx -y @scope/server-notes@1.2.3 --flag x", "server-notes"],
    ["uvx mcp_server.fetch", "mcp-server-fetch"],
    ["docker run -i --rm", "docker"],
    ["node ./dist/server.mjs", "server"],
    ["/opt/tools/notes.exe --stdio", "notes"],
    ["pnpm dlx notes", "pnpm"],
  ] as const)
    expect(oneOffCommand(text), text).toMatchObject({ id });
  expect(oneOffUrl("https://mcp.example.com:8443/x", "--mcp")).toMatchObject({ id: "mcp-example-com" });
});
