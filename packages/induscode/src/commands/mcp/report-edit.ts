import type { PlainRow } from "indusagi/config";
import { escapeForDisplay } from "indusagi/core";
import type { Run } from "../../boot/internal.ts";
import { showDifference } from "../../screen/index.ts";
import { clientById } from "../../servers/clients/index.ts";
import type { Edits, FileEdit } from "../../servers/internal.ts";

/** Prints what was done to which file, and where the backup is. */
export function printEdit(
  { terminal }: Run,
  done: string,
  { path, backup }: Pick<FileEdit, "path" | "backup">,
): void {
  const copy = backup === undefined ? "" : ` (backup: ${backup})`;
  terminal.out(`${escapeForDisplay(`${done} ${path}${copy}`)}\n`);
}

/** Prints the change of a file that is not written, without the secrets of these rows. Returns the exit code. */
export async function showPreview(
  { terminal, report }: Run,
  { path, difference }: Pick<FileEdit, "path" | "difference">,
  rows: readonly PlainRow[],
): Promise<number> {
  const { hiding } = await import("./show-launch.ts");
  const hidden = rows.reduce((text: string, row) => hiding(row)(text), difference);
  terminal.out(showDifference(hidden, terminal.outLook));
  report(`nothing was written to ${path}; run it without --dry-run to write it`);
  return 0;
}

/**
 * Reports which clients keep the tools they have, and how to restart each. A running `indus serve` reads the change itself and
 * tells its client, so those that then list the tools again are not named. Returns whether any client is connected.
 */
export async function reportConnectedClients({ report }: Run, edits: Edits): Promise<boolean> {
  const files = await edits.readClients();
  const connected = files.filter(({ servers }) =>
    servers.some(({ isGateway, row }) => isGateway && row["enabled"] !== false),
  );
  for (const id of new Set(connected.map(({ client }) => client))) {
    const client = clientById(id);
    if (client && !client.followsChanges)
      report(`${client.title} is connected to indus; for it to see the change, ${client.restart}`);
  }
  return connected.length > 0;
}
