import { createHash } from "node:crypto";
import { createReadStream, readFileSync } from "node:fs";
import { rename, rm, writeFile } from "node:fs/promises";
import { makeLocalContext, writeTool } from "indusagi/capabilities";
import { textResult } from "indusagi/runtime";
import {
  type Capability,
  CheckpointError,
  CheckpointingCard,
  type DiskCheckpointStore,
  openCheckpointStore,
  type RewindReport,
} from "induscode/deck";
import { watchedDisk } from "./rewind-site.ts";
import { callContext, cardOf } from "./tool-cards.ts";

/** The task of the program: JSON on its standard input. */
export type CheckpointTask =
  /** Rewinds node `n`, and kills itself before the change with this number. */
  | { readonly do: "rewind"; readonly session: string; readonly killAt: number }
  /** Writes files through the tool until one is refused, removes `filler`, and rewinds. */
  | { readonly do: "fill"; readonly prefix: string; readonly files: number; readonly filler?: string }
  /** Replaces a large file, and rewinds. */
  | { readonly do: "large"; readonly path: string };

export interface CheckpointPlaces {
  readonly folder: string;
  readonly work: string;
}

/** Its output: one JSON value. */
export interface CheckpointOutcome {
  readonly written?: number;
  readonly refused?: string;
  readonly done?: boolean;
  readonly hash?: string;
  readonly maxRssMiB?: number;
}

const task = JSON.parse(readFileSync(0, "utf8")) as CheckpointTask & CheckpointPlaces;
const { folder, work } = task;
process.stdout.write(JSON.stringify(await outcomeOf(task)));

function outcomeOf(given: CheckpointTask): Promise<CheckpointOutcome> {
  if (given.do === "rewind") return rewind(given.session, given.killAt);
  return given.do === "fill" ? fill(given) : large(given.path);
}

async function rewind(session: string, killAt: number): Promise<CheckpointOutcome> {
  let left = killAt;
  const disk = watchedDisk(() => {
    if (left === 0) process.kill(process.pid, "SIGKILL");
    left -= 1;
  });
  await using store = await openCheckpointStore(folder, { roots: [work], session, disk });
  return { done: (await store.rewind("n", { force: true })).done };
}

async function fill({ prefix, files, filler }: CheckpointTask & { do: "fill" }): Promise<CheckpointOutcome> {
  await using store = await openCheckpointStore(folder, { roots: [work] });
  await using session = makeLocalContext(work);
  const card = new CheckpointingCard(cardOf(writeTool()), store);
  await store.beginNode("n");
  let written = 0;
  let refused: string | undefined;
  for (; written < files; written += 1) {
    const input = { path: `${prefix}${written}`, content: `new ${written}` };
    const { isError, content } = await card.run(input, callContext(session, input));
    if (!isError) continue;
    refused = JSON.stringify(content);
    break;
  }
  if (filler !== undefined) await rm(filler);
  const { done } = await rewindInTurn(store);
  return { written, done, ...(refused === undefined ? {} : { refused }) };
}

/** Waits while another process rewinds. */
async function rewindInTurn(store: DiskCheckpointStore): Promise<RewindReport> {
  for (;;) {
    try {
      return await store.rewind("n");
    } catch (thrown) {
      if (!(thrown instanceof CheckpointError) || thrown.kind !== "locked") throw thrown;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

async function large(path: string): Promise<CheckpointOutcome> {
  await using store = await openCheckpointStore(folder, { roots: [work], maxBytes: 1 });
  await using session = makeLocalContext(work);
  // The native tools refuse files of this size, so a tool of our own replaces it.
  const replace: Capability = {
    ...cardOf(writeTool()),
    run: async () => {
      await writeFile(`${path}.new`, "small");
      await rename(`${path}.new`, path);
      return textResult("replaced");
    },
  };
  const input = { path };
  await new CheckpointingCard(replace, store).run(input, callContext(session, input));
  const small = readFileSync(path, "utf8");
  const [node] = store.nodes;
  const { done } = await store.rewind(node?.id ?? "");
  const maxRssMiB = process.resourceUsage().maxRSS / 1024;
  const hash = createHash("sha256");
  for await (const piece of createReadStream(path)) hash.update(piece as Buffer);
  return { done: done && small === "small", hash: hash.digest("hex"), maxRssMiB };
}
