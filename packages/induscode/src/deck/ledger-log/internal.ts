// Not exported from the package: what other logs are built from.

export { systemRefusal } from "./ledger-log-error.ts";
export { fileOf, readLogBytes, writeLogBytes } from "./log-disk.ts";
export { EntryFormat } from "./record/format-entries.ts";
export { formatLogRecord, MAX_BODY_BYTES } from "./record/log-record.ts";
export { recordBlocks } from "./record/record-blocks.ts";
export { LOG_VERSION } from "./record/record-body.ts";
export { bodyId } from "./record/stored-body.ts";
export { scanRecords } from "./scan-records.ts";
export { AppendQueue } from "./segment/append-queue.ts";
export { isSegmentId, lockSegment, segmentPath } from "./segment/ledger-segments.ts";
export { bodyIds, findBodies, knownBodies, referredBodies } from "./segment/segment-bodies.ts";
