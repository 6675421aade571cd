import type { Run } from "../../../src/boot/internal.ts";
import type { SessionEvent, SessionUser } from "../../../src/conductor/index.ts";
import { openSession } from "../../../src/conductor/open/internal.ts";
import type { OpenSessionOptions } from "../../../src/conductor/open/open-session.ts";
import type { Invocation } from "../../../src/launch/index.ts";
import { EMPTY_INVOCATION } from "../../launch/empty-invocation.ts";

/** A user who refuses everything, except for what a test answers. */
export function testUser(answers: Partial<SessionUser> = {}): SessionUser {
  return {
    can: {},
    approve: async () => ({ allow: false }),
    approvePlan: async () => ({ approved: false }),
    ...answers,
  };
}

/** A session with what a test gives. */
export async function openTestSession(
  run: Run,
  {
    line = {},
    flags = {},
    ...options
  }: {
    readonly line?: Partial<Invocation>;
    readonly flags?: Partial<OpenSessionOptions["flags"]>;
  } & Partial<Omit<OpenSessionOptions, "flags">> = {},
) {
  const opened = await openSession(
    run,
    { ...EMPTY_INVOCATION, ...line },
    { flags: { allow: [], deny: [], noCompact: false, sandbox: "auto", ...flags }, ...options },
  );
  if (!opened) throw new Error("the session was not opened");
  const { session } = opened;
  const turn = async (text: string, signal?: AbortSignal): Promise<readonly SessionEvent[]> => {
    const events: SessionEvent[] = [];
    for await (const event of session.send(text, signal ? { signal } : {})) events.push(event);
    return events;
  };
  return { ...opened, turn };
}

/** The texts that the tools answered with, in order. */
export function answersIn(events: readonly SessionEvent[]): readonly string[] {
  return events.flatMap((event) =>
    event.kind === "entry" && event.entry.kind === "tool" ? [JSON.stringify(event.entry.content)] : [],
  );
}
