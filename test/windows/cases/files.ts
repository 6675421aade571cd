import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, closeSync, mkdirSync, openSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { FsError, localFs, toolBox } from "indusagi/capabilities";
import { isTempName, replaceFileAsync, replaceFileSync, tryFileLock } from "indusagi/core";
import {
  answerOf,
  type CasePlace,
  indus,
  mustBe,
  mustEqual,
  runProgram,
  until,
  type WindowsCase,
} from "../case.ts";

/** Writing files, locks, and the native tools. */
export const fileCases: readonly WindowsCase[] = [
  {
    id: "replace-open",
    title: "a file that a reader has open for a moment is replaced when the reader closes it",
    run: async (at) => {
      const path = at.file("f.txt", "old");
      for (const replace of [replaceFileAsync, replaceFileSync] as const) {
        const reader = await holdingReader(at, path, 300);
        await replace({ path, content: Buffer.from("new") });
        mustEqual(readFileSync(path, "utf8"), "new", "the file");
        await reader.ended;
        writeFileSync(path, "old");
      }
      mustEqual(readdirSync(at.folder).filter(isTempName), [], "temporary files");
    },
  },
  {
    id: "replace-held",
    title:
      "a file that a program keeps open is not replaced: the error says so, the old file is whole, nothing is left",
    run: async (at) => {
      const path = at.file("f.txt", "old");
      const handle = openSync(path, "r");
      const thrown: unknown = await localFs()
        .writeFile(path, "new")
        .catch((failure: unknown) => failure);
      closeSync(handle);
      const isReplaced = readFileSync(path, "utf8") === "new";
      // Newer versions of Windows and Node can replace an open file.
      mustBe(
        isReplaced || (thrown instanceof FsError && /in use by another program/.test(thrown.message)),
        String(thrown),
      );
      mustBe(isReplaced || readFileSync(path, "utf8") === "old", "the file is damaged");
      mustEqual(readdirSync(at.folder).filter(isTempName), [], "temporary files");
    },
  },
  {
    id: "replace-read-only",
    title: "a read-only file is refused and stays as it is",
    run: async (at) => {
      const path = at.file("f.txt", "old");
      chmodSync(path, 0o444);
      const thrown: unknown = await localFs()
        .writeFile(path, "new")
        .catch((failure: unknown) => failure);
      mustBe(thrown instanceof FsError && thrown.kind === "no_permission", String(thrown));
      mustEqual(readFileSync(path, "utf8"), "old", "the file");
    },
  },
  {
    id: "edit-crlf",
    title: "`edit` keeps CRLF and a byte order mark",
    run: async (at) => {
      at.file("f.txt", "\uFEFFone\r\ntwo\r\nthree\r\n");
      await answerOf(indus(at, "call", "edit", "path=f.txt", "oldText=two", "newText=2"));
      mustEqual(readFileSync(at.path("f.txt"), "utf8"), "\uFEFFone\r\n2\r\nthree\r\n", "the file");
    },
  },
  {
    id: "locks",
    title: "four processes that count under one lock lose no step",
    run: async (at) => {
      const count = at.file("count", "0");
      const program = at.file(
        "count.mjs",
        `import { readFileSync, writeFileSync } from "node:fs";
import { withFileLock } from ${JSON.stringify(coreUrl(at))};
for (let step = 0; step < 10; step += 1)
  await withFileLock({ folder: ${JSON.stringify(at.folder)}, name: "count" }, { waitMs: 60_000 }, () =>
    writeFileSync(${JSON.stringify(count)}, String(Number(readFileSync(${JSON.stringify(count)}, "utf8")) + 1)));
`,
      );
      const runs = await Promise.all([1, 2, 3, 4].map(() => runProgram(process.execPath, [program])));
      for (const { code, err } of runs) mustEqual(code, 0, err);
      mustEqual(readFileSync(count, "utf8"), "40", "the count");
    },
  },
  {
    id: "lock-of-killed",
    title: "the lock of a killed process is taken over",
    run: async (at) => {
      const program = at.file(
        "hold.mjs",
        `import { tryFileLock } from ${JSON.stringify(coreUrl(at))};
await tryFileLock({ folder: ${JSON.stringify(at.folder)}, name: "thing" });
setInterval(() => {}, 1000);
`,
      );
      const holder = spawn(process.execPath, [program], { stdio: "ignore" });
      await until(
        () => readdirSync(at.folder).some((name) => name.startsWith("thing.")),
        "the lock is taken",
      );
      const place = { folder: at.folder, name: "thing" };
      const refused = await tryFileLock(place);
      mustBe(
        "reason" in refused && refused.reason === "held" && refused.pid === holder.pid,
        JSON.stringify(refused),
      );
      await ended(holder, () => holder.kill("SIGKILL"));
      const lock = await tryFileLock(place);
      mustBe("release" in lock, JSON.stringify(lock));
      await lock.release();
    },
  },
  {
    id: "search-tools",
    title: "`ls`, `grep` and `find` without ripgrep, with `.gitignore` and paths with `/`",
    run: async (at) => {
      at.file("Sub Folder/é.txt", "needle\r\nhay\r\n");
      at.file("ignored/x.txt", "needle\r\n");
      at.file(".gitignore", "ignored/\r\n");
      mkdirSync(at.path(".git", "refs"), { recursive: true });
      at.file(".git/HEAD", "ref: refs/heads/main\n");
      const found = await answerOf(indus(at, "call", "grep", "pattern=needle$"));
      mustBe(found.includes("Sub Folder/é.txt") && !found.includes("ignored"), found);
      const named = await answerOf(indus(at, "call", "find", "query=**/*.txt"));
      mustBe(named.includes("Sub Folder/é.txt") && !named.includes("ignored"), named);
      const listed = await answerOf(indus(at, "call", "ls"));
      mustBe(listed.includes("Sub Folder"), listed);
    },
  },
  {
    id: "shell",
    title: "`bash` runs a line with quotes, pipes and redirections in `cmd.exe`, in the session's folder",
    run: async (at) => {
      await using box = toolBox("coding", at.folder);
      const run = async (command: string): Promise<string> =>
        JSON.stringify((await box.runner.run({ id: "1", name: "bash", input: { command } })).output);
      const echoed = await run('echo "a b" & echo c> out.txt & cd');
      mustBe(echoed.includes("a b") && echoed.includes("cases\\\\shell"), echoed);
      mustEqual(readFileSync(at.path("out.txt"), "utf8").trim(), "c", "the file");
      const failed = await run("exit 3");
      mustBe(failed.includes("3"), failed);
    },
  },
];

function coreUrl({ root }: CasePlace): string {
  return `file:///${join(root, "packages/indusagi/dist/core/index.js").replaceAll("\\", "/")}`;
}

/** A process that opens a file, says so, and closes it after a time. */
async function holdingReader(
  at: CasePlace,
  path: string,
  ms: number,
): Promise<{ readonly ended: Promise<void> }> {
  const program = at.file(
    "reader.cjs",
    `const fs = require("node:fs");
fs.openSync(process.argv[2], "r");
console.log("open");
setTimeout(() => process.exit(), Number(process.argv[3]));
`,
  );
  const child = spawn(process.execPath, [program, path, String(ms)], { stdio: ["ignore", "pipe", "ignore"] });
  const over = ended(child, () => {});
  await new Promise((resolve) => child.stdout?.once("data", resolve));
  return { ended: over };
}

async function ended(child: ChildProcess, how: () => void): Promise<void> {
  const exited = new Promise((resolve) => child.once("exit", resolve));
  how();
  await exited;
  await sleep(50);
}
