import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { inParallel } from "../fleet/in-parallel.ts";
import { endMarked } from "../fleet/processes.ts";
import { type StepVerdict, verdictsOf } from "./compare/verdict.ts";
import { type Door, type DoorOptions, type Gateway, OWN_NAMES } from "./doors/gateway.ts";
import type { Subject } from "./doors/subject.ts";
import { messageOf, type Observed, observe } from "./observe.ts";
import type { Era } from "./wire/session.ts";

/** One server through one door of one gateway, for clients of one era. */
export interface Cell {
  readonly gateway: string;
  readonly door: string;
  readonly subject: Pick<Subject, "name" | "server" | "era" | "transport">;
  readonly clientEra: Era;
  readonly verdicts: readonly StepVerdict[];
  /** Why no client of this era could connect. */
  readonly failure?: string;
}

export interface CellOptions {
  readonly gateways: readonly Gateway[];
  readonly subjects: readonly Subject[];
  readonly mark: string;
  /** A folder for what the gateways write. Its path is short, because some of them have sockets in it. */
  readonly folder: string;
  readonly atOnce: number;
  readonly print: (line: string) => void;
}

interface Job {
  readonly gateway: Gateway;
  readonly door: Door;
  readonly subject: Subject;
  readonly clientEra: Era;
}

/** Uses every server twice without a gateway, then through every door in both eras. */
export async function observeCells(options: CellOptions): Promise<readonly Cell[]> {
  const { subjects, gateways, atOnce, print } = options;
  const direct = new Map<Subject, readonly [Observed, Observed]>();
  await inParallel(subjects, atOnce, async (subject) => {
    const run = (): Promise<Observed> => observeDirect(subject, options);
    const both = [await run(), await run()] as const;
    for (const observed of both)
      if ("failure" in observed)
        throw new Error(`${subject.name} cannot be used without a gateway: ${observed.failure}`);
    direct.set(subject, both);
  });
  const jobs = gateways.flatMap((gateway) =>
    subjects
      .filter(({ transport }) => gateway.reaches.includes(transport))
      .flatMap((subject) =>
        gateway.doors.flatMap((door) =>
          (["legacy", "modern"] as const).map((clientEra) => ({ gateway, door, subject, clientEra })),
        ),
      ),
  );
  const cells: Cell[] = [];
  await inParallel([...jobs.entries()], atOnce, async ([at, job]) => {
    const folder = join(options.folder, String(at));
    const through = await observeThrough(job, { mark: `${options.mark}-${at}.`, folder });
    const cell = cellOf(job, direct.get(job.subject), through);
    cells[at] = cell;
    const wrong = cell.verdicts.filter(({ kind }) => kind === "different").length;
    const { gateway, door, subject, clientEra } = cell;
    print(
      `${gateway} ${door}, ${subject.name}, ${clientEra} client: ${cell.failure ?? `${wrong} different`}`,
    );
  });
  return cells;
}

async function observeDirect(subject: Subject, { mark }: CellOptions): Promise<Observed> {
  const own = `${mark}-direct-${Math.random()}.`;
  try {
    const { plan, era } = subject;
    await using opened = await subject.start(own);
    return await observe(opened.target, { era, plan, names: OWN_NAMES });
  } catch (thrown) {
    return { failure: messageOf(thrown) };
  } finally {
    endMarked(own);
  }
}

async function observeThrough(
  { door, subject, clientEra }: Job,
  { mark, folder }: DoorOptions,
): Promise<Observed> {
  mkdirSync(folder, { recursive: true });
  try {
    await using server = await subject.start(mark);
    await using opened = await door.open(server.target, { mark, folder });
    return await observe(opened.target, { era: clientEra, plan: subject.plan, names: door.names });
  } catch (thrown) {
    return { failure: messageOf(thrown) };
  } finally {
    endMarked(mark);
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

function cellOf(
  { gateway, door, subject, clientEra }: Job,
  direct: readonly [Observed, Observed] = [{ failure: "" }, { failure: "" }],
  through: Observed,
): Cell {
  const { name, server, era, transport, plan } = subject;
  const place = { gateway: gateway.name, server, isOwn: door.isOwn, clientEra, serverEra: era };
  return {
    gateway: gateway.name,
    door: door.name,
    subject: { name, server, era, transport },
    clientEra,
    verdicts: verdictsOf({ plan, direct, through, place }),
    ...("failure" in through ? { failure: through.failure } : {}),
  };
}
