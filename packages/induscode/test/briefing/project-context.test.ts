import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir, verifies } from "@indus/testkit";
import { readProjectContext } from "induscode/briefing";
import { expect } from "vitest";

/** A folder with a git repository, as much of one as is looked at. */
function repository(folder: string): void {
  mkdirSync(join(folder, ".git"), { recursive: true });
  writeFileSync(join(folder, ".git", "HEAD"), "ref: refs/heads/main\n");
}

verifies("briefing:context", "from the root of the project to the folder, each file once", async () => {
  await using dir = await tempDir();
  repository(dir.at("repo"));
  // Left by a killed session.
  mkdirSync(dir.at("repo", "pkg", "src", ".git"), { recursive: true });
  writeFileSync(dir.at("AGENTS.md"), "outside");
  writeFileSync(dir.at("repo", "AGENTS.md"), "root");
  symlinkSync("AGENTS.md", dir.at("repo", "CLAUDE.md"));
  writeFileSync(dir.at("repo", "pkg", "INDUS.md"), "pkg");
  writeFileSync(dir.at("repo", "pkg", "src", "CLAUDE.md"), "src");
  expect(readProjectContext(dir.at("repo", "pkg", "src"))).toEqual({
    files: [
      { path: "AGENTS.md", text: "root" },
      { path: "pkg/INDUS.md", text: "pkg" },
      { path: "pkg/src/CLAUDE.md", text: "src" },
    ],
    problems: [],
  });
  mkdirSync(dir.at("plain", "inner"), { recursive: true });
  writeFileSync(dir.at("plain", "AGENTS.md"), "not read");
  expect(readProjectContext(dir.at("plain", "inner")).files).toEqual([]);
});

verifies(
  "briefing:context",
  "a link out of the root, a folder and a long file are bounded and reported",
  async () => {
    await using dir = await tempDir();
    mkdirSync(dir.at("repo", "a"), { recursive: true });
    repository(dir.at("repo"));
    writeFileSync(dir.at("secret"), "secret");
    symlinkSync(dir.at("secret"), dir.at("repo", "AGENTS.md"));
    mkdirSync(dir.at("repo", "CLAUDE.md"));
    writeFileSync(dir.at("repo", "a", "AGENTS.md"), "é".repeat(40_000));
    const { files, problems } = readProjectContext(dir.at("repo", "a"));
    expect(files).toHaveLength(1);
    expect(files[0]?.text).toBe("é".repeat(16_384));
    expect(problems).toEqual([
      "AGENTS.md is not used: it is a link that leads out of the project",
      "CLAUDE.md is not used: it is not a regular file",
      "a/AGENTS.md is too long: only its beginning is used",
    ]);
  },
);
