import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { tempDir, verifies } from "@indus/testkit";
import fc from "fast-check";
import { isRepository, isTempName, mintUlid, tempName, workTreeOf } from "indusagi/core";
import { expect } from "vitest";

verifies(
  "core:work-tree",
  "the nearest folder with a repository; an empty .git is none, a file or a link to one is",
  async () => {
    await using dir = await tempDir();
    const top = realpathSync(dir.path);
    const at = (...parts: readonly string[]): string => dir.at(...parts).replace(dir.path, top);
    mkdirSync(at("repo", ".git"), { recursive: true });
    mkdirSync(at("repo", "pkg", ".git"), { recursive: true });
    const outside = workTreeOf(top);
    expect(workTreeOf(at("repo", "pkg"))).toBe(outside);
    writeFileSync(at("repo", ".git", "HEAD"), "ref: refs/heads/main\n");
    expect([isRepository(at("repo", ".git")), isRepository(at("repo", "pkg", ".git"))]).toEqual([
      true,
      false,
    ]);
    expect(workTreeOf(at("repo", "pkg"))).toBe(at("repo"));
    mkdirSync(at("linked"));
    writeFileSync(at("linked", ".git"), "gitdir: ../repo/.git/worktrees/linked\n");
    mkdirSync(at("other"));
    symlinkSync("../repo/.git", at("other", ".git"));
    for (const name of ["linked", "other"]) expect(workTreeOf(at(name))).toBe(at(name));
  },
);

verifies("core:temp-names", "exactly the names that tempName makes", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2 ** 32 }), (pid) => {
      expect(isTempName(tempName(pid, mintUlid()))).toBe(true);
    }),
  );
  const name = tempName();
  for (const other of [
    `x${name}`,
    `${name}x`,
    `${name}\n`,
    `a/${name}`,
    name.toLowerCase(),
    ".indus-1-A.tmp",
  ])
    expect([other, isTempName(other)]).toEqual([other, false]);
});
