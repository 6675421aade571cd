import { chmod, mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { atSize, recordFigure, tempDir, verifies } from "@indus/testkit";
import fc from "fast-check";
import { type DiskCheckpointStore, openCheckpointStore } from "induscode/deck";
import { expect } from "vitest";
import { fastDisk, snapshot } from "../rewind-site.ts";

interface State {
  readonly bytes: Uint8Array;
  readonly mode: number;
}

const FILES = 200;
const NODES = 3;

const state = fc.record({
  bytes: fc.uint8Array({ maxLength: 300 }),
  mode: fc.constantFrom(0o600, 0o644, 0o755, 0o400, 0o4755, 0o777),
});

/** What happens to one file: how it is at first, and what is done to it in which nodes. */
const story = fc.record({
  first: fc.option(state, { nil: undefined }),
  changes: fc.array(fc.record({ node: fc.nat(NODES - 1), to: fc.option(state, { nil: undefined }) }), {
    minLength: 1,
    maxLength: 3,
  }),
});

async function put(path: string, to: State | undefined): Promise<void> {
  await rm(path, { force: true });
  if (!to) return;
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, to.bytes);
  await chmod(path, to.mode);
}

/** Changes a file as a tool does. Returns its new state. */
async function change(
  store: DiskCheckpointStore,
  path: string,
  [from, to]: readonly [State | undefined, State | undefined],
): Promise<void> {
  await store.record(path, from);
  await put(path, to);
  await store.wrote(path, to);
}

verifies(
  "checkpoint:rewind",
  "200 random files get back their bytes, modes and absence, whichever node is rewound",
  async () => {
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(story, { minLength: FILES, maxLength: FILES }),
        fc.nat(NODES - 1),
        async (stories, target) => {
          runs += 1;
          await using dir = await tempDir();
          const work = dir.at("work");
          await mkdir(work);
          const files = stories.map(({ first, changes }, index) => ({
            path: join(work, `d${index % 7}`, `file ${index} é`),
            now: first,
            changes: changes.toSorted((a, b) => a.node - b.node),
          }));
          for (const { path, now } of files) await put(path, now);
          await using store = await openCheckpointStore(dir.at("store"), { roots: [work], disk: fastDisk });
          let expected = new Map<string, string>();
          for (let node = 0; node < NODES; node += 1) {
            if (node === target) expected = await snapshot(work);
            await store.beginNode(`n${node}`);
            await Promise.all(
              files.map(async (file) => {
                for (const { to } of file.changes.filter((one) => one.node === node)) {
                  await change(store, file.path, [file.now, to]);
                  file.now = to;
                }
              }),
            );
          }
          const report = await store.rewind(`n${target}`);
          expect(report).toMatchObject({ done: true, conflicts: [], skipped: [] });
          expect(await snapshot(work)).toEqual(expected);
        },
      ),
      { numRuns: atSize({ quick: 1, full: 25 }), endOnFailure: true },
    );
    recordFigure({
      what: "D16 rewind of random files",
      size: `${runs} × ${FILES} files in ${NODES} nodes`,
      found: "all restored byte for byte, with modes and absences",
    });
  },
  { only: ["linux", "darwin"], timeoutMs: atSize({ quick: 60_000, full: 20 * 60_000 }) },
);
