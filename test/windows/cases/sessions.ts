import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { writeTool } from "indusagi/capabilities";
import type { ToolDescriptor } from "indusagi/llm";
import { buildSessionTools } from "induscode/boot";
import { effectOf, openCheckpointStore, openLedgerLog } from "induscode/deck";
import { createPolicy, decide } from "induscode/policy";
import { type CasePlace, mustBe, mustEqual, type WindowsCase } from "../case.ts";

/** What a session keeps and asks: checkpoints, rules for approvals, the ledger. */
export const sessionCases: readonly WindowsCase[] = [
  {
    id: "checkpoint-tools",
    title: "a rewind restores what `write` changed, and removes what it made",
    run: async (at) => {
      at.file("work/Sub é/a.txt", "old\r\n");
      await using store = await openCheckpointStore(at.path("state", "checkpoints"), {
        roots: [at.path("work")],
      });
      const deck = buildSessionTools({}, { cwd: at.path("work"), framework: { checkpoint: store } });
      mustBe(deck !== undefined, "no tools");
      try {
        const node = await store.beginNode();
        // A file must be read before it is replaced; another spelling of its path counts.
        for (const [name, input] of [
          ["read", { path: "SUB É/A.TXT" }],
          ["write", { path: "Sub é\\a.txt", content: "new" }],
          ["write", { path: "Sub é/b.txt", content: "new" }],
        ] as const) {
          const { isError, output } = await deck.intoToolBox().runner.run({ id: "1", name, input });
          mustBe(!isError, String(output));
        }
        const report = await store.rewind(node);
        mustBe(
          report.done && report.restored.length === 1 && report.removed.length === 1,
          JSON.stringify(report),
        );
      } finally {
        await deck.close();
      }
      mustEqual(readFileSync(at.path("work", "Sub é", "a.txt"), "utf8"), "old\r\n", "the file");
      mustEqual(readdirSync(at.path("work", "Sub é")), ["a.txt"], "the folder");
    },
  },
  {
    id: "checkpoint-commands",
    title: "a rewind undoes what a command changed, made and removed in a git work tree",
    run: async (at) => {
      const signal = new AbortController().signal;
      for (const [name, text] of [
        ["a.txt", "old"],
        ["é/gone.txt", "gone"],
        [".gitignore", "ignored/\r\n"],
        [".git/HEAD", "ref: refs/heads/main\n"],
        ["ignored/x", "kept"],
      ] as const)
        at.file(`work/${name}`, text);
      mkdirSync(at.path("work", ".git", "refs"), { recursive: true });
      mkdirSync(at.path("work", ".git", "objects"), { recursive: true });
      await using store = await openCheckpointStore(at.path("state", "checkpoints"), {
        roots: [at.path("work")],
      });
      const node = await store.beginNode();
      await store.beginCommands({ signal });
      at.file("work/a.txt", "changed");
      at.file("work/new folder/new.txt", "new");
      rmSync(at.path("work", "é"), { recursive: true });
      await store.endCommands({ signal });
      const report = await store.rewind(node);
      mustBe(report.done, JSON.stringify(report));
      mustEqual(readFileSync(at.path("work", "a.txt"), "utf8"), "old", "the changed file");
      mustEqual(readFileSync(at.path("work", "é", "gone.txt"), "utf8"), "gone", "the removed file");
      mustEqual(
        readdirSync(at.path("work")).toSorted(),
        [".git", ".gitignore", "a.txt", "ignored", "é"],
        "names",
      );
    },
  },
  {
    id: "policy-paths",
    title: "rules for approvals find a path in every spelling, and permissions only the real one",
    run: async (at) => {
      mkdirSync(at.path("work", "src"), { recursive: true });
      const verdict = verdictsOf(at);
      for (const path of ["src\\a.ts", "src/a.ts", ".\\src\\..\\src\\a.ts", at.path("work", "src", "a.ts")])
        mustEqual(verdict(path), "allow by allow", path);
      for (const path of ["secret\\a", "SECRET/a", at.path("work", "Secret", "a").toUpperCase()])
        mustEqual(verdict(path), "deny by deny", path);
      for (const path of [".env", ".ENV", ".env.", ".env::$DATA", "src\\.git\\config", "GIT~1\\config"])
        mustEqual(verdict(path), "ask by protected", path);
      for (const path of ["..\\a.ts", "D:\\a.ts", "\\\\server\\share\\a.ts", "//server/share/a.ts"])
        mustEqual(verdict(path), "ask by roots", path);
    },
  },
  {
    id: "ledger",
    title: "the ledger's segments are written, flushed and read again, and their locks released",
    run: async (at) => {
      const folder = at.path("ledger");
      const log = await openLedgerLog(folder);
      const item = {
        op: "approve",
        server: "s",
        tool: "t",
        at: new Date().toISOString(),
        reason: "kept",
      } as const;
      await log.append([item]);
      await log.close();
      const again = await openLedgerLog(folder, { segment: log.segment, compact: true });
      await again.append([item]);
      await again.close();
      mustBe(
        again.bytes > log.bytes / 2 && readFileSync(again.path, "utf8").includes('"kept"'),
        "the segment",
      );
      mustEqual(
        readdirSync(folder).filter((name) => name.endsWith(".lock")),
        [],
        "locks",
      );
    },
  },
];

/** The decision about `write` to a path, in a session that may write into `src` and not into `secret`. */
function verdictsOf(at: CasePlace): (path: string) => string {
  const policy = createPolicy({
    cwd: at.path("work"),
    effectOf,
    allow: ["write(src/**)"],
    deny: ["write(secret/**)"],
    places: { env: at.env },
  });
  const write: ToolDescriptor = writeTool().descriptor();
  return (path) => {
    const { verdict, by } = decide(policy.examine(write, { path, content: "x" }), policy.rules());
    return `${verdict} by ${by}`;
  };
}
