import { WINDOWS_HEADING } from "../nodes/platforms-page.ts";

/** What the program with the cases reports, one line of JSON each. */
export type CaseEvent =
  | { readonly kind: "machine"; readonly node: string; readonly system: string }
  | { readonly kind: "planned"; readonly id: string; readonly title: string }
  | { readonly kind: "begun"; readonly id: string }
  | CaseEnd;

/** How a case ended. */
export interface CaseEnd {
  readonly kind: "ended";
  readonly id: string;
  /** What does not hold. */
  readonly problem?: string | undefined;
  /** How a program on Node alone shows that the platform is at fault. */
  readonly cause?: string | undefined;
  /** Why it could not be run here. */
  readonly absent?: string | undefined;
}

export interface CaseResult extends Omit<CaseEnd, "kind"> {
  readonly title: string;
}

export interface WindowsRun {
  readonly node: string;
  /** `wine-8.0 (Debian …)`. Undefined on Windows itself. */
  readonly wine?: string | undefined;
  /** As Node names it. */
  readonly system: string;
  readonly date: string;
  readonly results: readonly CaseResult[];
}

/** The results of all planned cases. One that never ended, because its process did, failed. */
export function caseResults(events: readonly CaseEvent[]): CaseResult[] {
  return events.flatMap((event): CaseResult[] => {
    if (event.kind !== "planned") return [];
    const { id, title } = event;
    const ended = events.findLast((other) => other.kind === "ended" && other.id === id);
    if (ended?.kind !== "ended") return [{ id, title, problem: "its process ended or hung" }];
    const { problem, cause, absent } = ended;
    return [{ ...{ id, title }, ...{ problem, cause, absent } }];
  });
}

/** Ours is at fault: nothing shows that the platform is. */
export function isOurs({ problem, cause }: CaseResult): boolean {
  return problem !== undefined && cause === undefined;
}

/** The part of the page that `npm run test:windows` writes. */
export function writeWindowsSection(run: WindowsRun): string {
  const passed = run.results.filter(({ problem, absent }) => problem === undefined && absent === undefined);
  const absent = run.results.filter((result) => result.absent !== undefined);
  const theirs = run.results.filter((result) => result.problem !== undefined && !isOurs(result));
  const where =
    run.wine === undefined
      ? `on ${run.system}`
      : `under Wine (${run.wine}, which calls itself ${run.system})`;
  const counts = `${passed.length} of ${run.results.length} cases passed`;
  return [
    WINDOWS_HEADING,
    "",
    ...(run.wine === undefined
      ? []
      : [
          "Written by `npm run test:windows`, which runs real programs with the Windows build of Node under Wine. **Wine is not",
          "Windows**: a case that passes ran under Wine; nothing here was tested on Windows. On Windows the same command runs the",
          "same cases without Wine.",
          "",
        ]),
    `Last run: ${run.date}, Node ${run.node} ${where}. ${counts}${theirs.length > 0 ? `, ${theirs.length} failed because of ${run.wine === undefined ? "the system" : "Wine"}` : ""}${absent.length > 0 ? `, ${absent.length} not run` : ""}.`,
    "",
    "| case | what must hold | result |",
    "|---|---|---|",
    ...run.results.map((result) => `| ${result.id} | ${cell(result.title)} | ${shown(result, run)} |`),
    "",
    "What no case shows:",
    "",
    ...NOT_SHOWN.map((line) => `- ${line}`),
    "",
  ].join("\n");
}

const NOT_SHOWN = [
  "On Windows a tree is ended by `taskkill /T /F`. A program whose parent has ended already is not found. No well-kept library for Node offers job objects, which would find it.",
  "Neither owner nor permissions of the state folder are checked: it is in the profile, which Windows keeps private. Access lists are not read.",
  "A path that names a network share is refused before Windows asks its server for a login; a symbolic link in the project that leads to one is followed first. Windows lets only administrators and developer mode make links.",
  "Windows has no signals: who ends `indus serve`, a worker or the background gateway from outside kills it at once. `indus down` and the end of the input are the gentle ways. Ctrl-C at a terminal was not run.",
  "The named pipe of the background gateway has the access rights that Windows gives by default. What keeps other users out is its key, a file in the profile.",
  "On Windows neither the memory nor the processor time of other processes is read: `indus status` shows none, and programs of code mode have only the limits of QuickJS and of time.",
  "Commands of `cmd.exe` itself print in the code page of the console: characters outside ASCII can arrive as `\uFFFD`.",
  "Not run at all: the terminal of a session, the browser of a login, a model, and the install of the packages.",
  "There is no sandbox for commands. The checks of a path and its use are two steps, so a program that swaps a folder for a link in between is not noticed.",
] as const;

function shown(result: CaseResult, run: WindowsRun): string {
  if (result.absent !== undefined) return `not run: ${cell(result.absent)}`;
  if (result.problem === undefined) return run.wine === undefined ? "passed" : "passed under Wine";
  if (isOurs(result)) return `**FAILED**: ${cell(result.problem)}`;
  const who = run.wine === undefined ? "the system" : "Wine";
  return `fails because of ${who}, as a program on Node alone shows: ${cell(result.cause ?? "")}`;
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}
