import fc from "fast-check";
import { isFullSize } from "./size.ts";

// The everyday run tries the same cases every time, so that a red build always means the change is at fault. The long
// run draws new ones; what it finds comes back here as a case of its own.
if (!isFullSize) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: 20_260_728 });
