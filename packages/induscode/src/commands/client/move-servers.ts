import { type PlainRow, readConfigText } from "indusagi/config";
import type { Edits, Run } from "../../boot/internal.ts";
import {
  type ClientServer,
  type ImportStep,
  planImport,
  rowIn,
  type WritePlace,
} from "../../clients/index.ts";
import { answerInputs } from "../edit/answer-inputs.ts";
import { ownServers, withRows } from "../edit/rows/own-rows.ts";
import { approveRows } from "../edit/rows/row-launch.ts";
import { targetFile } from "../edit/rows/target-row.ts";
import { tellEdit } from "../edit/tell-edit.ts";
import type { MovedServer } from "./connection-record.ts";

/** The servers that leave a client's file. */
export interface Moving {
  readonly servers: readonly ClientServer[];
  readonly moved: readonly MovedServer[];
  /** False if a server stays because a question about it was not answered. */
  readonly isComplete: boolean;
  readonly ourFile?: string;
}

/** Copies the servers of a client's file into ours. They are in ours before they leave the client's. */
export async function moveServers(
  run: Run,
  edits: Edits,
  { at, write }: { readonly at: WritePlace; readonly write: boolean },
): Promise<Moving> {
  const { client, place } = at;
  const files = await edits.readClients([client.id]);
  const own = files.filter(({ file, scope }) => file === place.file && scope === place.scope);
  const steps = planImport(
    own.flatMap(({ servers }) => servers),
    ownServers(run),
  );
  for (const step of steps)
    if (step.action === "skip") run.report(`server ${JSON.stringify(step.server.name)} stays: ${step.why}`);
  const adding = steps.filter((step) => step.action === "add");
  const target = targetFile(run, { scope: place.scope === "project" ? "project" : "user" });
  if (!target) return { servers: [], moved: [], isComplete: false };
  const answered = write
    ? await answerInputs(run, edits, { adding, files })
    : { rows: adding.map(({ server, as }) => ({ name: as, row: server.row })), isComplete: true };
  if (write && answered.rows.length > 0) {
    const edit = await edits.editFile(target.file, (text) => withRows(text, answered.rows, target.file));
    const names = answered.rows.map(({ name }) => name);
    if (target.scope === "project") await approveRows(run, edit.after, { file: target.file, names });
    tellEdit(run, `moved ${names.join(", ")} to`, edit);
  }
  const leaving = steps.flatMap((step) => leavingServer(step, answered.rows));
  const moved = await Promise.all(
    leaving.map(async ({ server, ...ours }) => ({
      name: server.name,
      row: (await rowIn(textIn(place.file), at, server.name)) ?? server.row,
      ...ours,
    })),
  );
  return {
    servers: leaving.map(({ server }) => server),
    moved,
    isComplete: answered.isComplete,
    ourFile: target.file,
  };
}

function textIn(file: string): string | undefined {
  const reading = readConfigText(file);
  return "text" in reading ? reading.text : undefined;
}

interface Leaving {
  readonly server: ClientServer;
  readonly as?: string;
  readonly ours?: PlainRow;
}

/** A server that we had before leaves the file too, without a row of ours that could be taken back. */
function leavingServer(
  step: ImportStep,
  rows: readonly { readonly name: string; readonly row: PlainRow }[],
): Leaving[] {
  if (step.action === "skip") return [];
  if (step.action === "same") return [{ server: step.server }];
  const row = rows.find(({ name }) => name === step.as);
  return row ? [{ server: step.server, as: row.name, ours: row.row }] : [];
}
