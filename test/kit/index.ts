export { type BuiltProgram, buildProgram } from "./build-program.ts";
export { callCounts } from "./call-counts.ts";
export { canMount } from "./can-mount.ts";
export { type Figure, recordFigure } from "./figures.ts";
export { freePort } from "./free-port.ts";
export { toolLookUps } from "./look-ups.ts";
export { type MachinePace, machinePace, type PaceLimits, spentMs } from "./machine-pace.ts";
export {
  type Definition,
  type DefinitionKind,
  HEALTHY,
  type Mutant,
  mutantsOf,
} from "./malformed-definitions.ts";
export { median } from "./median.ts";
export {
  type NatsNode,
  type NatsNodes,
  type NatsOptions,
  type NatsPlace,
  type NatsServer,
  natsServer,
  startNats,
  startNatsNodes,
} from "./nats-server.ts";
export { isRoot, ORDINARY_USER, runAsOrdinaryUser } from "./ordinary-user.ts";
export { atSize, isFullSize } from "./size.ts";
export { type TempDir, tempDir } from "./temp-dir.ts";
export { type VerifyOptions, verifies, verifiesTogether } from "./verifies.ts";
export { type DiskCall, unflushedDisk, wrapDisk } from "./wrapped-disk.ts";
