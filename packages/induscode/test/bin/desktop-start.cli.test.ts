import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { tempDir, verifies } from "@indus/testkit";
import { expect } from "vitest";
import { runIndus } from "./run-indus.ts";

const SERVER = fileURLToPath(new URL("../../../../test/servers/server.mjs", import.meta.url));

verifies(
  "env:login-path",
  "after a desktop start `mcp list` finds a program that only the login shell has in PATH, and asks it once",
  async () => {
    await using dir = await tempDir();
    mkdirSync(dir.at("bin"));
    writeFileSync(dir.at("bin/my-server"), `#!/bin/sh\nexec "${process.execPath}" "${SERVER}"\n`);
    chmodSync(dir.at("bin/my-server"), 0o755);
    const profile = `echo x >> "${dir.at("marks")}"; echo noise; export PATH="${dir.at("bin")}:$PATH"\n`;
    writeFileSync(dir.at(".profile"), profile);
    const rows = { a: { command: "my-server" }, b: { command: "my-server" } };
    writeFileSync(dir.at("mcp.json"), JSON.stringify({ servers: rows }));
    const desktop = {
      HOME: dir.path,
      PATH: "/usr/bin:/bin:/usr/sbin:/sbin",
      SHELL: "/bin/sh",
      TERM: undefined,
      SHLVL: undefined,
    };
    const args = ["mcp", "list", "--mcp", dir.at("mcp.json")];
    const found = await runIndus(args, { env: desktop });
    expect(found.err).toBe("");
    expect(found.out).toContain("ready");
    expect(found.out).not.toContain("noise");
    expect(found.code).toBe(0);
    expect(readFileSync(dir.at("marks"), "utf8")).toBe("x\n");
    const terminal = await runIndus(args, { env: { ...desktop, SHLVL: "1" } });
    expect(terminal.code).toBe(1);
    expect(readFileSync(dir.at("marks"), "utf8")).toBe("x\n");
  },
  { only: ["linux", "darwin"] },
);
