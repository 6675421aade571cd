import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { serviceFile } from "../../../src/commands/client/service-file.ts";
import { scratchHome } from "../in-home.ts";

const words = ["/opt/no de/node", "serve", 'a"b\\c', "50%", "$HOME", "<&>"];
const plan = { words, home: "/home/me", env: {}, uid: 501 };

verifies("command:service", "the file of each service manager quotes every word", () => {
  const unit = serviceFile({ ...plan, platform: "linux" });
  expect(unit?.path).toBe("/home/me/.config/systemd/user/indus.service");
  expect(unit?.text).toContain('ExecStart="/opt/no de/node" "serve" "a\\"b\\\\c" "50%%" "$$HOME" "<&>"\n');
  expect(unit?.start.at(-1)).toEqual(["systemctl", "--user", "restart", "indus.service"]);
  // A gateway with other folders is another user's: no client would find it.
  const folders = { XDG_CONFIG_HOME: "/my $con%fig", XDG_STATE_HOME: "/state", OTHER: "x" };
  const elsewhere = serviceFile({ ...plan, env: folders, platform: "linux" });
  expect(elsewhere?.text).toContain(
    '[Service]\nEnvironment="XDG_CONFIG_HOME=/my $con%%fig"\nEnvironment="XDG_STATE_HOME=/state"\nExecStart=',
  );
  const agent = serviceFile({ ...plan, platform: "darwin" });
  expect(agent?.path).toBe("/home/me/Library/LaunchAgents/dev.indus.serve.plist");
  expect(agent?.text).toContain("<string>&lt;&amp;&gt;</string>");
  expect(agent?.stop).toEqual([["launchctl", "bootout", "gui/501/dev.indus.serve"]]);
  const env = { LOCALAPPDATA: "C:\\local", USERDOMAIN: "PC", USERNAME: "Zoë & co" };
  const task = serviceFile({ ...plan, platform: "win32", env });
  expect(task?.path).toBe("C:\\local\\indusvx\\task.xml");
  expect(task?.text).toContain("<Command>/opt/no de/node</Command>");
  expect(task?.text).toContain("&lt;&amp;&gt;");
  // Of this user's logons only, and in characters that every encoding has.
  expect(task?.text).toContain("<UserId>PC\\Zo&#235; &amp; co</UserId></LogonTrigger>");
  expect(task?.start[0]).toEqual([
    "schtasks",
    "/Create",
    "/F",
    "/TN",
    "Indus",
    "/XML",
    "C:\\local\\indusvx\\task.xml",
  ]);
  expect(serviceFile({ ...plan, platform: "freebsd" })).toBeUndefined();
});

verifies(
  "command:service",
  "install writes the unit and starts it, uninstall stops it and removes the file; a file of others stays",
  async () => {
    // A stand-in for systemctl that records how it is called.
    await using scratch = await scratchHome();
    mkdirSync(scratch.at("bin"));
    writeFileSync(scratch.at("bin/systemctl"), `#!/bin/sh\necho "$@" >> ${scratch.at("calls")}\n`);
    chmodSync(scratch.at("bin/systemctl"), 0o755);
    const path = process.env["PATH"];
    process.env["PATH"] = `${scratch.at("bin")}:${path}`;
    try {
      const unit = ".config/systemd/user/indus.service";
      const installed = await scratch.indus("service", "install", "--port", "7999");
      expect(installed.code).toBe(0);
      expect(installed.err).toContain(
        "for all folders and clients, with one copy of each server, use indus service install without --port",
      );
      expect(installed.out).toContain("serving at http://127.0.0.1:7999/mcp");
      expect(scratch.read(unit)).toMatch(
        /ExecStart=".*" ".*indus\.js" "serve" "--port" "7999" "--cwd" ".*site"\n/,
      );
      expect((await scratch.indus("service", "uninstall")).code).toBe(0);
      expect(scratch.exists(unit)).toBe(false);
      expect(scratch.read("calls")).toBe(
        "--user daemon-reload\n--user enable indus.service\n--user restart indus.service\n--user disable --now indus.service\n--user daemon-reload\n",
      );
      // Without a port it is the background gateway; the folder's service is replaced, which is said.
      await scratch.indus("service", "install", "--port", "7999", "--no-start");
      const moved = await scratch.indus("service", "install", "--no-start");
      expect(moved.err).toContain("or the old service: indus service install --port 7717");
      expect(scratch.read(unit)).toMatch(/ExecStart=".*" ".*indus\.js" "up" "--foreground"\n/);
      expect((await scratch.indus("service", "install", "--no-start")).err).not.toContain("the old service");
      expect((await scratch.indus("service", "install", "--mcp", "x.json")).err).toContain(
        "--mcp needs --port",
      );
      await scratch.indus("service", "uninstall", "--no-start");
      expect((await scratch.indus("service", "uninstall")).err).toContain("there is no service");
      scratch.write(unit, "[Unit]\n");
      expect((await scratch.indus("service", "install")).err).toContain(
        "was not written by indus; move it away",
      );
      expect((await scratch.indus("service", "uninstall")).err).toContain("is not removed");
      expect(scratch.read(unit)).toBe("[Unit]\n");
    } finally {
      process.env["PATH"] = path;
    }
  },
  { only: ["linux"] },
);
