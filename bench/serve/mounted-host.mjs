// The library's gateway in one process: a mounted server behind a host over HTTP, with room for many sessions of one user.
//   node mounted-host.mjs COMMAND ARGUMENT …
import { createProviderHost, mountProtocolBridge, serveHttp } from "indusagi/interop";

const [command, ...args] = process.argv.slice(2);
const { box } = await mountProtocolBridge({ servers: [{ kind: "stdio", id: "s0", command, args }] });
const limits = { sessions: 1100, sessionsPerPrincipal: 1100 };
const { url } = await serveHttp(createProviderHost(box), { port: 0, limits });
process.stdout.write(`${url}\n`);
