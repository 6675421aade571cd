import { verifies } from "@indus/testkit";
import { mountProtocolBridge, ServerConfig } from "indusagi/interop";
import { expect } from "vitest";
import { missingProgram } from "../../../../src/interop/endpoint/faults/open-faults.ts";

const gone = Object.assign(new Error("spawn"), { code: "ENOENT" });
const row = (command: string, more: object = {}) => ({ ...ServerConfig.stdio("s", command), ...more });

verifies("diagnose:missing-program", "a launcher that is not in PATH is named with what to install", () => {
  expect(missingProgram(row("npx"), gone, "/usr/bin:/bin")).toBe(
    'install Node.js, which contains npx, or write the full path of npx as "command": it is not in PATH (/usr/bin:/bin)',
  );
  expect(missingProgram(row("uv"), gone, "/bin")).toMatch(/^install uv, or write the full path of uv/);
  expect(missingProgram(row("docker.exe"), gone, "")).toMatch(/^install Docker, which contains docker,/);
  expect(missingProgram(row("npx", { env: { PATH: "/own" } }), gone, "/bin")).toContain("(/own)");
  expect(missingProgram(row("toString"), gone)).toBeUndefined();
  expect(missingProgram(row("my-server"), gone)).toBeUndefined();
  expect(missingProgram(row("npx", { cwd: "/no/such/folder" }), gone)).toBe(
    'create that folder, or correct "cwd" in its configuration',
  );
  expect(missingProgram(row("npx"), Object.assign(new Error("spawn"), { code: "EACCES" }))).toBeUndefined();
});

verifies("diagnose:misspelled-program", "every slip of one letter names the program that was meant", () => {
  for (const known of ["npx", "uvx", "python3", "docker", "deno"]) {
    const letters = known.split("");
    const slips = letters.flatMap((letter, at) => [
      known.slice(0, at) + known.slice(at + 1),
      `${known.slice(0, at)}${letter}${known.slice(at)}`,
      `${known.slice(0, at)}q${known.slice(at + 1)}`,
      `${known.slice(0, at)}${letters[at + 1] ?? ""}${letter}${known.slice(at + 2)}`,
    ]);
    // Some slips are other programs, or too short to tell.
    const wrong = slips.filter(
      (slip) => slip.length > 2 && !missingProgram(row(slip), gone)?.startsWith("install "),
    );
    expect(wrong.length).toBeGreaterThan(5);
    for (const slip of wrong)
      expect(missingProgram(row(slip), gone), slip).toMatch(
        /^correct "command" in its configuration, or install .*: did you mean \w+\?$/,
      );
  }
  expect(missingProgram(row("npxx"), gone)).toBe(
    'correct "command" in its configuration, or install npxx: did you mean npx?',
  );
  expect(missingProgram(row("dcoker.exe"), gone)).toContain("did you mean docker?");
  for (const other of ["my-server", "/opt/npxx", "./npx", "go", "npm-run", "notes", "dockerize"])
    expect(missingProgram(row(other), gone), other).toBeUndefined();
});

verifies("diagnose:missing-program", "the status has the remedy alone and in its summary", async () => {
  const config = row("npx", { env: { PATH: "/no/such/folder" } });
  const { fleet } = await mountProtocolBridge({ servers: [config] }, { supervision: false });
  const status = fleet.status().get("s");
  await fleet.tearDown();
  expect(status?.remedy).toMatch(/^install Node\.js, .*\(\/no\/such\/folder\)$/);
  expect(status?.summary).toBe(`${status?.fault?.message}; ${status?.remedy}`);
});
