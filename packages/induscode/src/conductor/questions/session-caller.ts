import { folderRoots } from "indusagi/interop";
import type { Caller } from "indusagi/runtime";
import type { Session, SessionUser } from "../contract.ts";

/** The caller for tools, prompts and resources: a server's questions go to the session's user. Without one, only the folder is known. */
export function sessionCaller(
  { id, cwd }: Pick<Session, "id" | "cwd">,
  user: SessionUser | undefined,
): Caller {
  return { key: id, ...(user?.ask ? { can: user.can, ask: user.ask.bind(user) } : folderRoots(cwd)) };
}
