import { type BridgeConfig, mountProtocolBridge } from "indusagi/interop";

// Mounts the servers of the configuration in its argument, prints "ready", and runs until it is killed.
const config = JSON.parse(process.argv[2] ?? "{}") as BridgeConfig;
await mountProtocolBridge(config, { waitMs: 1500 });
process.stdout.write("ready\n");
setInterval(() => {}, 1000);
