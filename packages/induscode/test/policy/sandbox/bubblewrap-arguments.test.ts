import { dirname } from "node:path";
import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { isInside } from "indusagi/core";
import { expect } from "vitest";
import { bubblewrapArguments } from "../../../src/policy/sandbox/bubblewrap-arguments.ts";

const MACHINE = { isRoot: false, sockets: ["/run"], temporary: ["/tmp", "/var/tmp"], programs: [] };

const WRITER = { access: "write", replaced: [] } as const;
const BARE = { ...WRITER, workspace: "/w", scratch: "/tmp/s", readOnly: [], hidden: [] };

const name = fc.constantFrom("a", "b", ".git", "x y", "-z", "Ä", "--bind");
const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((parts) => `/${parts.join("/")}`);
const plan = fc
  .record({
    workspace: path,
    inside: fc.array(path, { maxLength: 3 }),
    hidden: fc.array(fc.record({ path, isFolder: fc.boolean() }), { maxLength: 4 }),
  })
  .map(({ workspace, inside, hidden }) => ({
    ...WRITER,
    workspace,
    scratch: "/tmp/scratch",
    readOnly: inside.map((each) => `${workspace}${each}`),
    hidden: hidden.filter((place) => place.path !== workspace),
  }));

/** What a path is inside: the last mount that covers it decides. */
function accessTo(args: readonly string[], wanted: string): string {
  let access = "nothing";
  for (let at = 0; at < args.length; ) {
    const option = args[at] ?? "";
    const operands = option.endsWith("bind") ? 2 : ["--tmpfs", "--dev", "--proc"].includes(option) ? 1 : 0;
    const target = args[at + operands] ?? "";
    if (operands > 0 && isInside(wanted, [target])) access = `${option} ${target}`;
    at += 1 + operands;
  }
  return access;
}

verifies("sandbox:isolation", "the workspace is writable and everything else is not", () => {
  fc.assert(
    fc.property(plan, path, (given, other) => {
      const args = bubblewrapArguments(given, MACHINE);
      const covered = [...given.readOnly, ...given.hidden.map((place) => place.path)];
      const isCovered = (wanted: string): boolean => covered.some((each) => isInside(wanted, [each]));
      const own = `${given.workspace}/file`;
      if (!covered.some((each) => isInside(own, [each]) && isInside(each, [given.workspace])))
        expect(accessTo(args, own)).toBe(`--bind ${given.workspace}`);
      if (!isInside(other, [given.workspace]) && !isCovered(other))
        expect(accessTo(args, other)).toBe("--ro-bind /");
    }),
  );
  const args = bubblewrapArguments(BARE, MACHINE);
  expect(args).toEqual(
    expect.arrayContaining(["--die-with-parent", "--new-session", "--unshare-pid", "--unshare-net"]),
  );
  expect(accessTo(args, "/run/docker.sock")).toBe("--tmpfs /run");
  expect(accessTo(args, "/tmp/x")).toBe("--bind /tmp");
});

verifies("sandbox:protected", "what is read-only or hidden stays so, wherever the workspace is", () => {
  fc.assert(
    fc.property(plan, (given) => {
      const args = bubblewrapArguments(given, MACHINE);
      const within = given.hidden.filter((place) => isInside(place.path, [given.workspace]));
      for (const each of given.readOnly)
        if (!within.some((place) => isInside(each, [place.path])))
          expect(accessTo(args, each)).toMatch(/^--ro-bind /);
      for (const { path: each } of within) expect(accessTo(args, `${each}/x`)).toMatch(/^--(tmpfs|ro-bind) /);
      for (const { path: each } of given.hidden)
        if (!isInside(each, [given.workspace]) && !isInside(given.workspace, [each]))
          expect(accessTo(args, each)).toMatch(/^--(tmpfs|ro-bind) (?!\/$)/);
    }),
  );
});

verifies("sandbox:protected", "the folders above a protected path cannot be moved", () => {
  fc.assert(
    fc.property(plan, (given) => {
      const args = bubblewrapArguments(given, MACHINE);
      for (const each of given.readOnly)
        for (let folder = dirname(each); folder !== given.workspace; folder = dirname(folder)) {
          const at = args.findIndex((arg, index) => arg === folder && args[index - 2] === "--bind");
          expect(at).toBeGreaterThan(args.indexOf(given.workspace));
          expect(at).toBeLessThan(args.lastIndexOf(each));
        }
    }),
  );
});

verifies("sandbox:isolation", "commands cannot lead a mount elsewhere through their temporary files", () => {
  const hidden = [{ path: "/tmp/home/.ssh", isFolder: true }];
  const argsFor = (workspace: string): string[] =>
    bubblewrapArguments({ ...BARE, workspace, hidden }, MACHINE);
  expect(accessTo(argsFor("/tmp/a/b/work"), "/tmp/a/b")).toBe("--tmpfs /tmp/a");
  expect(accessTo(argsFor("/tmp/a/b/work"), "/tmp/a/b/work")).toBe("--bind /tmp/a/b/work");
  for (const workspace of ["/tmp/work", "/tmp", "/work"])
    expect(argsFor(workspace).filter((arg) => arg === "--tmpfs")).toHaveLength(workspace === "/tmp" ? 2 : 1);
  expect(accessTo(argsFor("/work"), "/tmp/home/.ssh")).toBe("--bind /tmp");
  expect(accessTo(argsFor("/tmp"), "/tmp/home/.ssh")).toBe("--tmpfs /tmp/home/.ssh");
});

verifies("sandbox:isolation", "root gives up its rights, and cannot change the kernel", () => {
  const args = bubblewrapArguments(BARE, { ...MACHINE, isRoot: true });
  expect(args.join(" ")).toContain("--cap-drop ALL --cap-add CAP_CHOWN");
  expect(args.join(" ")).toContain("--proc /proc --remount-ro /proc");
  expect(bubblewrapArguments(BARE, MACHINE).join(" ")).not.toContain("--cap");
});

verifies("sandbox:plan", "with read access nothing but the folder for temporary files is writable", () => {
  fc.assert(
    fc.property(plan, path, fc.constantFrom("read", "read-anywhere"), (given, other, access) => {
      const args = bubblewrapArguments({ ...given, access }, MACHINE);
      const writable = args.flatMap((arg, at) => (arg === "--bind" ? [args[at + 2]] : []));
      expect(writable).toEqual(access === "read" ? MACHINE.temporary : [given.scratch]);
      for (const wanted of [other, `${given.workspace}${other}`])
        expect(accessTo(args, wanted)).toMatch(/^--(ro-bind|tmpfs) /);
      expect(args).toContain("--unshare-net");
    }),
  );
  const looking = bubblewrapArguments({ ...BARE, access: "read-anywhere" }, MACHINE);
  expect(accessTo(looking, "/tmp/x")).toBe("--ro-bind /");
  expect(accessTo(looking, "/run/docker.sock")).toBe("--tmpfs /run");
});

verifies("sandbox:protected", "a replaced file is never made where a command could have put a link", () => {
  const replacing = (file: string): string[] =>
    bubblewrapArguments({ ...BARE, replaced: [{ path: file, by: "/own/x" }], hidden: HIDDEN }, MACHINE);
  const HIDDEN = [{ path: "/home/.ssh", isFolder: true }];
  for (const file of ["/w/.git/info/exclude", "/repo/.git/info/exclude"])
    expect(accessTo(replacing(file), file)).toBe(`--ro-bind ${file}`);
  for (const file of ["/tmp/r/.git/info/exclude", "/run/r/.git/info/exclude", "/home/.ssh/info/exclude"])
    expect(replacing(file)).not.toContain(file);
});
