import { editConfigValues, type PlainRow } from "indusagi/config";
import { CoreError, isRecord } from "indusagi/core";
import type { Client, ClientPlace } from "./client.ts";
import { readRoot } from "./read-client.ts";
import { editTomlRow } from "./toml-text.ts";

/** One row of a client's file to set, or to remove if `row` is absent. */
export interface ClientEdit {
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
