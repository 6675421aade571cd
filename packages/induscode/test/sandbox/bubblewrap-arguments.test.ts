import { dirname } from "node:path";
import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { isInside } from "indusagi/core";
import { expect } from "vitest";
import { bubblewrapArguments } from "../../src/sandbox/bubblewrap-arguments.ts";

const MACHINE = { isRoot: false, sockets: ["/run"], temporary: ["/tmp", "/var/tmp"], programs: [] };

const name = fc.constantFrom("a", "b", ".git", "x y", "-z", "Ä", "--bind");
const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((parts) => `/${parts.join("/")}`);
const plan = fc
  .record({
    workspace: path,
    inside: fc.array(path, { maxLength: 3 }),
    hidden: fc.array(fc.record({ path, isFolder: fc.boolean() }), { maxLength: 4 }),
  })
  .map(({ workspace, inside, hidden }) => ({
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
  const args = bubblewrapArguments({ workspace: "/w", scratch: "/tmp/s", readOnly: [], hidden: [] }, MACHINE);
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
    bubblewrapArguments({ workspace, scratch: "/tmp/s", readOnly: [], hidden }, MACHINE);
  expect(accessTo(argsFor("/tmp/a/b/work"), "/tmp/a/b")).toBe("--tmpfs /tmp/a");
  expect(accessTo(argsFor("/tmp/a/b/work"), "/tmp/a/b/work")).toBe("--bind /tmp/a/b/work");
  for (const workspace of ["/tmp/work", "/tmp", "/work"])
    expect(argsFor(workspace).filter((arg) => arg === "--tmpfs")).toHaveLength(workspace === "/tmp" ? 2 : 1);
  expect(accessTo(argsFor("/work"), "/tmp/home/.ssh")).toBe("--bind /tmp");
  expect(accessTo(argsFor("/tmp"), "/tmp/home/.ssh")).toBe("--tmpfs /tmp/home/.ssh");
});

verifies("sandbox:isolation", "root gives up its rights, and cannot change the kernel", () => {
  const bare = { workspace: "/w", scratch: "/tmp/s", readOnly: [], hidden: [] };
  const args = bubblewrapArguments(bare, { ...MACHINE, isRoot: true });
  expect(args.join(" ")).toContain("--cap-drop ALL --cap-add CAP_CHOWN");
  expect(args.join(" ")).toContain("--proc /proc --remount-ro /proc");
  expect(bubblewrapArguments(bare, MACHINE).join(" ")).not.toContain("--cap");
});
