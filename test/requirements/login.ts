/** Credentials of servers behind HTTP: tokens, logins, and where they may be sent. */
export const login = {
  "login:per-server": "the credentials of a server are asked for by its row and reach no other server",
  "login:resumes": "after a login, wherever it happens, the fleet takes the server up again by itself",
  "login:oauth":
    "a server that requires OAuth is discovered, registered with, logged in to with PKCE, and then called",
  "login:needed":
    "a process in the background opens no browser and registers nothing: it names the command that logs in",
  "login:renew":
    "an expired token is renewed before its use and a refused one after, once for all calls that need it",
  "login:refused-request":
    "a 401 or 403 of a call, a list, a read or a prompt names the login and the scopes that are missing, and does not say that the server could not be reached",
  "login:refused-once":
    "a refresh token that was refused is sent once, however many processes wait for it, until the next login",
  "login:keeps": "a renewal that fails never deletes credentials, and only a refused grant asks for a login",
  "login:step-up": "a 403 insufficient_scope is not final: a login with more scopes makes the call succeed",
  "login:machine":
    "client credentials and signed assertions get tokens from the configured issuer without a person",
  "login:status":
    "the status of a login has account, issuer and expiry and no token; a logout revokes and forgets it",
  "login:attacks":
    "a server cannot choose where credentials are sent or what is opened, and no false answer is believed",
  "login:addresses":
    "an address that a server names is public or of the class of the user's own URL, also after a redirect",
  "login:secrets": "no token, code or secret of a login is in logs, errors, status or ledger",
  "login:store": "logins are private files, replaced as a whole, one for each server, issuer and principal",
  "login:race": "of twelve processes with one expired token, one redeems it and the others adopt the result",
  "login:command":
    "mcp login and mcp logout log a user in and out, with a browser here or an address pasted from elsewhere",
  "login:callback":
    "the callback is on loopback, answers only the login that waits, keeps its registered port, and ends after its time",
  "login:browser": "a browser is opened only for http and https, and the URL is one argument of one program",
  "login:real-issuer":
    "a login works with an authorization server that others wrote, from registration to logout",
} as const;
