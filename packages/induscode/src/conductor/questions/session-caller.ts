import type { Caller } from "indusagi/runtime";
import type { Session, SessionUser } from "../index.ts";

/** Who asks a server for a prompt or a resource: its questions go to the user of the session. */
export function sessionCaller({ id }: Pick<Session, "id">, user: SessionUser): Caller {
  return { key: id, can: user.can, ...(user.ask && { ask: user.ask.bind(user) }) };
}
