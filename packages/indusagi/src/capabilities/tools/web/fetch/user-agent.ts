import { PACKAGE_VERSION } from "../../../../core/internal.ts";

/** What every request of ours says it is. */
export const USER_AGENT: string = `indusagi/${PACKAGE_VERSION}`;
