import { execFileSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { type TempDir, tempDir, verifies } from "@indus/testkit";
import { expect } from "vitest";
import { writeConfig } from "../../bin/run-indus.ts";
import { runLine, shelfRow } from "../run-line.ts";

const POSIX = ["linux", "darwin"] as const;

verifies("mcp-tools:lines", "lines, a search, JSON, and servers that failed on standard error", async () => {
  await using dir = await tempDir();
  const gone = { command: "no-such-program-anywhere" };
  const file = await writeConfig(dir.at("servers.json"), { shelf: shelfRow(), gone });
  const [lines, none, json, unknown] = await Promise.all([
    runLine(dir, ["mcp", "tools", "--mcp", file], { outLook: { width: 40 } }),
    runLine(dir, ["mcp", "tools", "shelf", "--search", "spaceship", "--mcp", file]),
    runLine(dir, ["mcp", "tools", "--json", "shelf", "--mcp", file]),
    runLine(dir, ["mcp", "tools", "shell", "--mcp", file]),
  ]);
  expect(lines.code).toBe(0);
  expect(lines.out).toContain("shelf__add      Adds a note\nshelf__picture  Draws a picture\n");
  expect(lines.out).toContain("shelf__report   Writes a report in Mark…\n");
  expect(lines.err).toMatch(/^indus: server "gone" could not be opened: .*install it.*\n$/);
  expect(none).toMatchObject({ code: 1, out: "" });
  expect(none.err).toContain('no tool matches "spaceship"; indus mcp tools lists all 6\n');
  expect(JSON.parse(json.out)[0]).toMatchObject({
    name: "shelf__add",
    server: "shelf",
    tool: "add",
    signature: "shelf__add(text: string, level: integer, code: string, tags: string[])",
    estimatedTokens: expect.any(Number),
    inputSchema: { properties: { code: { pattern: "^[A-Z]{3}$" } } },
  });
  expect(unknown).toMatchObject({ code: 1, out: "" });
  expect(unknown.err).toContain('there is no server named "shell"; did you mean shelf?');
});

verifies(
  "mcp-tools:example",
  "every example call works when a shell runs it",
  async () => {
    await using dir = await tempDir();
    const file = await writeConfig(dir.at("it's servers.json"), { shelf: shelfRow() });
    const { out } = await runLine(dir, ["mcp", "tools", "shelf", "--schema", "--mcp", file]);
    expect(out).toContain("add(text: string, level: integer, code: string, tags: string[])\n  Adds a note.");
    expect(out).toContain('"pattern": "^[A-Z]{3}$"');
    const examples = [...out.matchAll(/^ {2}indus (.*)$/gm)].map(([, line = ""]) => line);
    expect(examples).toHaveLength(6);
    // The others take no arguments.
    const typed = examples.filter((line) => line.includes("="));
    const results = await Promise.all(
      typed.map((line) => {
        const words = execFileSync("sh", ["-c", `printf '%s\\0' ${line}`]).toString();
        return runLine(dir, words.split("\0").slice(0, -1));
      }),
    );
    expect(results.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(JSON.parse(results[0]?.out ?? "")).toEqual({
      text: "text",
      level: 2,
      code: "ABC",
      tags: ["text"],
    });
  },
  { only: POSIX },
);

const listed = fileURLToPath(new URL("../../../../../test/servers/listed.mjs", import.meta.url));

/** A row of a server that offers one tool with these parameters. */
async function rowOf(dir: TempDir, properties: object, more: object = {}): Promise<object> {
  const tool = { name: "write_file", description: "Writes.", inputSchema: { type: "object", properties } };
  await writeFile(dir.at("offered.json"), JSON.stringify({ tools: [tool] }));
  return { command: process.execPath, args: [listed, dir.at("offered.json")], ...more };
}

verifies("listing:arguments", "each described parameter has its text below the signature", async () => {
  await using dir = await tempDir();
  const row = await rowOf(dir, {
    path: { type: "string", description: "Where to write,\nrelative to the root. \u001b[2J" },
    mode: { type: "string", description: " " },
    contents: { type: "string", description: "x".repeat(2_000) },
  });
  const file = await writeConfig(dir.at("servers.json"), { files: row });
  const { code, out } = await runLine(dir, ["mcp", "tools", "files", "--mcp", file], {
    outLook: { width: 40 },
  });
  expect(code).toBe(0);
  expect(out).toContain("    path      Where to write, relative\n              to the root. \\x1b[2J\n");
  expect(out).not.toContain("    mode ");
  // A word of the example is not broken: it is to be pasted.
  expect(longest(out.split("  indus mcp call")[0] ?? "")).toBeLessThanOrEqual(40);
  expect(out.length).toBeLessThan(1_500);
});

verifies(
  "listing:renamed",
  "the outline, the lines, the example and `indus tools` have the new name",
  async () => {
    await using dir = await tempDir();
    const row = await rowOf(dir, {}, { toolOverrides: { write_file: { name: "save" } } });
    const file = await writeConfig(dir.at("servers.json"), { files: row });
    const run = (...words: string[]) => runLine(dir, [...words, "--mcp", file, "--cwd", dir.path]);
    const outline = await run("mcp", "tools", "files");
    expect(outline.out).toMatch(/^save\(\)\n {2}Writes\.\n {2}indus mcp call files__save /);
    const others = await Promise.all([run("mcp", "tools"), run("tools"), run("mcp", "tools", "--json")]);
    for (const { out } of others) expect(out).toContain("files__save");
    for (const { out } of [outline, ...others.slice(0, 2)]) expect(out).not.toContain("write_file");
  },
);

verifies("screen:names", "no line of any list is long, and JSON has the names whole", async () => {
  await using dir = await tempDir();
  const script = fileURLToPath(new URL("../long-names.mjs", import.meta.url));
  const name = "n".repeat(10_000);
  const row = { command: process.execPath, args: [script], includeTools: [name, `${name}x`] };
  const file = await writeConfig(dir.at("servers.json"), {
    short: row,
    ["s".repeat(10_000)]: { ...row, enabled: false },
  });
  const run = (words: string, ...more: string[]) =>
    runLine(dir, ["mcp", ...words.split(" "), "--cwd", dir.path, ...more]);
  const mcp = ["--mcp", file];
  const listed = await run("tools", "--json", ...mcp);
  expect((JSON.parse(listed.out) as { tool: string }[]).map(({ tool }) => tool)).toContain(name);
  const commands = ["list", "tools", "tools short", "prompts", "resources", "doctor", "warm"];
  await Promise.all(
    commands.map(async (words) => {
      const { out, err } = await run(words, ...mcp);
      expect(longest(`${out}\n${err}`), words).toBeLessThan(1_500);
      // The wire names of tools are short anyway.
      expect(out, words).toContain(words === "tools" ? "short__nnn" : "…");
    }),
  );
  // The tool changes: it is withheld, and the notice names it.
  await writeConfig(file, { short: { ...row, env: { CHANGED: "1" } } });
  for (const words of ["list", "approve", "history", "log"]) {
    const { out, err } = await run(words, ...(words === "list" ? mcp : []));
    expect(longest(`${out}\n${err}`), words).toBeLessThan(1_500);
    expect(out + err, words).toContain("nnn…");
  }
  const changes = await run("approve", "--json");
  expect(JSON.parse(changes.out)).toMatchObject({ changes: [{ name }] });
});

function longest(text: string): number {
  return Math.max(...text.split("\n").map(({ length }) => length));
}
