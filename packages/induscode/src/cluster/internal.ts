// For the rooms of this package only. Loaded by `--cluster` and the commands of a cluster, and by nothing else.
export { checkCluster, findNode, readBucket, requireFlushed } from "./check-cluster.ts";
export { connectCluster, patiently } from "./connect-cluster.ts";
export { Bucket, StateKey, subjects } from "./contract.ts";
export { joinAsGateway } from "./join-as-gateway.ts";
export { parseNode, parseOwner } from "./mirror.ts";
export { clusterRows } from "./rows.ts";
export { runWorker } from "./run-worker.ts";
export { setUpCluster } from "./set-up-cluster.ts";
export { openSharedAudit } from "./shared-audit.ts";
export { inCluster, writeState } from "./shared-state.ts";
