import type { Caller } from "indusagi/runtime";
import type { Session, SessionUser } from "../index.ts";

/** The caller for prompts and resources: the server's questions go to the session's user. */
export function sessionCaller({ id }: Pick<Session, "id">, user: SessionUser): Caller {
  return { key: id, can: user.can, ...(user.ask && { ask: user.ask.bind(user) }) };
}
