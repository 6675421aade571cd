import type { PlainRow } from "indusagi/config";
import type { Run } from "../../boot/internal.ts";
import {
  type ClientFile,
  type ImportStep,
  type InputQuestion,
  renameInputs,
} from "../../servers/clients/index.ts";
import type { Edits } from "../../servers/internal.ts";

export interface ImportedRow {
  readonly name: string;
  readonly row: PlainRow;
}

/**
 * The rows to write, with the ids under which the answers to their `${input:…}` are stored. Each question of a file is asked
 * only once, ever. A row with an unanswered question is skipped and reported.
 */
export async function answerInputs(
  run: Run,
  { inputs }: Edits,
  {
    adding,
    files,
  }: {
    readonly adding: readonly Extract<ImportStep, { readonly action: "add" }>[];
    readonly files: readonly ClientFile[];
  },
): Promise<{ readonly rows: readonly ImportedRow[]; readonly isComplete: boolean }> {
  const rows: ImportedRow[] = [];
  for (const { server, as } of adding) {
    const { file } = server;
    const names = new Map<string, string>();
    for (const id of server.inputs) {
      const known = inputs.idOf({ file, id });
      const value = known === undefined ? await answerTo(run, questionOf(files, file, id)) : undefined;
      const kept = known ?? (value === undefined ? undefined : await inputs.keep({ file, id }, value));
      if (kept !== undefined) names.set(id, kept);
    }
    const open = server.inputs.filter((id) => !names.has(id));
    if (open.length === 0) rows.push({ name: as, row: renameInputs(server.row, names) as PlainRow });
    else
      run.report(
        `server ${JSON.stringify(as)} is skipped: it needs a value for ${open.join(", ")}; import it from a terminal`,
      );
  }
  return { rows, isComplete: rows.length === adding.length };
}

function questionOf(files: readonly ClientFile[], file: string, id: string): InputQuestion {
  const known = files.filter((each) => each.file === file).flatMap(({ inputs }) => inputs);
  return known.find((question) => question.id === id) ?? { id, description: id, isSecret: true };
}

async function answerTo(run: Run, question: InputQuestion): Promise<string | undefined> {
  const { description, isSecret, options, default: preset } = question;
  const choices = options ? ` (${options.join(", ")})` : "";
  const shown = preset === undefined ? "" : ` [${preset}]`;
  const answer = await run.ask(`${description}${choices}${shown}: `, { isSecret });
  if (answer === undefined) return undefined;
  const value = answer.trim() === "" && preset !== undefined ? preset : answer.trim();
  if (value === "" || (options && !options.includes(value))) return undefined;
  return value;
}
