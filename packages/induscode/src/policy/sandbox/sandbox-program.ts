import { accessSync, constants, lstatSync, readFileSync, realpathSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import type { ShellLaunch, WrappedLaunch } from "indusagi/capabilities";
import { describeError, type Environment, isInside } from "indusagi/core";
import { PROTECTED_IN_PROJECTS } from "../internal.ts";
import { bubblewrapArguments } from "./bubblewrap-arguments.ts";
import { SandboxError, type SandboxPlan } from "./sandbox-plan.ts";
import { seatbeltProfile } from "./seatbelt-profile.ts";

/** A program on this machine that runs others in a sandbox. */
export interface SandboxProgram {
  readonly name: string;
  /** The name of the temporary folder inside the sandbox, if it differs from the one outside. */
  readonly scratchName?: string;
  /** Whether it can forbid creating protected names. Otherwise only existing ones are protected. */
  readonly protectsAbsentNames: boolean;
  wrap(plan: SandboxPlan, launch: ShellLaunch): WrappedLaunch;
}

export interface SandboxMachine {
  readonly env: Environment;
  readonly workspace: string;
  readonly platform?: NodeJS.Platform;
}

/** Finds the sandbox program of this machine, or returns why there is none, as a clause. */
export function sandboxProgram({
  env,
  workspace,
  platform = process.platform,
}: SandboxMachine): SandboxProgram | { readonly problem: string } {
  if (platform === "linux") {
    const path = findProgram("bwrap", env["PATH"] ?? "", workspace);
    return path === undefined ? { problem: "bubblewrap (bwrap) is not installed" } : bubblewrap(path);
  }
  if (platform === "darwin")
    return isProgram(SEATBELT) ? seatbelt() : { problem: `${SEATBELT} does not exist` };
  return { problem: `there is none for ${platform === "win32" ? "Windows" : platform}` };
}

function bubblewrap(path: string): SandboxProgram {
  const isRoot = process.getuid?.() === 0;
  const sockets = ["/run", "/var/run"].filter(isRealFolder);
  const temporary = ["/tmp", "/var/tmp"].filter(isRealFolder);
  // NixOS has its programs there.
  const programs = ["/run/current-system"].filter(exists);
  return {
    name: "bubblewrap",
    scratchName: "/tmp",
    protectsAbsentNames: false,
    wrap: (plan, launch) => ({
      path,
      args: [
        ...bubblewrapArguments(withoutSockets(plan), { isRoot, sockets, temporary, programs }),
        ...["--chdir", launch.cwd, "--", launch.path, ...launch.args],
      ],
      env: {
        TMPDIR: plan.access === "read-anywhere" ? plan.scratch : "/tmp",
        TMP: undefined,
        TEMP: undefined,
      },
    }),
  };
}

/**
 * Hides all sockets from a command that must change nothing, because a read-only mount does not prevent writing to a socket. The
 * kernel lists the sockets of this network namespace with the path that the service used.
 */
function withoutSockets(plan: SandboxPlan): SandboxPlan {
  if (plan.access === "write") return plan;
  const places = plan.hidden.map(({ path }) => path);
  const sockets = [...new Set(listSockets().flatMap(realSocket))];
  const open = sockets.filter((path) => !isInside(path, places));
  if (open.length > MAX_SOCKETS)
    throw new SandboxError("unsafe", `this machine has more than ${MAX_SOCKETS} sockets; use --sandbox off`);
  return { ...plan, hidden: [...plan.hidden, ...open.map((path) => ({ path, isFolder: false }))] };
}

/** Each is a mount. bubblewrap accepts 9,000 arguments. */
const MAX_SOCKETS = 1_000;

function listSockets(): string[] {
  try {
    const paths = readFileSync("/proc/net/unix", "utf8").matchAll(/ (\/.+)$/gm);
    return [...paths].map(([, path = ""]) => path);
  } catch (cause) {
    const problem = `the sockets of this machine cannot be listed: ${describeError(cause)}; use --sandbox off`;
    throw new SandboxError("unsafe", problem, { cause });
  }
}

function realSocket(path: string): string[] {
  try {
    const real = realpathSync(path);
    return lstatSync(real).isSocket() ? [real] : [];
  } catch {
    return []; // It is gone, or the path is inside a container.
  }
}

const SEATBELT = "/usr/bin/sandbox-exec";

function seatbelt(): SandboxProgram {
  return {
    name: "sandbox-exec",
    protectsAbsentNames: true,
    wrap: (plan, launch) => ({
      path: SEATBELT,
      args: ["-p", seatbeltProfile(plan, PROTECTED_IN_PROJECTS), "--", launch.path, ...launch.args],
      env: { TMPDIR: plan.scratch, TMP: undefined, TEMP: undefined },
    }),
  };
}

/** Searches `PATH`, but not the workspace: a project must not bring its own sandbox. */
function findProgram(name: string, path: string, workspace: string): string | undefined {
  return path
    .split(":")
    .filter(isAbsolute)
    .map((folder) => join(folder, name))
    .find((program) => isProgram(program) && !isInside(realpathSync(program), [workspace]));
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function isRealFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
