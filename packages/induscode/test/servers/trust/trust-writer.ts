// Approves twenty servers: node trust-writer STATE-FOLDER NAME
import { openTrustStore } from "../../../src/servers/trust/index.ts";

const [, , stateFolder = "", name = ""] = process.argv;
const store = openTrustStore(stateFolder);
for (let n = 0; n < 20; n++) store.approve(`${name}${n}`, "a".repeat(32));
