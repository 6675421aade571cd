// The rows of a configuration file, with a line for each problem. Nothing is started.
// #region read-config
import { resolve } from "node:path";
import { loadServerConfigs } from "indusagi/config";

const file = resolve("servers.example.json");
const { servers, diagnostics } = loadServerConfigs({ places: [{ scope: "explicit", file }] });
for (const { config } of servers) console.log(config.id, config.kind, config.enabled ?? true);
for (const { line, message } of diagnostics) console.log(`line ${line}: ${message}`);
// #endregion

if (servers.length !== 4 || diagnostics.length > 0) throw new Error("the example expected four good rows");
