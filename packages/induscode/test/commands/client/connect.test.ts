import { verifies } from "@indus/testkit";
import { writtenRows } from "indusagi/config";
import { expect } from "vitest";
import { CLIENT_WORDS } from "../../../src/launch/internal.ts";
import { CLIENT_IDS } from "../../../src/servers/clients/index.ts";
import { scratchHome } from "../in-home.ts";

const OURS = ".config/indusvx/mcp.json";

verifies(
  "command:connect",
  "every client is connected with the change shown, and taken back to the byte",
  async () => {
    expect(CLIENT_WORDS).toEqual(CLIENT_IDS);
    await using scratch = await scratchHome({ withClients: true });
    for (const client of CLIENT_IDS) {
      const shown = await scratch.indus("connect", client, "--dry-run");
      expect([client, shown.code]).toEqual([client, 0]);
      const file = /nothing was written to (.*);/.exec(shown.err)?.[1]?.slice(scratch.home.length + 1) ?? "";
      const before = scratch.read(file);
      const connected = await scratch.indus("connect", client);
      expect(connected.code).toBe(0);
      expect(connected.out).toMatch(/^ *\+ .*indus/m);
      expect(connected.out).toContain(`backup: ${scratch.home}`);
      expect(connected.err).toMatch(/^indus: (to use it, |Zed reloads its file automatically)/);
      expect(scratch.read(file)).not.toBe(before);
      expect((await scratch.indus("connect", client)).out).toContain("is already connected");
      expect((await scratch.indus("connect", client, "--undo")).code).toBe(0);
      expect(scratch.read(file)).toBe(before);
      expect((await scratch.indus("connect", client, "--undo")).err).toContain("there is nothing to undo");
    }
  },
);

verifies(
  "command:connect",
  "the gateway gets the folder where the client has none, and a file of our own is removed again",
  async () => {
    await using scratch = await scratchHome();
    await scratch.indus("connect", "claude-desktop");
    const desktop = ".config/Claude/claude_desktop_config.json";
    const { mcpServers } = JSON.parse(scratch.read(desktop)) as { mcpServers: { indus: { args: string[] } } };
    expect(mcpServers.indus.args.slice(1)).toEqual(["serve", "--stdio", "--cwd", scratch.project]);
    await scratch.indus("connect", "claude-desktop", "--undo");
    expect(scratch.exists(desktop)).toBe(false);
    await scratch.indus("connect", "claude-code", "--scope", "project", "--mcp", scratch.at("own.json"));
    const { mcpServers: code } = JSON.parse(scratch.read("site/.mcp.json")) as {
      mcpServers: { indus: { args: string[] } };
    };
    expect(code.indus.args.slice(1)).toEqual([
      "serve",
      "--stdio",
      "--mcp",
      scratch.at("own.json"),
      "--profile",
      "none",
    ]);
    expect(await scratch.indus("connect", "windsurf", "--scope", "project")).toMatchObject({ code: 2 });
  },
);

verifies(
  "command:connect-move",
  "servers move behind the gateway, and come back; what was changed meanwhile stays",
  async () => {
    await using scratch = await scratchHome({ withClients: true });
    const { indus, read } = scratch;
    const codex = ".codex/config.toml";
    const before = read(codex);
    expect(await indus("connect", "codex", "--move")).toMatchObject({ code: 0 });
    expect(read(codex)).not.toContain("[mcp_servers.figma]");
    expect(read(codex)).toContain('[projects."/home/me/site"]');
    expect(writtenRows(read(OURS)).map(({ name }) => name)).toEqual(["context7", "figma", "chrome devtools"]);
    const undone = await indus("connect", "codex", "--undo");
    expect(undone.code).toBe(0);
    expect(read(codex)).toBe(before);
    expect(writtenRows(read(OURS))).toEqual([]);

    // Both files are changed by others between the two commands.
    const cursor = ".cursor/mcp.json";
    const moved = await indus("connect", "cursor", "--move");
    expect(moved.out).not.toContain("ghp_");
    scratch.write(
      cursor,
      read(cursor).replace('"mcpServers": {', '"mcpServers": { "late": { "command": "late" },'),
    );
    await indus("mcp", "disable", "context7");
    const partly = await indus("connect", "cursor", "--undo");
    expect(partly.err).toContain('server "context7" stays in');
    const rows = Object.keys((JSON.parse(read(cursor)) as { mcpServers: object }).mcpServers);
    expect(rows.toSorted()).toEqual(["context7", "late", "python-tools"]);
    expect(writtenRows(read(OURS)).map(({ name }) => name)).toEqual(["context7"]);
  },
);

verifies("command:connect-move", "a file that cannot be changed stays, and so does ours", async () => {
  await using scratch = await scratchHome();
  scratch.write(
    ".cursor/mcp.json",
    '{ "mcpServers": { "indus": { "command": "other" }, "a": { "command": "a" } } }',
  );
  const refused = await scratch.indus("connect", "cursor");
  expect([refused.code, refused.out]).toEqual([1, ""]);
  expect(refused.err).toContain('has another server named "indus"; rename it first');
  scratch.write(".cursor/mcp.json", "{ half");
  expect((await scratch.indus("connect", "cursor")).err).toMatch(/is not valid JSON.*fix it first/);
  expect(scratch.read(".cursor/mcp.json")).toBe("{ half");
});

/** The words after `serve` in the row that a client has. */
function gatewayWords(text: string): readonly string[] {
  const { mcpServers } = JSON.parse(text) as { mcpServers: { indus: { args: string[] } } };
  return mcpServers.indus.args.slice(2);
}

verifies("connect:twice", "servers that both would start are named, until they are moved", async () => {
  await using scratch = await scratchHome({ withClients: true });
  const { indus } = scratch;
  expect((await indus("connect", "cursor", "--dry-run")).err).not.toContain("twice");
  expect((await indus("mcp", "import", "cursor", "--yes")).code).toBe(0);
  const line =
    "indus: Cursor starts context7, python-tools itself too, so their tools are there twice; to put them only behind indus: indus connect cursor --move\n";
  for (const words of [["--dry-run"], []])
    expect((await indus("connect", "cursor", ...words)).err).toContain(line);
  expect((await indus("connect", "cursor", "--undo")).code).toBe(0);
  // A gateway that serves only another file starts none of them.
  scratch.write("other.json", { mcpServers: { other: { command: "other" } } });
  const other = await indus("connect", "cursor", "--mcp", scratch.at("other.json"), "--dry-run");
  expect(other.err).not.toContain("twice");
  expect((await indus("connect", "cursor", "--move")).err).not.toContain("twice");
});

verifies("connect:profile", "without a terminal the default is taken, and said", async () => {
  await using scratch = await scratchHome();
  const { indus, read } = scratch;
  const cursor = await indus("connect", "cursor");
  expect(cursor.err).toContain(
    "indus: Cursor gets no native tools (profile none); to change that: indus connect cursor --profile read-only\n",
  );
  expect(gatewayWords(read(".cursor/mcp.json"))).toEqual([
    "--stdio",
    "--profile",
    "none",
    "--cwd",
    scratch.project,
  ]);
  const desktop = await indus("connect", "claude-desktop");
  expect(desktop.err).toContain(
    "(profile read-only); to change that: indus connect claude-desktop --profile none",
  );
  // A row that is there keeps its profile; the flag changes it.
  expect((await indus("connect", "cursor")).out).toContain("is already connected");
  const full = await indus("connect", "cursor", "--profile", "full");
  expect(full.err).not.toContain("profile");
  expect(gatewayWords(read(".cursor/mcp.json"))).toContain("full");
  expect((await indus("connect", "cursor")).out).toContain("is already connected");
  const wrong = await indus("connect", "cursor", "--profile", "ful");
  expect(wrong).toMatchObject({ code: 2, err: expect.stringContaining("did you mean full?") });
});

verifies("connect:profile", "on a terminal one question offers the default first", async () => {
  await using scratch = await scratchHome();
  const { indusAsked, read } = scratch;
  const wrong = await indusAsked(["everything"], "connect", "cursor");
  expect([wrong.code, scratch.exists(".cursor/mcp.json")]).toEqual([1, false]);
  expect(wrong.err).toBe(
    'indus: there is no profile "everything", only read-only, full, all, none; nothing was written\n',
  );
  const usual = await indusAsked([""], "connect", "cursor");
  expect(usual.questions).toEqual([
    "Which native tools should Cursor get besides those of your servers (Cursor has its own for files and commands)? read-only, full, all, none [none] ",
  ]);
  expect(gatewayWords(read(".cursor/mcp.json"))).toContain("none");
  const chosen = await indusAsked(["all"], "connect", "claude-code");
  expect(chosen.err).not.toContain("profile");
  expect(gatewayWords(read(".claude.json"))).toEqual(["--stdio", "--profile", "all"]);
  // Whoever has chosen already is not asked.
  await indusAsked([], "config", "set", "connectProfile", "full");
  for (const words of [[], ["--profile", "none"]])
    expect((await indusAsked([], "connect", "windsurf", ...words)).questions).toEqual([]);
  expect((await indusAsked([], "connect", "windsurf", "--undo")).questions).toEqual([]);
});
