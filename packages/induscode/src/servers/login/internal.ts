export { createServerLogins, type ServerLogins } from "./server-logins.ts";
