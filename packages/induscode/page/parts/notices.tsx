import { signal } from "@preact/signals";
import type { JSX } from "preact";
import type { Done } from "../../src/console/contract.ts";
import { messageOf, RequestError } from "../request.ts";
import { Said } from "../text.tsx";
import { Command } from "./command.tsx";

interface Notice {
  readonly id: number;
  readonly level: "good" | "bad";
  readonly text: string;
  readonly remedy?: string | undefined;
  readonly command?: string | undefined;
}

const MAX_NOTICES = 4;
/** A failure stays until it is dismissed. */
const SHOWN_MS = 12_000;

const notices = signal<readonly Notice[]>([]);
let last = 0;

/** Does what a person asked for, and says how it went, with the command that does the same. */
export async function act<Answer extends Partial<Done>>(
  done: string,
  work: () => Promise<Answer>,
): Promise<Answer | undefined> {
  try {
    const answer = await work();
    const said = (answer.messages ?? []).join("\n");
    add({ level: "good", text: said === "" ? done : said, command: answer.command });
    return answer;
  } catch (error) {
    complain(error);
    return undefined;
  }
}

export function complain(error: unknown): void {
  add({
    level: "bad",
    text: messageOf(error),
    remedy: error instanceof RequestError ? error.remedy : undefined,
  });
}

function add(notice: Omit<Notice, "id">): void {
  const id = ++last;
  notices.value = [...notices.value, { ...notice, id }].slice(-MAX_NOTICES);
  if (notice.level === "good") setTimeout(() => dismiss(id), SHOWN_MS);
}

function dismiss(id: number): void {
  notices.value = notices.value.filter((notice) => notice.id !== id);
}

/** Read out as they come. They cover nothing that was there before. */
export function Notices(): JSX.Element {
  return (
    <div class="notices" role="status" aria-live="polite">
      {notices.value.map(({ id, level, text, remedy, command }) => (
        <div key={id} class={`notice ${level}`}>
          <div class="notice-text">
            <Said lines>{text}</Said>
            {remedy !== undefined && (
              <p class="muted">
                <Said>{remedy}</Said>
              </p>
            )}
            {command !== undefined && <Command line={command} />}
          </div>
          <button type="button" class="quiet" aria-label="Dismiss" onClick={() => dismiss(id)}>
            ✕
          </button>
        </div>
      ))}
    </div>
  );
}
