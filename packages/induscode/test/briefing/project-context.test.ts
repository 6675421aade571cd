import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { tempDir, verifies } from "@indus/testkit";
import { readProjectContext } from "induscode/briefing";
import { expect } from "vitest";

verifies("briefing:context", "from the root of the project to the folder, each file once", async () => {
  await using dir = await tempDir();
  mkdirSync(dir.at("repo", ".git"), { recursive: true });
  mkdirSync(dir.at("repo", "pkg", "src"), { recursive: true });
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
    mkdirSync(dir.at("repo", ".git"));
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
