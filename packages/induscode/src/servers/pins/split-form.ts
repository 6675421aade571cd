import { isRecord } from "indusagi/core";
import type { ToolSelfDescription } from "../../deck/ledger/index.ts";
import { replaceTexts } from "./schema-texts.ts";

/** A form in two parts: its texts, and everything else. */
export interface SplitForm {
  /** Texts by their place in the form. */
  readonly texts: ReadonlyMap<string, unknown>;
  /** The form without its texts. */
  readonly structure: ToolSelfDescription;
}

export function splitForm(form: ToolSelfDescription): SplitForm {
  const texts = new Map<string, unknown>();
  const structure = replaceFormTexts(form, (path, text) => {
    texts.set(path, text);
    return undefined;
  });
  return { texts, structure };
}

/** A copy of a form with its texts replaced; `undefined` removes one. */
export function replaceFormTexts(
  form: ToolSelfDescription,
  replace: (path: string, text: unknown) => unknown,
): ToolSelfDescription {
  const { title, description, annotations, inputSchema, outputSchema } = form;
  const shown = (path: string, text: unknown): unknown =>
    text === undefined ? undefined : replace(path, text);
  const schema = (part: string, value: unknown): unknown =>
    replaceTexts(value, { text: (path, text) => replace(`${part}${path}`, text) });
  return {
    title: shown("title", title),
    description: shown("description", description),
    annotations: isRecord(annotations)
      ? withoutUndefined({ ...annotations, title: shown("annotations/title", annotations["title"]) })
      : annotations,
    inputSchema: schema("inputSchema", inputSchema),
    outputSchema: schema("outputSchema", outputSchema),
  };
}

/** An empty object counts as absent: some servers send it for tools without annotations. */
function withoutUndefined(members: { readonly [name: string]: unknown }): unknown {
  const kept = Object.entries(members).filter(([, value]) => value !== undefined);
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

/** The seen form with the approved text wherever both have one. */
export function withApprovedTexts(
  approved: ToolSelfDescription,
  seen: ToolSelfDescription,
): ToolSelfDescription {
  const { texts } = splitForm(approved);
  return replaceFormTexts(seen, (path, text) => texts.get(path) ?? text);
}
