// The echo server of the tests over HTTP, without a gateway in between.
import { serveHttp } from "../../test/servers/server.mjs";

process.stdout.write(`${(await serveHttp({ era: "legacy" })).url}\n`);
