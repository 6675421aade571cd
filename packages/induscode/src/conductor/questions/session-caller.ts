import type { Caller } from "indusagi/runtime";
import type { Session, SessionUser } from "../contract.ts";

/** The caller for tools, prompts and resources: a server's questions go to the session's user. */
export function sessionCaller({ id }: Pick<Session, "id">, user: SessionUser | undefined): Caller {
  return { key: id, can: user?.can ?? {}, ...(user?.ask && { ask: user.ask.bind(user) }) };
}
