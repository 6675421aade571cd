import { editConfigValues, type PlainRow, readConfigText } from "indusagi/config";
import { CoreError, isRecord } from "indusagi/core";
import type { Client, ClientPlace, ClientScope, ClientWorld } from "./client.ts";
import type { ClientServer, FileObject } from "./client-server.ts";
import { GATEWAY_NAME, type GatewayLaunch, gatewayRow, isGateway } from "./gateway-row.ts";
import { readRoot, rowsAt } from "./read-client.ts";
import { editTomlRow } from "./toml-text.ts";

/** A place to write to, with the client. */
export interface WritePlace {
  readonly client: Client;
  readonly place: ClientPlace;
}

/** The file of a client to write: of several alternatives the one that exists. Undefined if the client has none of this scope. */
export function writePlace(client: Client, world: ClientWorld, scope: ClientScope): WritePlace | undefined {
  const places = client.places(world).filter((place) => place.scope === scope && !place.isOnlyRead);
  const existing = places.find(({ file }) => !("isAbsent" in readConfigText(file)));
  const place = existing ?? places[0];
  return place && { client, place };
}

/** The text of a client's file with our gateway and without the moved servers. */
export async function connectedText(
  text: string | undefined,
  at: WritePlace,
  { launch, moved = [] }: { readonly launch: GatewayLaunch; readonly moved?: readonly ClientServer[] },
): Promise<string> {
  const present = await rowIn(text, at, GATEWAY_NAME);
  if (present !== undefined && !isGateway(present))
    throw new CoreError(
      "taken",
      `${at.place.file} has another server named "${GATEWAY_NAME}"; rename it first`,
    );
  const removals = moved.map(({ name }): ClientEdit => ({ name }));
  return editClientText(text, at, [...removals, { name: GATEWAY_NAME, row: gatewayRow(at.client, launch) }]);
}

/** The text of a client's file without our gateway and with the moved rows restored, in the client's own form. */
export async function disconnectedText(
  text: string | undefined,
  at: WritePlace,
  returned: readonly Required<ClientEdit>[] = [],
): Promise<string> {
  const present = await rowIn(text, at, GATEWAY_NAME);
  const removal = present && isGateway(present) ? [{ name: GATEWAY_NAME }] : [];
  const missing: ClientEdit[] = [];
  for (const edit of returned) if ((await rowIn(text, at, edit.name)) === undefined) missing.push(edit);
  return editClientText(text, at, [...removal, ...missing]);
}

/** A row of a client's file, as written there. */
export async function rowIn(
  text: string | undefined,
  { client, place }: WritePlace,
  name: string,
): Promise<FileObject | undefined> {
  const root = await readRoot(text ?? "", client.format);
  if ("problem" in root) return undefined;
  return rowsAt(root.value, place.container).find(([each]) => each === name)?.[1];
}

/** One row of a client's file to set, or to remove if `row` is absent. */
interface ClientEdit {
  readonly name: string;
  readonly row?: PlainRow;
}

/**
 * Edits the text of a client's file and leaves everything else as it is. Rejects if the file is malformed or cannot be
 * changed safely; the message names the file and what to do.
 */
export async function editClientText(
  text: string | undefined,
  { client, place }: { readonly client: Client; readonly place: ClientPlace },
  edits: readonly ClientEdit[],
): Promise<string> {
  let edited = text ?? "";
  const { file, container } = place;
  if (client.format === "toml") {
    for (const { name, row } of edits) {
      const next = await editTomlRow(edited, { table: String(container[0]), name, row });
      if (next === undefined) throw uneditable(file);
      edited = next;
    }
    return edited;
  }
  if (edited.trim() === "") edited = "{}\n";
  const base = await deeperContainer(edited, place);
  return editConfigValues(
    edited,
    edits.map(({ name, row }) => ({ path: [...base, name], value: row })),
    file,
  );
}

function uneditable(file: string): CoreError {
  const message = `${file} is malformed, or has its servers in a form that cannot be changed line by line; edit it by hand`;
  return new CoreError("uneditable", message);
}

/** Newer opencode files have their rows in `mcp.servers`. */
async function deeperContainer(text: string, { container }: ClientPlace): Promise<ClientPlace["container"]> {
  if (container.length !== 1 || container[0] !== "mcp") return container;
  const root = await readRoot(text, "json");
  const mcp = "value" in root ? root.value["mcp"] : undefined;
  const deeper = isRecord(mcp) ? mcp["servers"] : undefined;
  return isRecord(deeper) && typeof deeper["type"] !== "string" ? [...container, "servers"] : container;
}
