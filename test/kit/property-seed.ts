import fc from "fast-check";
import { isFullSize } from "./size.ts";

// `npm test` tries the same cases every time, so that a failure is always caused by the change. `npm run faults` tries
// new ones; a case that fails there is added as a test.
if (!isFullSize) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: 20_260_728 });
