// For the rooms of this package only. Heavy parts are loaded when they are called.
import type * as instances from "./running-instances.ts";
import type * as serving from "./serve-instance.ts";

export { findGateways, hereIs, userPlaces } from "./find-gateways.ts";

export const runningInstances: typeof instances.runningInstances = async (...given) =>
  (await import("./running-instances.ts")).runningInstances(...given);

export const serveInstance: typeof serving.serveInstance = async (...given) =>
  (await import("./serve-instance.ts")).serveInstance(...given);
