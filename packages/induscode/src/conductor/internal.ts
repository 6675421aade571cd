// For the rooms of this package only.
export { isSessionId, sessionNamed, sessionsIn } from "./transcript/find-session.ts";
export { type SavedSession, savedSessions } from "./transcript/saved-sessions.ts";
