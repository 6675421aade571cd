// Not exported from the package: what other logs are built from.
export { readLogBytes, writeLogBytes } from "./disk/full-io.ts";
export { fileOf } from "./disk/log-disk.ts";
export { systemRefusal } from "./ledger-log-error.ts";
export { formatLogRecord, MAX_BODY_BYTES } from "./record/log-record.ts";
export { recordBlocks } from "./record/record-blocks.ts";
export { bodyId } from "./record/stored-body.ts";
export { scanRecords } from "./scan-records.ts";
export { AppendQueue } from "./segment/append-queue.ts";
export { isSegmentId } from "./segment/ledger-segments.ts";
export { lockSegment } from "./segment/segment-lock.ts";
