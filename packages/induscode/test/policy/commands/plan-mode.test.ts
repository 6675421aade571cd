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
  return folder;
}

async function verdicts(
  lines: readonly string[],
  prepare: (folder: string) => void = () => {},
): Promise<ReadonlyMap<string, string>> {
  await using temp = await tempDir();
  const cwd = hostileClone(temp.path);
  prepare(cwd);
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

/** Files and links that the lines below need. */
function lay(folder: string): void {
  const key = "../../../../.ssh/id_rsa";
  const link = (path: string, target: string): void => {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    symlinkSync(target, join(folder, path));
  };
  link("links/keys", "../../../../.ssh");
  link("-k", key.slice(3));
  link("+k", key.slice(3));
  link("x=a:", "/");
  link("deep/er/est/k", "/proc/self/cwd/../../../../../../.ssh/id_rsa");
  link("em/\u{1F600}", key);
  link("e2/\u00e9", key);
  link("z/ln1", "../inn/sub");
  mkdirSync(join(folder, "inn", "sub"), { recursive: true });
  link("inn/k", key);
  link("da/k", key);
  link("da/README.md", key);
  link("x.zip", key.slice(3));
  link("g.gz", key.slice(3));
  mkdirSync(join(folder, "aw"));
  writeFileSync(join(folder, "aw", 'BEGIN{system("touch x")}'), "");
  writeFileSync(join(folder, "aw", "env"), "");
  writeFileSync(join(folder, "+1f"), "");
  mkdirSync(join(folder, "nested", ".git"), { recursive: true });
  writeFileSync(join(folder, "nested", ".git", "commondir"), "../../../private/.git");
  mkdirSync(join(folder, "n2", ".git"), { recursive: true });
  link("n2/.git/packed-refs", "../../../../../.netrc");
}

/** Each of these got around a proof that looked complete. */
const CLEVER_LINES: readonly string[] = [
  `awk 'BEGIN{x=1system("touch x")}'`,
  `awk 'BEGIN{print 1ENVIRON["HOME"]}'`,
  "cd aw && awk B*",
  "cd aw && jq -n e*",
  "xxd -ps README.md out",
  "xxd -bc README.md out",
  "git diff --ignore-submodules=none",
  "git status --ignore-submodules=untracked",
  `cat ${Array.from({ length: 210 }, (_, at) => at).join(" ")} ~/.ssh/id_rsa`,
  "cat -- -k",
  "cat < -k",
  "rg -f+k README.md",
  "tar -tvvvvvvvvvvvvvflinks/keys/x.tar",
  `rg --file=${"/".repeat(4_100)}etc/passwd README.md`,
  "cat x=a:~/.ssh/id_rsa",
  "cd deep/er/est && cat k",
  "cat em/?",
  "cat e2/??",
  "cat z/ln1/../k*",
  "cd src && grep -R SECRET ../links*",
  "grep -R SECRET z/ln1/..",
  "grep -R src",
  "fd -L src",
  "diff da src",
  "diff README.md da",
  "ls -LR links",
  "du -aL links",
  "ps -auxewww",
  "ps -axewww",
  "ps auxe",
  "jq -n '$ ENV.HOME'",
  "jq -n '$#\nENV.HOME'",
  "unzip -p '*.zip'",
  "unzip -p x",
  "zcat g",
  "git grep -n SECRET",
  "cd nested && git log -p",
  "cd n2 && git branch -a",
  "tail +1f README.md",
  "tail *",
  "tar -tf a.tar -f evil:x",
  "printf '%999999999s' x",
];

verifies("policy:plan-disguises", "lines that got around an earlier proof do not run unasked", async () => {
  const found = await verdicts(CLEVER_LINES, lay);
  expect(CLEVER_LINES.filter((line) => found.get(line)?.startsWith("allow"))).toEqual([]);
});

verifies("policy:plan-disguises", "a glob is compared in linear time", async () => {
  const found = await verdicts(["ls *a*a*a*a*a*a*a*a*b"], (folder) =>
    writeFileSync(join(folder, "a".repeat(200)), ""),
  );
  expect([...found.values()]).toEqual(["allow by read-only"]);
});
