import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { openTestSession, testUser } from "../../conductor/open/open-test-session.ts";
import { calling, type PrintRun, printRun } from "./print-run.ts";

/** Against a hang: on a busy machine the first test loads everything. */
const LIMIT_MS = 60_000;

interface Listed {
  readonly id: string;
  readonly folder: string;
  readonly turns: number;
  readonly title: string;
  readonly match?: string;
  readonly problem?: string;
  readonly lastAt: string;
}

const listed = async (test: PrintRun, ...words: readonly string[]): Promise<readonly Listed[]> => {
  const { out } = await test.indus(["sessions", ...words, "--json"]);
  return (JSON.parse(out) as { readonly sessions: readonly Listed[] }).sessions;
};

/** Every file and folder below the state folder whose path has this id. */
const traces = (test: PrintRun, id: string): readonly string[] =>
  readdirSync(test.at("state"), { recursive: true, encoding: "utf8" }).filter((name) => name.includes(id));

verifies(
  "session:saved",
  "sessions are listed latest first with their first words, and found by any text in them, in this folder or in all",
  async () => {
    await using test = await printRun(
      [
        { text: "The parser is in src." },
        { text: "Hello \u001b[2Jthere." },
        calling(["read", { path: "a.txt" }]),
        { text: "Read." },
        { text: "Elsewhere." },
      ],
      { "a.txt": "a needle in the hay\n" },
    );
    expect((await test.indus(["sessions"])).err).toContain("this folder has no session; --all");
    await test.indus(["-p", "Where is\n the  PARSER?"]);
    await test.indus(["-p", "Say \u001b[31mhello."]);
    await test.indus(["-p", "--continue", "Look into a.txt."]);
    mkdirSync(test.at("other"));
    await test.indus(["-p", "--cwd", test.at("other"), "Another folder."]);

    const [latest, first, ...more] = await listed(test);
    expect(more).toEqual([]);
    expect(latest).toMatchObject({ title: "Say \u001b[31mhello.", turns: 2, folder: test.project });
    expect(first).toMatchObject({ title: "Where is the PARSER?", turns: 1 });
    expect((await listed(test, "list", "--all")).map(({ folder }) => folder)).toEqual([
      test.at("other"),
      test.project,
      test.project,
    ]);

    // Nothing in a transcript reaches the screen as a control code.
    const shown = await test.indus(["sessions"]);
    expect(shown.out).toContain("Say \\x1b[31mhello.");
    expect(shown.out).not.toContain("\u001b");
    expect(shown.out.indexOf(latest?.id ?? "-")).toBeLessThan(shown.out.indexOf(first?.id ?? "-"));
    const everywhere = (await test.indus(["sessions", "--all"])).out;
    expect(everywhere).toMatch(/\/other\nID .*\n.*Another folder\.\n\n.*\/project\nID /);

    // Prompts, answers and results of tools, in any order and case; all words must be there.
    const found = async (...words: readonly string[]): Promise<readonly (string | undefined)[]> =>
      (await listed(test, "search", ...words)).map(({ id }) => id);
    expect(await found("parser", "WHERE")).toEqual([first?.id]);
    expect(await found("needle in")).toEqual([latest?.id]);
    expect(await found("parser", "needle")).toEqual([]);
    expect(await found("Elsewhere")).toEqual([]);
    expect(await listed(test, "search", "Elsewhere", "--all")).toMatchObject([{ folder: test.at("other") }]);
    expect((await listed(test, "search", "needle"))[0]?.match).toContain("a needle in the hay");
    expect((await test.indus(["sessions", "search", "there"])).out).toContain("Hello \\x1b[2Jthere.");
    expect(await test.indus(["sessions", "search", "nothing of it"])).toMatchObject({
      code: 1,
      out: "",
      err: 'indus: this folder has no session with "nothing of it"; --all looks into every folder\n',
    });
    for (const [words, problem] of [
      [["sessions", "search"], "sessions search needs a word"],
      [["sessions", "delete"], "sessions delete needs the id of a session; indus sessions lists them"],
      [["sessions", "serch", "x"], 'unknown command "sessions serch"; did you mean search?'],
    ] as const)
      expect(await test.indus(words)).toMatchObject({
        code: 2,
        err: expect.stringContaining(problem) as string,
      });
  },
  { timeoutMs: LIMIT_MS },
);

verifies(
  "session:saved",
  "a deleted session leaves no file, in the transcript, the results or the checkpoints; one in use is refused",
  async () => {
    await using test = await printRun([
      calling(["write", { path: "new.txt", content: "fresh\n" }], ["bash", { command: "seq 1 20000" }]),
      { text: "Wrote it." },
      { text: "Second." },
      { text: "Third." },
    ]);
    await test.indus(["-p", "--mode", "bypass", "Write it."]);
    await test.indus(["-p", "The second."]);
    const [second, first] = await listed(test);
    const [keptId, goneId] = [second?.id ?? "", first?.id ?? ""];
    const kept = traces(test, keptId);
    // Its transcript names the checkpoint store; both have files of their own.
    const stores = (): number =>
      readdirSync(checkpointsOf(test)).filter((name) => name.endsWith(".log")).length;
    const before = stores();
    expect(traces(test, goneId).some((name) => name.includes("results"))).toBe(true);

    // Without a terminal nobody can agree.
    expect(await test.indus(["sessions", "delete", goneId])).toMatchObject({
      code: 1,
      err: expect.stringContaining("run it again with --yes") as string,
    });
    expect(await test.indus(["sessions", "delete", goneId.slice(0, 4)])).toMatchObject({
      code: 1,
      err: expect.stringContaining("has several sessions that begin with") as string,
    });
    expect(await test.indus(["sessions", "delete", "../../x", "--yes"])).toMatchObject({
      code: 1,
      err: expect.stringContaining('this folder has no session "../../x"; the latest are') as string,
    });
    {
      await using run = await test.run();
      await openTestSession(run, { line: { resume: goneId }, user: testUser() });
      const refused = await test.indus(["sessions", "delete", goneId, keptId.toLowerCase(), "--yes"]);
      expect(refused).toMatchObject({ code: 1, out: `deleted session ${keptId}\n` });
      expect(refused.err).toContain(`session ${goneId} is in use by process ${process.pid}; close it first`);
      expect(traces(test, keptId)).toEqual([]);
      expect(kept.length).toBeGreaterThan(0);
    }
    expect(traces(test, goneId).length).toBeGreaterThan(0);
    expect(await test.indus(["sessions", "delete", goneId, "--yes", "--json"])).toMatchObject({
      code: 0,
      out: expect.stringContaining(goneId) as string,
    });
    expect(traces(test, goneId)).toEqual([]);
    expect(stores()).toBe(before - 2);
    expect(readdirSync(checkpointsOf(test))).toEqual([]);
    expect(await listed(test)).toEqual([]);
    // What the session wrote into the project stays.
    expect(existsSync(join(test.project, "new.txt"))).toBe(true);
  },
  { timeoutMs: LIMIT_MS },
);

verifies(
  "session:saved",
  "a damaged transcript is listed with the reason, and can be deleted, also of a folder that is gone",
  async () => {
    await using test = await printRun([{ text: "One." }, { text: "Two." }]);
    await test.indus(["-p", "The first."]);
    const [only] = await listed(test);
    const transcript = traces(test, only?.id ?? "-").find((name) => name.endsWith("transcript.jsonl")) ?? "";
    writeFileSync(test.at("state", transcript), "nonsense\n");
    expect((await listed(test))[0]?.problem).toContain("is not a transcript of this version");
    expect(await listed(test, "search", "first")).toEqual([]);
    expect(await test.indus(["sessions", "delete", "--all", only?.id ?? "", "--yes"])).toMatchObject({
      code: 0,
    });
    expect(await listed(test, "--all")).toEqual([]);
  },
  { timeoutMs: LIMIT_MS },
);

function checkpointsOf(test: PrintRun): string {
  const root = test.at("state", "indusvx");
  const [workspace = ""] = readdirSync(root).filter((name) => existsSync(join(root, name, "checkpoints")));
  return join(root, workspace, "checkpoints");
}
