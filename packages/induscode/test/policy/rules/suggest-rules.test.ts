import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import type { CallEffect } from "../../../src/policy/index.ts";
import { suggestRules } from "../../../src/policy/internal.ts";

const command = (text: string): CallEffect => ({
  tool: "bash",
  readOnly: false,
  input: { command: text },
  command: { text, session: "/w", cwd: "/w", isReadable: true },
});

verifies(
  "session:rule-patterns",
  "a command of a known form is widened to its verb, others stay exact",
  () => {
    expect(suggestRules(command("git commit -m 'a b'"))).toEqual([
      "bash(git commit -m 'a b')",
      "bash(git commit *)",
    ]);
    for (const text of [
      "npm test",
      "npm run build",
      "pnpm test",
      "cargo test",
      "go test ./...",
      "make all",
      "pytest tests",
      "git grep -n x",
      "git rebase main",
      "git log --oneline",
      "git diff main",
      "git fetch origin",
      "git push origin",
      "git pull origin",
      "git clone x",
      "git merge other",
      "git cherry-pick x",
      "git bisect run",
      "git submodule update",
      "git config a.b",
      "git checkout main",
      "git tag v1",
      "git branch x",
      "git difftool x",
      "git archive x",
      "git apply x",
      "git am x",
      "git filter-branch x",
      "git worktree add",
      "git help x",
      "/usr/bin/git commit",
      "./git commit",
      "tar xf a.tar",
      "vim a.txt",
      "vi a.txt",
      "emacs a",
      "nano a",
      "less a",
      "man ls",
      "rg foo",
      "fd foo",
      "grep foo",
      "sort a",
      "scp a",
      "rsync a",
      "ssh host",
      "sftp host",
      "gdb prog",
      "tmux new",
      "screen x",
      "kubectl exec",
      "docker run",
      "tee a",
      "zip a",
      "unzip a",
      "split a",
      "install a",
      "crontab a",
      "at now",
      "ip netns",
      "systemctl start",
      "npm exec cowsay",
      "pnpm dlx cowsay",
      "uv run pytest",
      "bundle exec rake",
      "go run main.go",
      "strace bash x",
      "busybox sh x",
      "flock lock rm",
      "git commit && rm -rf /",
      "git log > out.txt",
      "echo $(id)",
      "sh script.sh",
      "/bin/bash x",
      "python3 run me",
      "sudo git commit",
      "env git commit",
      "xargs rm",
      "$PROGRAM verb",
      "ls -la",
      "FOO=1 git commit",
    ])
      expect(suggestRules(command(text)), text).toEqual([`bash(${text.replaceAll("*", String.raw`\*`)})`]);
  },
);

verifies("session:rule-patterns", "a file is widened to its tool, a server's tool to its server", () => {
  const edit: CallEffect = {
    tool: "edit",
    readOnly: false,
    input: {},
    paths: [{ written: "/w/a*", real: "/w/a*" }],
  };
  expect(suggestRules(edit)).toEqual([String.raw`edit(/w/a\*)`, "edit"]);
  const mounted: CallEffect = {
    tool: "s__x",
    readOnly: false,
    input: {},
    origin: { server: "s", tool: "x" },
  };
  expect(suggestRules(mounted)).toEqual(["s__x", "s__*"]);
  expect(suggestRules({ tool: "memory", readOnly: false, input: {} })).toEqual(["memory"]);
  // A rule with the id of such a server would mean other servers too.
  const starred = { ...mounted, tool: "m___x_00000000", origin: { server: "m*", tool: "x" } };
  for (const rule of suggestRules(starred)) expect(rule).not.toContain("*");
});
