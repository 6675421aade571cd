import { tempDir, verifies } from "@indus/testkit";
import { expect } from "vitest";
import { writeConfig } from "../../bin/run-indus.ts";
import { runLine, shelfRow } from "../run-line.ts";

verifies("mcp-read:resources", "resources and templates of all servers are listed", async () => {
  await using dir = await tempDir();
  const file = await writeConfig(dir.at("servers.json"), { shelf: shelfRow() });
  const [lines, json] = await Promise.all([
    runLine(dir, ["mcp", "resources", "--mcp", file]),
    runLine(dir, ["mcp", "resources", "--json", "--mcp", file]),
  ]);
  expect(lines).toMatchObject({
    code: 0,
    out: `shelf://intro     shelf: Introduction
shelf://logo      shelf: logo: The logo.
shelf://page/{n}  shelf: page
`,
    err: "",
  });
  expect(JSON.parse(json.out)).toMatchObject({
    resources: [{ server: "shelf", uri: "shelf://intro" }, { uri: "shelf://logo" }],
    templates: [{ server: "shelf", uriTemplate: "shelf://page/{n}" }],
  });
});

verifies("mcp-read:read", "a pipe gets a resource byte for byte, a screen a rendering", async () => {
  await using dir = await tempDir();
  const file = await writeConfig(dir.at("servers.json"), { shelf: shelfRow() });
  const read = (uri: string, isScreen: boolean, ...words: string[]): ReturnType<typeof runLine> =>
    runLine(dir, ["mcp", "read", uri, ...words, "--mcp", file], { outIsScreen: isScreen });
  const [text, page, bytes, saved, json] = await Promise.all([
    read("shelf://intro", false),
    read("shelf://intro", true),
    read("shelf://logo", false),
    read("shelf://logo", true, "--save-to", dir.at("files")),
    read("shelf://page/7", false, "--json"),
  ]);
  expect(text).toMatchObject({ code: 0, out: "# Hello\n\n* one", err: "" });
  expect(page.out).toBe("Hello\n\n• one\n");
  expect(bytes.bytes.subarray(1, 4).toString()).toBe("PNG");
  expect(saved.out).toBe(`image/png, 70 bytes: ${dir.at("files/1.png")}\n`);
  expect(JSON.parse(json.out)).toMatchObject({ contents: [{ text: "page 7" }] });
});

verifies("mcp-read:owner", "an ambiguous URI names the servers; an unknown one suggests", async () => {
  await using dir = await tempDir();
  const file = await writeConfig(dir.at("servers.json"), { a: shelfRow(), b: shelfRow() });
  const [both, unknown, refused] = await Promise.all([
    runLine(dir, ["mcp", "read", "shelf://page/1", "--mcp", file]),
    runLine(dir, ["mcp", "read", "shelf://intr", "--mcp", file]),
    runLine(dir, ["mcp", "read", "other://x", "--server", "a", "--mcp", file]),
  ]);
  expect(both).toMatchObject({
    code: 1,
    out: "",
    err: "indus: a and b have a template for shelf://page/1; choose one with --server\n",
  });
  expect(unknown.err).toContain(
    "no server lists shelf://intr or has a template for it; did you mean shelf://intro",
  );
  expect(refused).toMatchObject({ code: 1, out: "" });
  expect(refused.err).toMatch(/^indus: .*there is no other:\/\/x\n$/);
});

verifies(
  "mcp-read:isolated",
  "a server that does not answer is reported, and the others are listed",
  async () => {
    await using dir = await tempDir();
    const rows = { shelf: shelfRow(), hangs: shelfRow("--hang", "resources/read") };
    const file = await writeConfig(dir.at("servers.json"), rows);
    const words = ["mcp", "read", "shelf://intro", "--server", "hangs", "--timeout", "0.5", "--mcp", file];
    const late = await runLine(dir, words);
    expect(late).toMatchObject({ code: 1, out: "" });
    expect(late.err).toMatch(/^indus: server "hangs" did not answer .*500 ms\n$/);
  },
);
