import { statSync, truncateSync } from "node:fs";
import { verifies } from "@indus/testkit";
import { writtenRows } from "indusagi/config";
import { expect } from "vitest";
import { scratchHome } from "../in-home.ts";

const OURS = ".config/indusvx/mcp.json";

verifies(
  "command:import",
  "the servers of all clients are listed with their origin, and nothing is written without a yes",
  async () => {
    await using scratch = await scratchHome({ withClients: true });
    const codex = scratch.read(".codex/config.toml");
    const listed = await scratch.indus("mcp", "import");
    expect(listed.code).toBe(0);
    for (const title of [
      "Claude Desktop",
      "Claude Code",
      "Cursor",
      "VS Code",
      "Windsurf",
      "Codex",
      "Gemini CLI",
      "Zed",
      "opencode",
    ])
      expect(listed.out).toMatch(new RegExp(`^${title} \\(user\\): ${scratch.home}`, "m"));
    expect(listed.out).toMatch(/^github +as github-windsurf +docker run .*; disabled$/m);
    expect(listed.out).not.toContain("ghp_x");
    expect(scratch.exists(OURS)).toBe(false);
    expect((await scratch.indusAsked(["n"], "mcp", "import", "zed")).err).toBe(
      "indus: nothing was changed\n",
    );
    const json = JSON.parse((await scratch.indus("mcp", "import", "codex", "--json")).out) as object[];
    expect(json[0]).toMatchObject({ client: "codex", name: "context7", action: "add", as: "context7" });
    expect((await scratch.indus("mcp", "import", "codex", "zed", "--yes")).code).toBe(0);
    expect(writtenRows(scratch.read(OURS)).map(({ name }) => name)).toEqual([
      "context7",
      "figma",
      "chrome devtools",
      "local-mcp-server",
      "older",
      "remote-mcp-server",
    ]);
    // Their files are only read, and nothing is imported twice.
    expect(scratch.read(".codex/config.toml")).toBe(codex);
    expect((await scratch.indus("mcp", "import", "codex", "--yes")).out).toMatch(
      /^figma +no +the same as figma$/m,
    );
  },
);

verifies(
  "command:import",
  "the file of Claude Code is read with its history of many megabytes; what cannot be read is reported once",
  async () => {
    await using scratch = await scratchHome();
    const history = Array.from({ length: 5 }, () => ({ display: "x".repeat(1024 * 1024) }));
    const kept = { command: "kept" };
    const projects = { [scratch.project]: { history, mcpServers: { local: { command: "near" } } } };
    const file = scratch.write(".claude.json", { projects, mcpServers: { kept } });
    const large = await scratch.indus("mcp", "import", "claude-code");
    expect(large.out).toMatch(/^kept +yes +kept\n[^]*^local +yes +near$/m);
    truncateSync(file, 200 * 1024 * 1024);
    const huge = await scratch.indus("mcp", "import", "claude-code");
    expect(huge.err).toBe(`indus: ${file} is larger than 128 MiB; make it smaller\n`);
  },
);

verifies(
  "command:import-inputs",
  "a question of VS Code is asked once, the answer is kept privately, and the row refers to it",
  async () => {
    await using scratch = await scratchHome({ withClients: true });
    const asked = await scratch.indusAsked(["y", "ghp_answer", ""], "mcp", "import", "vscode");
    expect(asked.code).toBe(0);
    expect(asked.questions.slice(1)).toEqual(["GitHub Personal Access Token: ", "Region (eu, us) [eu]: "]);
    expect(scratch.read(OURS)).toContain('"Bearer ${input:github_token}"');
    expect(scratch.read(OURS)).not.toContain("ghp_answer");
    const inputs = ".local/state/indusvx/inputs.json";
    expect(statSync(scratch.at(inputs)).mode & 0o777).toBe(0o600);
    expect(scratch.read(inputs)).toContain("ghp_answer");
    // A later run uses it: without it the row would be dropped and reported.
    const got = await scratch.indus("mcp", "list", "github");
    expect(got.err).not.toContain("uses the input");
    // Not asked again.
    await scratch.indus("mcp", "remove", "github");
    const again = await scratch.indusAsked(["y"], "mcp", "import", "vscode");
    expect([again.code, again.questions.length]).toEqual([0, 1]);
    // Without a terminal the row is left out.
    await using other = await scratchHome({ withClients: true });
    const silent = await other.indus("mcp", "import", "vscode", "--yes");
    expect(silent.code).toBe(1);
    expect(silent.err).toContain('server "github" is skipped: it needs a value for github_token, region');
    expect(writtenRows(other.read(OURS)).map(({ name }) => name)).toEqual(["playwright", "fetch"]);
  },
);
