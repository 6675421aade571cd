import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { tempDir, verifies } from "@indus/testkit";
import { expect } from "vitest";
import { runIndus } from "./run-indus.ts";

const SERVER = fileURLToPath(new URL("../../../../test/servers/server.mjs", import.meta.url));

verifies(
  "env:login-path",
  "after a desktop start `mcp list` and `call bash` find a program that only the login shell has in PATH, and ask it once",
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
    const state = { XDG_STATE_HOME: dir.at("state") };
    const found = await runIndus(args, { env: { ...desktop, ...state } });
    expect(found.err).toBe("");
    expect(found.out).toContain("ready");
    expect(found.out).not.toContain("noise");
    expect(found.code).toBe(0);
    expect(readFileSync(dir.at("marks"), "utf8")).toBe("x\n");
    const bash = ["call", "bash", "command=my-server --help </dev/null; echo $PATH", "--cwd", dir.path];
    const called = await runIndus(bash, { env: { ...desktop, ...state } });
    expect(called.out).toContain(`${dir.at("bin")}:`); // The second run takes what the first one kept.
    expect(readFileSync(dir.at("marks"), "utf8")).toBe("x\n");
    const terminal = await runIndus(args, { env: { ...desktop, SHLVL: "1" } });
    expect(terminal.code).toBe(1);
    expect(readFileSync(dir.at("marks"), "utf8")).toBe("x\n");
  },
  { only: ["linux", "darwin"] },
);

verifies(
  "diagnose:missing-program",
  "without a shell environment one line names the launcher, what to install and where it was looked for; the doctor explains PATH",
  async () => {
    await using dir = await tempDir();
    const launcher = ["dnx", "deno", "bunx", "uvx"].find((name) =>
      ["/usr/bin", "/bin", "/usr/local/bin"].every((folder) => !existsSync(`${folder}/${name}`)),
    );
    writeFileSync(dir.at(".profile"), `export PATH="${dir.at("tools")}:$PATH"\n`);
    writeFileSync(dir.at("mcp.json"), JSON.stringify({ servers: { far: { command: launcher } } }));
    const nothing = Object.fromEntries(Object.keys(process.env).map((name) => [name, undefined]));
    const bare = { ...nothing, PATH: "/usr/bin:/bin", HOME: dir.path, SHELL: "/bin/sh" };
    const of = (command: string, shell: string) =>
      runIndus(["mcp", command, "--mcp", dir.at("mcp.json")], { env: { ...bare, SHELL: shell } });
    const [list, doctor, unrepaired] = await Promise.all([
      of("list", "/bin/sh"),
      of("doctor", "/bin/sh"),
      // It is not a program that can be started, so that it names no PATH.
      of("doctor", dir.at("sh")),
    ]);
    const line = `install .*, which contains ${launcher}, or write the full path of ${launcher} as "command": it is not in PATH`;
    expect({ code: list.code, err: list.err }).toEqual({ code: 1, err: "" });
    expect(list.out).toMatch(
      new RegExp(`^far .* failed .*could not start "${launcher}".*; ${line} \\(${dir.at("tools")}:`, "m"),
    );
    expect(doctor.code).toBe(1);
    expect(doctor.out).toMatch(new RegExp(`^ {2}ok .*your login shell added ${dir.at("tools")}(,|$)`, "m"));
    expect(doctor.out).toMatch(new RegExp(`^ {2}do {7}${line} \\(${dir.at("tools")}:`, "m"));
    expect(unrepaired.out).toMatch(
      /^ {2}warning {2}PATH has only system folders \(\/usr\/bin:\/bin\), and your login shell/m,
    );
    expect(unrepaired.out).toMatch(/^ {2}do {7}write full paths as "command"/m);
  },
  { only: ["linux", "darwin"] },
);
