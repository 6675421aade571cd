/** Credentials of servers behind HTTP: tokens, logins, and where they may be sent. */
export const login = {
  "login:per-server": "the credentials of a server are asked for by its row and reach no other server",
  "login:resumes": "after a login, wherever it happens, the fleet takes the server up again by itself",
} as const;
