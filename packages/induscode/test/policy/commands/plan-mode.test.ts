import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir, verifies } from "@indus/testkit";
import { expect } from "vitest";
import { BASH, samplePolicy, verdictOf } from "../sample-policy.ts";
import { DISGUISED_COMMANDS } from "./disguised-commands.ts";
import { HONEST_READERS } from "./honest-readers.ts";

/** The home folder of a user with a key, and in it a clone of a hostile repository. Returns the clone. */
function hostileClone(home: string): string {
  const folder = join(home, "work", "clones", "project");
  for (const path of [
    "src",
    "deep/er/est",
    "packages/a",
    "links",
    ".git",
    "evil.git/objects",
    "evil.git/refs",
  ])
    mkdirSync(join(folder, path), { recursive: true });
  mkdirSync(join(home, ".ssh"));
  writeFileSync(join(home, ".ssh", "id_rsa"), "secret");
  for (const path of [
    "README.md",
    "package.json",
    "src/a.ts",
    "src/b.ts",
    "a.zip",
    "a.tar.gz",
    "a.gz",
    "evil.git/HEAD",
    ".git/HEAD",
  ])
    writeFileSync(join(folder, path), "x\n");
  for (const name of ["-o", "-oout", "--output=out", "-exec"]) writeFileSync(join(folder, name), "");
  writeFileSync(join(folder, "evil.sh"), "#!/bin/sh\ntouch out\n");
  chmodSync(join(folder, "evil.sh"), 0o755);
  symlinkSync(join(home, ".ssh"), join(folder, "links", "keys"));
  return folder;
}

async function verdicts(lines: readonly string[]): Promise<ReadonlyMap<string, string>> {
  await using temp = await tempDir();
  const cwd = hostileClone(temp.path);
  const policy = samplePolicy({ cwd, mode: "plan", places: { env: { HOME: temp.path }, platform: "linux" } });
  return new Map(lines.map((command) => [command, verdictOf(policy, BASH, { command })]));
}

verifies(
  "policy:plan-readers",
  "more than 150 command lines that models write while they plan run unasked",
  async () => {
    expect(HONEST_READERS.length).toBeGreaterThanOrEqual(150);
    const refused = [...(await verdicts(HONEST_READERS))].filter(
      ([, verdict]) => verdict !== "allow by read-only",
    );
    expect(refused).toEqual([]);
  },
);

verifies(
  "policy:plan-disguises",
  "more than 300 lines that look like reading and are not do not run unasked",
  async () => {
    expect(DISGUISED_COMMANDS.length).toBeGreaterThanOrEqual(300);
    const found = await verdicts(DISGUISED_COMMANDS.map(({ line }) => line));
    expect(DISGUISED_COMMANDS.filter(({ line }) => found.get(line)?.startsWith("allow"))).toEqual([]);
  },
);
