import { launchHash, readConfigText, type TextReading } from "indusagi/config";
import { describeError, escapeForDisplay } from "indusagi/core";
import type { Run } from "../../boot/internal.ts";
import { CLIENT_WORDS, type CommandSpec, JSON_OUTPUT, YES } from "../../launch/internal.ts";
import { showJson, showTable, suggestion } from "../../screen/index.ts";
import {
  CLIENT_IDS,
  type ClientFile,
  type ClientId,
  clientById,
  type ImportStep,
  planImport,
} from "../../servers/clients/index.ts";
import { type Edits, openEdits } from "../../servers/internal.ts";
import { answerInputs } from "./answer-inputs.ts";
import { confirmed } from "./confirmed.ts";
import { type EditTarget, TARGET_FLAGS, targetFile, withTarget } from "./edit-target.ts";
import { printEdit, reportConnectedClients } from "./report-edit.ts";
import { approveRows, ownServers, withRows } from "./row-launch.ts";
import { hiding } from "./show-launch.ts";

interface ImportRequest {
  readonly target: EditTarget;
  /** Ids of clients. Empty: all. */
  readonly clients: readonly string[];
  readonly yes: boolean;
  readonly json: boolean;
}

export const MCP_IMPORT: CommandSpec<ImportRequest> = {
  name: "mcp import",
  group: "everyday",
  operands: "[CLIENT …]",
  choices: CLIENT_WORDS,
  summary:
    "List the servers of other MCP clients and copy them into your file, after a confirmation or with --yes. Their files are not changed.",
  flags: [YES, JSON_OUTPUT, ...TARGET_FLAGS],
  examples: ["indus mcp import", "indus mcp import cursor codex --yes"],
  read: (flags) =>
    withTarget(flags, (target) => ({
      target,
      clients: [...flags.operands, ...flags.afterEnd],
      yes: flags.has("--yes"),
      json: flags.has("--json"),
    })),
};

/** Claude Code keeps project history in the same file as its servers: files of 65 MB have been seen. */
const MAX_CLIENT_BYTES = 128 * 1024 * 1024;

const readText = (file: string): TextReading => readConfigText(file, { maxBytes: MAX_CLIENT_BYTES });

/** `indus mcp import`: lists the servers of other clients, and copies them into a file of ours. */
export async function importServers(run: Run, request: ImportRequest): Promise<number> {
  const ids = await knownClients(run, request.clients);
  const place = ids && targetFile(run, request.target);
  if (!ids || !place) return 2;
  try {
    const edits = await openEdits(run);
    const files = await edits.readClients(ids, readText);
    const problems = files.map(({ file, problem }) => problem !== undefined && `${file} ${problem}`);
    // One file may hold servers in several places.
    for (const problem of new Set(problems)) if (problem) run.report(problem);
    const steps = planImport(
      files.flatMap(({ servers }) => servers),
      ownServers(run),
    );
    showPlan(run, steps, request.json);
    const adding = steps.filter((step) => step.action === "add");
    // A program that reads the list cannot answer a question.
    if (adding.length === 0 || (request.json && !request.yes)) return 0;
    const question = `Add ${adding.length === 1 ? "this server" : `these ${adding.length} servers`} to ${place.file}?`;
    if (!request.yes && !(await confirmed(run, question))) return run.signal.aborted ? 1 : 0;
    return await writeRows(run, edits, { adding, files, place });
  } catch (thrown) {
    run.report(describeError(thrown));
    return 1;
  }
}

async function knownClients(run: Run, given: readonly string[]): Promise<readonly ClientId[] | undefined> {
  const unknown = given.find((word) => clientById(word) === undefined);
  if (unknown !== undefined) {
    const hint = await suggestion(unknown, CLIENT_IDS, `the clients are ${CLIENT_IDS.join(", ")}`);
    run.report(`there is no client named ${JSON.stringify(unknown)}; ${hint}`);
    return undefined;
  }
  return given.length === 0 ? CLIENT_IDS : CLIENT_IDS.filter((id) => given.includes(id));
}

function showPlan({ terminal }: Run, steps: readonly ImportStep[], json: boolean): void {
  if (json) {
    const plain = steps.map(({ server, ...step }) => {
      const { client, scope, file, name, written, notes } = server;
      const launch = written === undefined ? {} : { launch: launchHash(written) };
      return { client, scope, file, name, notes, ...step, ...launch };
    });
    terminal.out(showJson(plain));
    return;
  }
  if (steps.length === 0) {
    terminal.out("no other client has servers here\n");
    return;
  }
  for (const file of new Set(steps.map(({ server }) => server.file))) {
    const ofFile = steps.filter(({ server }) => server.file === file);
    const { client, scope } = ofFile[0]?.server ?? {};
    const title = clientById(client ?? "")?.title ?? "";
    terminal.out(`${escapeForDisplay(`${title} (${scope}): ${file}`)}\n`);
    const rows = ofFile.map((step) =>
      [step.server.name, wordOf(step), noteOf(step)].map((cell) => escapeForDisplay(cell)),
    );
    terminal.out(`${showTable([["SERVER", "IMPORT", "NOTE"], ...rows], terminal.outLook ?? {})}\n`);
  }
}

function wordOf(step: ImportStep): string {
  if (step.action !== "add") return "no";
  return step.as === step.server.name ? "yes" : `as ${step.as}`;
}

/** The command or URL, without secrets; or why it is not imported. */
function noteOf(step: ImportStep): string {
  if (step.action === "skip") return step.why;
  if (step.action === "same") return `the same as ${step.as}`;
  const { written = {}, notes, row } = step.server;
  const { command, args = [], url } = written;
  const start = hiding(written)(url ?? [command ?? "-", ...args].join(" "));
  return [start, ...(row["enabled"] === false ? ["disabled"] : []), ...notes].join("; ");
}

interface Writing {
  readonly adding: readonly Extract<ImportStep, { readonly action: "add" }>[];
  readonly files: readonly ClientFile[];
  readonly place: NonNullable<ReturnType<typeof targetFile>>;
}

async function writeRows(run: Run, edits: Edits, { adding, files, place }: Writing): Promise<number> {
  const { rows, isComplete } = await answerInputs(run, edits, { adding, files });
  if (rows.length === 0) return isComplete ? 0 : 1;
  const edit = await edits.editFile(place.file, (text) => withRows(text, rows, place.file));
  const names = rows.map(({ name }) => name);
  if (place.scope === "project") await approveRows(run, edit.after, { file: place.file, names });
  printEdit(run, `added ${rows.length === 1 ? "server" : "servers"} ${names.join(", ")} to`, edit);
  await reportConnectedClients(run, edits);
  return isComplete ? 0 : 1;
}
