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
    expect(code.indus.args.slice(1)).toEqual(["serve", "--stdio", "--mcp", scratch.at("own.json")]);
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
