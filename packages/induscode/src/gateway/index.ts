export { askClient } from "./ask-client.ts";
export { listingPatienceMs } from "./client-patience.ts";
export { EMPTY_PROVIDERS } from "./empty-providers.ts";
export { type HttpTransport, listen, madeToken, prepareHttp } from "./listen.ts";
export { type OfferedBoxOptions, offeredBox, type ToolsMode } from "./offered-box.ts";
export { type PaceOptions, pacedBox } from "./paced-box.ts";
export { type PatientBoxOptions, patientBox } from "./patient-box.ts";
export { parseRoutePath, type Route, routePath } from "./routes/route.ts";
export { type ToolCost, toolCost } from "./tool-cost.ts";
