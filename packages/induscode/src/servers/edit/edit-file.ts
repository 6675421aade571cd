import { editConfigFile, readConfigText } from "indusagi/config";
import { CoreError, withFileLock } from "indusagi/core";
import { textDifference } from "../../deck/ledger/index.ts";
import { keepBackup } from "../../state/index.ts";

/** An edited file. */
export interface FileEdit {
  /** The file itself, after following links. */
  readonly path: string;
  /** Absent: there was no file. */
  readonly before?: string | undefined;
  readonly after: string;
  readonly isChanged: boolean;
  /** The lines that differ, each with `- ` or `+ ` in front. */
  readonly difference: string;
  /** The copy of the file before the change. Absent if there was no file, or nothing changed. */
  readonly backup?: string | undefined;
}

export interface FileEditOptions {
  /** False: compute the change but write nothing. Default true. */
  readonly write?: boolean;
}

/** How long a command waits for another one that edits. */
const LOCK_MS = 5_000;

/**
 * Changes a file in one step, after keeping a copy of it below `root`. Only one of our commands edits at a time. Rejects and
 * changes nothing if another program changed the file meanwhile.
 */
export async function editFile(
  path: string,
  edit: (text: string | undefined) => string | Promise<string>,
  { root, write = true }: FileEditOptions & { readonly root: string },
): Promise<FileEdit> {
  return withFileLock({ folder: root, name: "edit" }, { waitMs: LOCK_MS }, async () => {
    const reading = readConfigText(path);
    const seen = "text" in reading ? reading.text : undefined;
    // Problems of the file, such as its size, are reported by `editConfigFile` below.
    const wanted = "text" in reading || reading.isAbsent ? await edit(seen) : "";
    let backup: string | undefined;
    const { before, ...edited } = editConfigFile(
      path,
      (text) => {
        if (text !== seen) throw changedMeanwhile(path);
        return wanted;
      },
      {
        write,
        backUp: (file) => {
          if (file.before !== undefined) backup = keepBackup(root, file.path, file.before);
        },
      },
    );
    return {
      ...edited,
      before,
      backup,
      isChanged: before !== edited.after,
      difference: textDifference(before ?? "", edited.after),
    };
  });
}

function changedMeanwhile(path: string): CoreError {
  return new CoreError("changed", `${path} was changed by another program just now; try again`);
}
