import { unlinkSync } from "node:fs";
import { editServerRow, readConfigText, writtenRows } from "indusagi/config";
import { canonicalJson } from "indusagi/core";
import type { Edits, Run } from "../../boot/internal.ts";
import { disconnectedText, isGateway, rowIn, type WritePlace } from "../../clients/index.ts";
import type { ConnectRequest } from "../../launch/internal.ts";
import { showDifference } from "../../screen/index.ts";
import { hiding } from "../edit/rows/hide-secrets.ts";
import { tellEdit } from "../edit/tell-edit.ts";
import { type ConnectionRecord, readRecord, removeRecord, textHash } from "./connection-record.ts";

/**
 * `indus connect --undo`: a file without other changes is restored byte for byte. In any other, our row is
 * taken out and moved servers are put back.
 */
export async function disconnect(
  run: Run,
  edits: Edits,
  at: WritePlace,
  { dryRun }: ConnectRequest,
): Promise<number> {
  const { client, place } = at;
  const record = readRecord(edits.root, place.file);
  const reading = readConfigText(place.file);
  const text = "text" in reading ? reading.text : undefined;
  const present = await rowIn(text, at, "indus");
  if (!record && !(present && isGateway(present))) {
    run.report(`${client.title} is not connected in ${place.file}; there is nothing to take back`);
    return 1;
  }
  const isUntouched = record !== undefined && text !== undefined && record.after === textHash(text);
  const original = isUntouched ? originalText(record) : undefined;
  const edit = await edits.editFile(
    place.file,
    (now) => original ?? disconnectedText(now, at, record?.moved ?? []),
    { write: !dryRun },
  );
  const hide = (text: string): string =>
    (record?.moved ?? []).reduce((hidden, { ours, row }) => hiding(ours ?? row)(hidden), text);
  run.terminal.out(showDifference(hide(edit.difference), run.terminal.outLook));
  if (dryRun) {
    run.report(`nothing was written to ${edit.path}; leave --dry-run out to write it`);
    return 0;
  }
  if (isUntouched && record.backup === null) unlinkSync(edit.path);
  if (record) await takeBack(run, edits, record);
  removeRecord(edits.root, place.file);
  tellEdit(run, `disconnected ${client.title}, in`, edit);
  run.report(
    client.followsFile ? `${client.title} reads its file by itself` : `to apply it, ${client.restart}`,
  );
  return 0;
}

/** The text before we were in the file. Undefined if its copy is gone, or if there was no file. */
function originalText({ backup }: ConnectionRecord): string | undefined {
  if (backup === null || backup === undefined) return undefined;
  const reading = readConfigText(backup);
  return "text" in reading ? reading.text : undefined;
}

/** Removes the moved servers from our file, unless their rows were changed there. */
async function takeBack(run: Run, edits: Edits, { moved, ourFile }: ConnectionRecord): Promise<void> {
  const reading = ourFile === undefined ? undefined : readConfigText(ourFile);
  if (ourFile === undefined || reading === undefined || "problem" in reading) return;
  const rows = new Map(writtenRows(reading.text).map(({ name, row }) => [name, row]));
  const ours = moved.filter(({ as }) => as !== undefined && rows.has(as));
  const same = ours.filter(({ as = "", ours: row }) => canonicalJson(rows.get(as)) === canonicalJson(row));
  for (const { as } of ours.filter((server) => !same.includes(server)))
    run.report(`server ${JSON.stringify(as)} stays in ${ourFile}: it was changed there`);
  if (same.length === 0) return;
  const edit = await edits.editFile(ourFile, (text = "{}") =>
    same.reduce(
      (edited, { as = "" }) => editServerRow(edited, { name: as, change: { remove: true }, file: ourFile }),
      text,
    ),
  );
  tellEdit(run, `took ${same.map(({ as }) => as).join(", ")} back from`, edit);
}
