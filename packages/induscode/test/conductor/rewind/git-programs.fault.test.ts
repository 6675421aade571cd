import { spawnSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { atSize, type TempDir, tempDir, verifies } from "@indus/testkit";
import { afterAll, beforeAll, expect } from "vitest";
import { makeProgram, makeWorkTree, watchFolder } from "./attacked-folder.ts";
import {
  type AttackPlace,
  BYTE_MANGLING_ATTACKS,
  GIT_PROGRAM_ATTACKS,
  type GitProgramAttack,
} from "./git-programs.ts";

let shared: TempDir;
beforeAll(async () => {
  shared = await tempDir();
});
afterAll(() => shared[Symbol.asyncDispose]());

interface Attacked extends AttackPlace {
  readonly dir: TempDir;
  readonly marker: string;
}

async function attack(
  prepare: (place: AttackPlace) => void,
  use: (place: Attacked) => Promise<void>,
): Promise<void> {
  await using dir = await tempDir();
  const marker = dir.at("marker");
  const place = {
    top: makeWorkTree(shared, dir.at("top")),
    program: makeProgram(dir.at("program"), marker),
    marker,
    dir,
  };
  prepare(place);
  rmSync(marker, { force: true });
  await use(place);
}

/** A whole turn in the folder, and the rewind of it. Returns false if the folder has no repository that could be read. */
async function turnAndRewind({ dir, top }: Attacked, command: () => void): Promise<boolean> {
  await using watched = await watchFolder(dir, top);
  const refusal = await watched.snapshots.before().then(() => undefined, String);
  if (refusal?.includes("not in a git work tree")) return false;
  expect(refusal).toBeUndefined();
  command();
  await watched.snapshots.after();
  const report = await watched.store.rewind(watched.node, { signal: watched.snapshots.deadline() });
  expect(report).toMatchObject({ done: true });
  return true;
}

const everyNth = (nth: number) => (_: unknown, index: number) => index % nth === 0;

verifies(
  "session:git-programs",
  `${GIT_PROGRAM_ATTACKS.length} ways to name a program: keeping, comparing and restoring the folder runs none, nor git`,
  async () => {
    expect(GIT_PROGRAM_ATTACKS.length).toBeGreaterThan(50);
    let kept = 0;
    for (const { name, prepare } of GIT_PROGRAM_ATTACKS.filter(everyNth(atSize({ quick: 12, full: 1 }))))
      await attack(prepare, async (place) => {
        const { dir, top, marker } = place;
        mkdirSync(dir.at("bin"));
        makeProgram(dir.at("bin", "git"), marker);
        const { PATH } = process.env;
        process.env["PATH"] = `${dir.at("bin")}${delimiter}${PATH}`;
        let isKept: boolean;
        try {
          isKept = await turnAndRewind(place, () => {
            appendFileSync(join(top, "first.txt"), "more\n");
            writeFileSync(join(top, "created.txt"), "created\n");
          });
        } finally {
          process.env["PATH"] = PATH;
        }
        expect(existsSync(marker), name).toBe(false);
        if (!isKept) return;
        kept += 1;
        expect(readFileSync(join(top, "first.txt"), "utf8"), name).toBe("first\n");
        expect(existsSync(join(top, "created.txt")), name).toBe(false);
      });
    expect(kept).toBeGreaterThan(atSize({ quick: 8, full: 100 }));
  },
  { only: ["linux", "darwin"], timeoutMs: 10 * 60_000 },
);

verifies(
  "session:git-programs",
  "each of these ways runs the program when a plain git is used, so that the test above can fail",
  async () => {
    const chosen = GIT_PROGRAM_ATTACKS.filter(({ terminal }) => !terminal).filter(
      everyNth(atSize({ quick: 60, full: 1 })),
    );
    for (const each of chosen)
      for (const args of each.naive)
        await attack(each.prepare, async ({ top, marker }) => {
          runNaively(each, args, top);
          expect(existsSync(marker), `${each.name}: git ${args.join(" ")}`).toBe(true);
        });
  },
  { only: ["linux"], timeoutMs: 10 * 60_000 },
);

function runNaively(
  { folder = ".", input = "", path }: GitProgramAttack,
  args: readonly string[],
  top: string,
): void {
  const { PATH } = process.env;
  // A commit needs an identity, which the home of the tests does not have.
  const identity = {
    GIT_AUTHOR_NAME: "a",
    GIT_AUTHOR_EMAIL: "a@example.com",
    GIT_COMMITTER_NAME: "a",
    GIT_COMMITTER_EMAIL: "a@example.com",
  };
  spawnSync("git", args, {
    cwd: join(top, folder),
    input,
    env: {
      ...process.env,
      ...identity,
      ...(path === undefined ? {} : { PATH: `${path}${delimiter}${PATH}` }),
    },
    timeout: 20_000,
  });
}

verifies(
  "session:git-programs",
  "attributes, filters and settings change no byte of a file that comes back",
  async () => {
    for (const each of BYTE_MANGLING_ATTACKS.filter(everyNth(atSize({ quick: 8, full: 1 }))))
      for (const command of [rmSync, (path: string) => writeFileSync(path, "changed")])
        await attack(each.prepare.bind(each), async (place) => {
          const path = join(place.top, each.path);
          await turnAndRewind(place, () => {
            command(path);
            each.after?.(place);
          });
          expect(readFileSync(path).equals(each.bytes), each.name).toBe(true);
        });
  },
  { timeoutMs: 10 * 60_000 },
);
