import { escapeForDisplay } from "indusagi/core";
import type { Run } from "../../boot/internal.ts";
import { clientById } from "../../servers/clients/index.ts";
import type { Edits, FileEdit } from "../../servers/internal.ts";

/** Prints what was done to which file, and where the copy of the file before is. */
export function tellEdit({ terminal }: Run, done: string, { path, backup }: FileEdit): void {
  const copy = backup === undefined ? "" : ` (copy of the file before: ${backup})`;
  terminal.out(`${escapeForDisplay(`${done} ${path}${copy}`)}\n`);
}

/** Reports which clients run an `indus serve` that has read the old configuration, and how to make them start a new one. */
export async function tellClients({ report }: Run, edits: Edits): Promise<void> {
  const files = await edits.readClients();
  const connected = files.filter(({ servers }) =>
    servers.some(({ isGateway, row }) => isGateway && row["enabled"] !== false),
  );
  for (const id of new Set(connected.map(({ client }) => client))) {
    const client = clientById(id);
    if (client) report(`${client.title} is connected to indus; to let it see the change, ${client.restart}`);
  }
}
