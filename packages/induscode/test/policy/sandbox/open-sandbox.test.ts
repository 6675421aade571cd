import { execFileSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  watch,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, createServer as createSocket } from "node:net";
import { dirname, join } from "node:path";
import { isRoot, ORDINARY_USER, runAsOrdinaryUser, tempDir, verifies } from "@indus/testkit";
import { localShell } from "indusagi/capabilities";
import { errorCode } from "indusagi/core";
import { expect, vi } from "vitest";
import { aliveWith, becomesTrue, newMark } from "../../../../indusagi/test/core/process-tree/tree-shapes.ts";
import { openBackgroundGateway } from "../../../src/background/hub/index.ts";
import { gatewayPlaces } from "../../../src/background/link/index.ts";
import { EMPTY_PROJECT_FILES, PROTECTED_IN_PROJECTS } from "../../../src/policy/internal.ts";
import { findRepository } from "../../../src/policy/sandbox/find-repository.ts";
import { hiddenPlaces } from "../../../src/policy/sandbox/hidden-places.ts";
import { openSandbox, type Sandbox } from "../../../src/policy/sandbox/index.ts";
import { canSandbox } from "./can-sandbox.ts";

const LIMIT_MS = 30_000;
const shell = localShell();

/**
 * A project with a repository, and our state and configuration in it: folders for temporary files are invisible anyway, and
 * this one is inside such a folder.
 */
async function sandboxed() {
  const dir = await tempDir();
  for (const folder of ["project/sub/.vscode", "project/state/indusvx", "project/config/indusvx", "home"])
    mkdirSync(dir.at(...folder.split("/")), { recursive: true });
  execFileSync("git", ["init", "-q", dir.at("project")]);
  writeFileSync(dir.at("home", "password"), "PASSWORD");
  writeFileSync(dir.at("project", "state", "indusvx", "token"), "TOKEN");
  writeFileSync(dir.at("project", "config", "indusvx", "accounts.json"), "ACCOUNT");
  const env = {
    PATH: process.env["PATH"],
    HOME: dir.at("home"),
    XDG_STATE_HOME: dir.at("project", "state"),
    XDG_CONFIG_HOME: dir.at("project", "config"),
  };
  const sandbox = await openSandbox({ cwd: dir.at("project"), env });
  if ("problem" in sandbox) throw new Error(sandbox.problem);
  return {
    dir,
    sandbox,
    run: (command: string) => shell.exec(command, { cwd: dir.at("project"), wrap: sandbox.wrap }),
    async [Symbol.asyncDispose]() {
      sandbox.close();
      await dir[Symbol.asyncDispose]();
    },
  };
}

/** What a command may not do. Each is tried in the sandbox; one that works prints its text. */
const attacks = (facts: { readonly dir: string; readonly port: number }): readonly string[] => [
  "touch /etc/indus-was-here",
  "touch /usr/bin/indus-was-here",
  "touch .git/hooks/post-checkout",
  "git config core.fsmonitor /bin/true",
  "rm -rf .git/refs",
  "mv .git moved",
  "mkdir .vscode",
  "rmdir .vscode",
  "mkdir -p .indusvx && touch .indusvx/mcp.json",
  "echo x > .mcp.json",
  "mv .claude x",
  "touch sub/.vscode/settings.json",
  "mv sub moved",
  `cat ${facts.dir}/home/password`,
  "cat state/indusvx/token",
  "cat config/indusvx/accounts.json",
  // The same value: nothing is lost if this works.
  "cat /proc/sys/kernel/core_pattern > /proc/sys/kernel/core_pattern",
  "mount -o remount,rw /",
  "umount .git",
  "mknod disk b 8 0",
  `kill -0 ${process.pid}`,
  `(exec 3<>/dev/tcp/127.0.0.1/${facts.port})`,
  "find /run -type s | grep .",
];

verifies(
  "sandbox:isolation",
  "attacks on files, processes, network and kernel fail; ordinary work does not",
  async () => {
    await using test = await sandboxed();
    await using server = createServer((_, response) => response.end()).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const { port } = server.address() as AddressInfo;
    const tried = attacks({ dir: test.dir.path, port });
    const lines = tried.map((attack, at) => `if ( ${attack} ) >/dev/null 2>&1; then echo "${at}"; fi`);
    const { stdout } = await test.run(lines.join("\n"));
    expect(stdout.split("\n").flatMap((at) => (at === "" ? [] : [tried[Number(at)]]))).toEqual([]);
    expect(existsSync(test.dir.at("project", ".git", "refs"))).toBe(true);
    // The names that were held are gone, and nothing was made in their place.
    expect(readdirSync(test.dir.at("project")).toSorted()).toEqual([".git", "config", "state", "sub"]);

    const work = await test.run(
      "echo made > sub/file && echo kept > /tmp/note && git status --short && echo $TMPDIR && pwd && cat < <(echo piped)",
    );
    expect(work).toMatchObject({
      code: 0,
      stdout: `?? sub/\n/tmp\n${test.dir.at("project")}\npiped\n`,
      stderr: "",
    });
    expect(readFileSync(test.dir.at("project", "sub", "file"), "utf8")).toBe("made\n");
    expect((await test.run("cat /tmp/note; exit 3")).stdout).toBe("kept\n");
    expect((await test.run("exit 3")).code).toBe(3);
    symlinkSync(test.dir.at("project", "sub"), test.dir.at("link"));
    const linked = await shell.exec("cat file", { cwd: test.dir.at("link"), wrap: test.sandbox.wrap });
    expect(linked.stdout).toBe("made\n");
    expect(existsSync("/tmp/note")).toBe(false);
  },
  { when: canSandbox, timeoutMs: LIMIT_MS },
);

verifies(
  "sandbox:isolation",
  "a cancelled command and one that leaves processes behind leave none",
  async () => {
    await using test = await sandboxed();
    const mark = newMark();
    const abort = new AbortController();
    const { wrap } = test.sandbox;
    const options = { cwd: test.dir.at("project"), wrap };
    const running = shell.exec(
      `(setsid env -i sleep ${mark} &); trap '' TERM; sleep ${mark}; sleep ${mark}`,
      {
        ...options,
        signal: abort.signal,
      },
    );
    running.catch(() => {});
    expect(await becomesTrue(() => aliveWith(`sleep\0${mark}`).length > 1)).toBe(true);
    const job = await shell.spawn(`sleep ${mark} & sleep ${mark}`, options);
    expect(existsSync(test.dir.at("project", ".mcp.json"))).toBe(true);
    abort.abort(new Error("enough"));
    await expect(running).rejects.toThrow("enough");
    // The other command still holds the names.
    expect(existsSync(test.dir.at("project", ".mcp.json"))).toBe(true);
    await job.end();
    await shell.exec(`(setsid env -i sleep ${mark} &); sleep 0.1`, options);
    expect(aliveWith(mark)).toEqual([]);
    expect(readdirSync(test.dir.at("project")).toSorted()).toEqual([".git", "config", "state", "sub"]);
  },
  { when: canSandbox, timeoutMs: LIMIT_MS },
);

verifies(
  "sandbox:litter",
  "on the host every protected name is empty and valid at every moment of a command that tries to fill it",
  async () => {
    await using test = await sandboxed();
    const project = test.dir.at("project");
    const seen = new Set<string>();
    const look = (): void => {
      for (const name of PROTECTED_IN_PROJECTS) {
        if (name === ".git" || !existsSync(join(project, name))) continue;
        try {
          const text = EMPTY_PROJECT_FILES[name];
          if (text === undefined) seen.add(readdirSync(join(project, name)).length === 0 ? "" : name);
          else seen.add(readFileSync(join(project, name), "utf8") === text ? "" : name);
        } catch (thrown) {
          if (errorCode(thrown) !== "ENOENT") seen.add(`${name}: ${String(thrown)}`); // It was removed meanwhile.
        }
      }
    };
    const fill = PROTECTED_IN_PROJECTS.filter((name) => name !== ".git").map(
      (name) =>
        `echo evil > ${name}; echo evil > ${name}/x; rm -rf ${name}; mv sub ${name}; ln -s sub ${name}; ln -sf sub/x ${name}/y`,
    );
    const over = new AbortController();
    const running = test
      .run(`${fill.join("\n")}\nrm -rf .indus-sandbox; mkdir .indus-sandbox/by-1-1; git status --short`)
      .finally(() => over.abort());
    while (!over.signal.aborted) {
      look();
      await new Promise((resolve) => setImmediate(resolve));
    }
    // Git in the sandbox shows none of them.
    expect((await running).stdout).toBe("");
    expect([...seen]).toEqual([""]);
    expect(readdirSync(project).toSorted()).toEqual([".git", "config", "state", "sub"]);
    // A work tree names the folder of its repository in a file.
    execFileSync(
      "git",
      ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x", "--allow-empty"],
      {
        cwd: project,
      },
    );
    expect(findRepository(project)?.excludeFile).toBe(test.dir.at("project", ".git", "info", "exclude"));
    execFileSync("git", ["worktree", "add", "-q", test.dir.at("tree")], { cwd: project });
    mkdirSync(test.dir.at("tree", "below"));
    expect(findRepository(test.dir.at("tree", "below"))?.excludeFile).toBe(
      findRepository(project)?.excludeFile,
    );
    expect(findRepository(test.dir.at("home"))).toBeUndefined();
  },
  { when: canSandbox, timeoutMs: LIMIT_MS },
);

verifies(
  "sandbox:plan",
  "a command in plan mode changes nothing but temporary files, and nothing appears in the project",
  async () => {
    await using test = await sandboxed();
    const project = test.dir.at("project");
    writeFileSync(test.dir.at("project", "a.txt"), "before");
    const tried = [
      "echo x > a.txt",
      "rm a.txt",
      "touch new",
      "mkdir -p sub/x",
      "chmod 777 a.txt",
      "echo x > .mcp.json",
      "git add a.txt",
      `touch ${test.dir.at("home", "x")}`,
      "(exec 3<>/dev/tcp/127.0.0.1/9)",
    ];
    const looks: string[] = [];
    const run = async (access: "read" | "read-anywhere") => {
      const lines = tried.map((line, at) => `if ( ${line} ) >/dev/null 2>&1; then echo "${at}"; fi`);
      const more = `cat a.txt; ls -A; echo x > $TMPDIR/note && cat $TMPDIR/note; cat state/indusvx/token`;
      return shell.exec([...lines, more].join("\n"), {
        cwd: project,
        wrap: async (launch) => {
          const wrapped = await test.sandbox.wrap(launch, access);
          looks.push(readdirSync(project).toSorted().join(" "));
          return wrapped;
        },
      });
    };
    const names = ".git\na.txt\nconfig\nstate\nsub\n";
    expect(await run("read")).toMatchObject({ stdout: `before${names}x\n`, code: 1 });
    // After an approval of a path outside, the hidden places can be read too, and still nothing changed.
    expect(await run("read-anywhere")).toMatchObject({ stdout: `before${names}x\nTOKEN`, code: 0 });
    expect(new Set(looks)).toEqual(new Set([".git a.txt config state sub"]));
    expect(readFileSync(test.dir.at("project", "a.txt"), "utf8")).toBe("before");
  },
  { when: canSandbox, timeoutMs: LIMIT_MS },
);

verifies(
  "sandbox:plan",
  "a command in plan mode reaches no service through a socket, in the project or in the real /tmp",
  async () => {
    await using test = await sandboxed();
    const places = [test.dir.at("project", "s"), test.dir.at("s")];
    let reached = 0;
    const servers = places.map((path) => createSocket(() => (reached += 1)).listen(path));
    try {
      await Promise.all(servers.map((server) => once(server, "listening")));
      const script = `for (const path of ${JSON.stringify(places)}) {
        const socket = require("net").connect(path);
        socket.on("connect", () => { console.log("reached", path); socket.end("data"); });
        socket.on("error", () => console.log("refused"));
      }`;
      const run = (access: "read" | "read-anywhere") =>
        shell.exec(`'${process.execPath}' -e '${script}'`, {
          cwd: test.dir.at("project"),
          wrap: (launch) => test.sandbox.wrap(launch, access),
        });
      const outcomes = await Promise.all([run("read"), run("read-anywhere")]);
      const refused = { code: 0, stdout: "refused\nrefused\n", stderr: "" };
      expect(outcomes.map(({ code, stdout, stderr }) => ({ code, stdout, stderr }))).toEqual([
        refused,
        refused,
      ]);
      expect(reached).toBe(0);
    } finally {
      for (const server of servers) server.close();
    }
  },
  { when: canSandbox, timeoutMs: LIMIT_MS },
);

verifies(
  "sandbox:plan",
  "opening makes nothing in the project, and a folder that cannot be protected still has a sandbox for plan mode",
  async () => {
    await using dir = await tempDir();
    const cwd = dir.at("project");
    mkdirSync(cwd);
    symlinkSync(dir.at("elsewhere"), dir.at("project", ".claude"));
    const seen: string[] = [];
    const watcher = watch(cwd, (_, name) => seen.push(name ?? ""));
    try {
      const env = { PATH: process.env["PATH"], HOME: dir.at("home") };
      const sandbox = await openSandbox({ cwd, env });
      if ("problem" in sandbox) throw new Error(sandbox.problem);
      writeFileSync(dir.at("project", "last"), "");
      expect(await becomesTrue(() => seen.length > 0)).toBe(true);
      expect(seen[0]).toBe("last");
      const problem = /^the link .*\.claude cannot be made read-only; replace it/;
      expect(sandbox.writeProblem).toMatch(problem);
      await expect(shell.exec("true", { cwd, wrap: sandbox.wrap })).rejects.toThrow(problem);
      const read = await shell.exec("ls; touch x", { cwd, wrap: (launch) => sandbox.wrap(launch, "read") });
      expect(read).toMatchObject({ stdout: "last\n", code: 1 });
      sandbox.close();
    } finally {
      watcher.close();
    }
  },
  { when: canSandbox, timeoutMs: LIMIT_MS },
);

verifies(
  "sandbox:litter",
  "git in the sandbox shows no held file of a folder below, also without a file of patterns, and ignores what the user ignores",
  async () => {
    await using dir = await tempDir();
    const project = dir.at("project");
    const below = dir.at("project", "a [b]*");
    mkdirSync(below, { recursive: true });
    mkdirSync(dir.at("home", ".config", "git"), { recursive: true });
    writeFileSync(dir.at("home", ".config", "git", "ignore"), "*.mine\n");
    execFileSync("git", ["init", "-q", project]);
    for (const name of ["x.mine", "x.repo", "new"]) writeFileSync(join(below, name), "");
    const exclude = dir.at("project", ".git", "info", "exclude");
    writeFileSync(exclude, "*.repo\n");
    const opened = async (cwd: string): Promise<Sandbox> => {
      const env = { PATH: process.env["PATH"], HOME: dir.at("home") };
      const sandbox = await openSandbox({ cwd, env });
      if ("problem" in sandbox) throw new Error(sandbox.problem);
      return sandbox;
    };
    const status = ["status", "--short", "--untracked-files=all"];
    // The repository above is in the folder for temporary files, which the command does not see. So git runs outside, with
    // the patterns that it would get, from the file beside the command's own temporary files.
    const inner = await opened(below);
    const { args, env, release } = await inner.wrap({ path: "git", args: status, cwd: below });
    expect(env?.["GIT_CONFIG_COUNT"]).toBeUndefined();
    const patterns = join(dirname(args[args.indexOf("/tmp") - 1] ?? ""), "exclude");
    const shown = execFileSync("git", ["-c", `core.excludesFile=${patterns}`, ...status], { cwd: below });
    expect(shown.toString()).toBe("?? new\n?? x.mine\n");
    expect(existsSync(join(below, ".mcp.json"))).toBe(true);
    release?.();
    inner.close();

    rmSync(dir.at("project", ".git", "info"), { recursive: true });
    const outer = await opened(project);
    const run = async (): Promise<string> =>
      (await shell.exec(`cd a*; git ${status.join(" ")}`, { cwd: project, wrap: outer.wrap })).stdout;
    expect(await run()).toBe("?? new\n?? x.repo\n");
    writeFileSync(dir.at("home", ".gitconfig"), "[core]\n\texcludesFile = ~/patterns\n");
    writeFileSync(dir.at("home", "patterns"), "*.repo\n");
    expect(await run()).toBe("?? new\n?? x.mine\n");
    // Neither a setting of the user nor one of the repository shows a hidden file.
    mkdirSync(dir.at("home", ".ssh"));
    writeFileSync(dir.at("home", ".ssh", "key"), "KEY");
    writeFileSync(dir.at("home", ".gitconfig"), "[core]\n\texcludesFile = ~/.ssh/key\n");
    execFileSync("git", ["config", "core.excludesFile", dir.at("home", ".ssh", "key")], { cwd: project });
    const seen = await shell.exec("cat /dev/indus-excludes", { cwd: project, wrap: outer.wrap });
    expect(seen.stdout).toBe("\n/.mcp.json\n/opencode.json\n/opencode.jsonc\n");
    outer.close();
  },
  { when: canSandbox, timeoutMs: LIMIT_MS },
);

verifies(
  "sandbox:protected",
  "commands that run at the same time cannot move what is mounted for one of them",
  async () => {
    await using test = await sandboxed();
    const { wrap } = test.sandbox;
    const cwd = test.dir.at("project");
    const job = await shell.spawn("mkdir -p made/.ssh; touch .env.ready; exec sleep 60", { cwd, wrap });
    expect(await becomesTrue(() => existsSync(test.dir.at("project", ".env.ready")))).toBe(true);
    // The job could put links in the place of what it made. The paths that both commands have are mounts for both.
    const mounts = "sed -n 's/^[^ ]* [^ ]* [^ ]* [^ ]* \\([^ ]*\\) .*/\\1/p' /proc/self/mountinfo";
    const during = (await test.run(mounts)).stdout.split("\n");
    await job.end();
    const after = (await test.run(mounts)).stdout.split("\n");
    for (const path of [["made"], ["made", ".ssh"], [".env.ready"]].map((parts) =>
      test.dir.at("project", ...parts),
    )) {
      expect(during).not.toContain(path);
      expect(after).toContain(path);
    }
    for (const seen of [during, after])
      expect(seen).toEqual(
        expect.arrayContaining([test.dir.at("project", ".git"), test.dir.at("project", "sub")]),
      );
  },
  { when: canSandbox, timeoutMs: LIMIT_MS },
);

verifies(
  "sandbox:isolation",
  "a folder that was removed is not made again, and one that was replaced by a link is not mounted",
  async () => {
    await using test = await sandboxed();
    renameSync(test.dir.at("project"), test.dir.at("moved"));
    await expect(test.run("true")).rejects.toThrow(/project no longer exists/);
    expect(existsSync(test.dir.at("project"))).toBe(false);
    symlinkSync(test.dir.at("home"), test.dir.at("project"));
    await expect(test.run("echo x > password")).rejects.toThrow(/project was replaced by a link/);
    expect(readFileSync(test.dir.at("home", "password"), "utf8")).toBe("PASSWORD");
  },
  { when: canSandbox, timeoutMs: LIMIT_MS },
);

verifies(
  "sandbox:isolation",
  "a user without special rights has the same sandbox",
  async () => {
    await using dir = await tempDir();
    mkdirSync(dir.at("project", ".git"), { recursive: true });
    for (const name of ["closed", "foreign"]) mkdirSync(dir.at(name, "in"), { recursive: true, mode: 0o755 });
    for (const path of [dir.path, dir.at("project"), dir.at("project", ".git"), dir.at("closed")])
      chownSync(path, ORDINARY_USER, ORDINARY_USER);
    chmodSync(dir.at("closed"), 0o555);
    expect(
      await runAsOrdinaryUser(new URL("ordinary-sandbox.ts", import.meta.url), dir.at("project")),
    ).toEqual({
      code: 0,
      stdout: `${ORDINARY_USER}\n`,
      locked: expect.stringMatching(/locked cannot be protected: EACCES/),
      looks: [
        [true, "in\n", "refused"],
        [false, "in\n", "in\n"],
      ],
    });
    expect(readdirSync(dir.at("foreign"))).toEqual(["in"]);
    expect(readdirSync(dir.at("project")).toSorted()).toEqual([".git", "made"]);
    expect(readdirSync(dir.path).toSorted()).toEqual(["closed", "foreign", "project"]); // Also folders that were made read-only are removed.
  },
  // As another user the tests above show the same.
  { when: canSandbox && isRoot, timeoutMs: LIMIT_MS },
);

verifies(
  "sandbox:secrets",
  "our own folders and the keys of the user are hidden, also behind a link",
  async () => {
    await using dir = await tempDir();
    mkdirSync(dir.at("elsewhere", "keys"), { recursive: true });
    mkdirSync(dir.at("home", ".aws"), { recursive: true });
    symlinkSync(dir.at("elsewhere", "keys"), dir.at("home", ".ssh"));
    mkdirSync(dir.at("state", "indusvx"), { recursive: true });
    mkdirSync(dir.at("cache", "indusvx"), { recursive: true });
    writeFileSync(dir.at("home", ".npmrc"), "//registry/:_authToken=x");
    const hidden = hiddenPlaces({
      HOME: dir.at("home"),
      XDG_STATE_HOME: dir.at("state"),
      XDG_CACHE_HOME: dir.at("cache"),
    });
    expect(hidden.filter(({ path }) => path.startsWith(dir.path))).toEqual([
      { path: dir.at("state", "indusvx"), isFolder: true },
      { path: dir.at("cache", "indusvx"), isFolder: true },
      { path: dir.at("home", ".aws"), isFolder: true },
      { path: dir.at("home", ".npmrc"), isFolder: false },
      { path: dir.at("elsewhere", "keys"), isFolder: true },
    ]);
  },
);

verifies("sandbox:setting", "where there is no sandbox, the reason is one clause", async () => {
  await using dir = await tempDir();
  mkdirSync(dir.at("project", "bin"), { recursive: true });
  const own = dir.at("project", "bin", "bwrap");
  writeFileSync(own, "#!/bin/sh\nexit 0\n", { mode: 0o755 });
  const open = (more: object): Promise<Sandbox | { readonly problem: string }> =>
    openSandbox({ cwd: dir.at("project"), env: { PATH: "/nowhere", HOME: dir.at("home") }, ...more });
  const missing = { problem: "bubblewrap (bwrap) is not installed" };
  expect(await open({ platform: "linux" })).toEqual(missing);
  // A program of the project is not trusted with that.
  symlinkSync(dir.at("project"), dir.at("link"));
  for (const path of [dir.at("project", "bin"), dir.at("link", "bin")]) {
    const env = { PATH: path, HOME: dir.at("home") };
    expect(await open({ platform: "linux", env })).toEqual(missing);
  }
  expect(await open({ platform: "win32" })).toEqual({ problem: "there is none for Windows" });
  expect(await open({ env: { HOME: dir.at("project", "home") } })).toEqual({
    problem: "this folder contains your home folder",
  });
});

verifies(
  "sandbox:setting",
  "a program that does not work is found out before the first command",
  async () => {
    await using dir = await tempDir();
    mkdirSync(dir.at("project"));
    mkdirSync(dir.at("bin"));
    writeFileSync(
      dir.at("bin", "bwrap"),
      "#!/bin/sh\necho first; echo 'bwrap: No permissions' >&2; exit 1\n",
      {
        mode: 0o755,
      },
    );
    const env = { PATH: dir.at("bin"), HOME: dir.at("home") };
    expect(await openSandbox({ cwd: dir.at("project"), env, platform: "linux" })).toEqual({
      problem: "bubblewrap does not work here: bwrap: No permissions",
    });
    const problemWith = async (temporary: string): Promise<unknown> => {
      vi.stubEnv("TMPDIR", temporary);
      return openSandbox({ cwd: dir.at("project"), env, platform: "linux" }).finally(() =>
        vi.unstubAllEnvs(),
      );
    };
    expect(await problemWith(dir.at("project"))).toEqual({
      problem: `the folder for temporary files, ${dir.at("project")}, is inside this folder`,
    });
    expect(await problemWith(dir.at("none"))).toEqual({
      problem: expect.stringMatching(/^there is no folder for temporary files: ENOENT/),
    });
  },
  { only: ["linux", "darwin"] },
);

verifies(
  "background:hidden",
  "a sandboxed command can neither read the key of the background gateway nor connect to its socket",
  async () => {
    await using dir = await tempDir();
    const runtime = dir.at("project", "run");
    for (const folder of [runtime, dir.at("home")]) mkdirSync(folder, { recursive: true });
    const env = { PATH: process.env["PATH"], HOME: dir.at("home"), XDG_RUNTIME_DIR: runtime };
    const [place] = gatewayPlaces({ env, build: "1" });
    if (!place) throw new Error("no place");
    const controller = new AbortController();
    const gateway = await openBackgroundGateway({
      ...{ place, version: "1", signal: controller.signal, report: () => {} },
      refusal: async () => undefined,
      serve: async () => {},
      console: async () => ({}),
    });
    const sandbox = await openSandbox({ cwd: dir.at("project"), env });
    if ("problem" in sandbox) throw new Error(sandbox.problem);
    try {
      const connect = `require("node:net").connect(${JSON.stringify(place.socket)}).on("connect", () => console.log("REACHED")).on("error", (e) => console.log(e.code))`;
      const command = `cat '${place.key}' && echo READ; ls '${place.folder}'; '${process.execPath}' -e '${connect}'`;
      const inside = await shell.exec(command, { cwd: dir.at("project"), wrap: sandbox.wrap });
      const outside = await shell.exec(command, { cwd: dir.at("project") });
      const text = (result: typeof inside): string => JSON.stringify(result);
      expect(text(outside)).toMatch(/READ.*REACHED/);
      expect(text(inside)).not.toMatch(/READ|REACHED|\.sock/);
      expect(text(inside)).toMatch(/ENOENT|ECONNREFUSED|EACCES/);
    } finally {
      sandbox.close();
      controller.abort(new Error("the test is over"));
      await gateway.ended;
    }
  },
  { when: canSandbox, timeoutMs: LIMIT_MS },
);
