import { definedMembers } from "../../core/internal.ts";
import { ConfigError } from "../config-error.ts";
import { readConfigText } from "../places/read-config-text.ts";
import { quoted } from "../report.ts";
import { type ConfigTarget, configTarget, saveConfigText, saveError } from "./config-target.ts";

/** The texts of a file before and after an edit. */
export interface EditedFile {
  /** The file itself: links are followed. */
  readonly path: string;
  /** Absent: there was no file. */
  readonly before?: string;
  readonly after: string;
}

export interface EditFileOptions {
  /** Called before the file is replaced, to keep a copy of it. If it throws, nothing is changed. */
  readonly backUp?: (file: EditedFile) => void;
  /** False only computes the texts, as a dry run. Default true. */
  readonly write?: boolean;
}

/**
 * Replaces the text of a file in one step, keeping its mode. `edit` gets the current text, `undefined` if there is no file.
 * Nothing is written if the text stays the same. Throws a `ConfigError` if the edit is refused; then nothing has changed.
 */
export function editConfigFile(
  path: string,
  edit: (text: string | undefined) => string,
  { backUp, write = true }: EditFileOptions = {},
): EditedFile {
  try {
    const target = configTarget(path);
    const before = target.existing ? currentText(path, target) : undefined;
    const after = edit(before);
    const edited: EditedFile = definedMembers({ path: target.path, after, before });
    if (!write || after === before) return edited;
    backUp?.(edited);
    saveConfigText(target, after);
    return edited;
  } catch (thrown) {
    throw saveError(path, thrown);
  }
}

function currentText(path: string, target: ConfigTarget): string {
  const reading = readConfigText(target.path);
  if ("text" in reading) return reading.text;
  throw new ConfigError("unwritable", path, `${quoted(path)} ${reading.problem}`);
}
