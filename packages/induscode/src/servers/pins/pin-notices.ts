import { showName } from "indusagi/core";
import type { ServerConfig } from "indusagi/interop";
import type { DecisionRecord } from "../../deck/ledger-log/index.ts";
import { approveCommand } from "./approve-command.ts";
import type { PinSubject } from "./pin.ts";
import type { PinDecision } from "./review-pin.ts";

export interface NoticeOptions {
  readonly report?: (message: string) => void;
  readonly record?: (decisions: readonly DecisionRecord[]) => void;
  readonly cwd?: string;
  readonly words?: readonly string[] | undefined;
}

interface Reviewed {
  readonly decisions: readonly PinDecision[];
  readonly at: string;
  /** Why it is withheld. Absent if it is not. */
  readonly withheld?: string | undefined;
}

interface Decided {
  readonly name: string;
  readonly decision: PinDecision;
  readonly at: string;
}

/** The notices of one listing. */
export interface ListingNotice {
  reviewed(name: string, result: Reviewed): void;
  /** For a server whose stored pins cannot be used. */
  unusable(name: string, problem: string): void;
  /** Reports and records. Returns the message for each withheld name. */
  send(): ReadonlyMap<string, string>;
}

/** Turns decisions into lines for the user and events for the ledger. Each line is reported once per run. */
export class PinNotices {
  readonly #options: NoticeOptions;
  readonly #reported = new Set<string>();

  constructor(options: NoticeOptions) {
    this.#options = options;
  }

  of(config: ServerConfig, subject: PinSubject): ListingNotice {
    const { record, cwd, words } = this.#options;
    const server = config.id;
    const withheld = new Map<string, string>();
    const decided: Decided[] = [];
    let problem: string | undefined;
    return {
      reviewed: (name, { decisions, at, withheld: why }) => {
        for (const decision of decisions) decided.push({ name, decision, at });
        if (why === undefined) return;
        const command = approveCommand({ server, subject, name, cwd, words });
        withheld.set(
          name,
          `${shown(server, subject, name)} is quarantined: ${why}. To see and approve the change: ${command}`,
        );
      },
      unusable: (name, why) => {
        const isWithheld = (config.pin ?? "hold") !== "warn";
        const rest = `${why}. To accept what the server offers now: ${approveCommand({ server, all: true, cwd, words })}`;
        problem = `the tools of server "${showName(server)}" are ${isWithheld ? "quarantined" : "not compared"}: ${rest}`;
        if (isWithheld) withheld.set(name, `${shown(server, subject, name)} is quarantined: ${rest}`);
      },
      send: () => {
        const records = decided.map((each) => recordOf(server, subject, each));
        if (records.length > 0) record?.(records);
        if (problem === undefined) for (const message of withheld.values()) this.#once(message);
        else this.#once(problem);
        for (const message of this.#changed(server, subject, decided)) this.#once(message);
        return withheld;
      },
    };
  }

  #changed(server: string, subject: PinSubject, decided: readonly Decided[]): string[] {
    const adopted = decided
      .filter(({ decision }) => decision.op === "adopt" && !decision.isQuiet)
      .map(
        ({ name, decision }) =>
          `${shown(server, subject, name)} changed, and the new form is used: ${decision.reason}`,
      );
    const held = decided.filter(({ decision }) => decision.op === "hold" && !decision.isQuiet);
    if (held.length === 0) return adopted;
    const { cwd, words } = this.#options;
    const command = approveCommand({ server, cwd, words });
    const names = held.map(({ name }) => name);
    const what = subject === "instructions" ? "its instructions" : counted(subject, names);
    return [
      ...adopted,
      `server "${showName(server)}" changed the text of ${what}; the approved text stays in use. To see and approve the change: ${command}`,
    ];
  }

  #once(message: string): void {
    if (this.#reported.has(message)) return;
    this.#reported.add(message);
    this.#options.report?.(message);
  }
}

function recordOf(server: string, subject: PinSubject, { name, decision, at }: Decided): DecisionRecord {
  const { op, before, after, difference, reason } = decision;
  return {
    op,
    server,
    tool: name,
    ...(subject === "tool" ? {} : { subject }),
    at,
    before,
    after,
    difference,
    reason,
  };
}

function shown(server: string, subject: PinSubject, name: string): string {
  const owner = `server "${showName(server)}"`;
  if (subject === "instructions") return `the instructions text of ${owner}`;
  return `${subject} ${JSON.stringify(showName(name))} of ${owner}`;
}

const MAX_NAMES = 3;

function counted(subject: PinSubject, names: readonly string[]): string {
  const first = names.slice(0, MAX_NAMES).map((name) => JSON.stringify(showName(name)));
  if (names.length === 1) return `${subject} ${first[0]}`;
  const rest = names.length > MAX_NAMES ? `, …` : "";
  return `${names.length} ${subject}s (${first.join(", ")}${rest})`;
}
