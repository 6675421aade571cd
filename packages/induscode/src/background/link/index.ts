// Node's modules only: the thin client of `indus serve --stdio` loads no more than this room.

export { type Ask, readAsk } from "./ask.ts";
export { clientPlace, containerOf, ENDED_BY_USER } from "./client-words.ts";
export { type Dialled, dial, livePlace, type NotDialled } from "./dial.ts";
export { controlLine, LineCutter, readControl, readObject } from "./lines.ts";
export {
  buildOf,
  clearPlace,
  type GatewayPlace,
  gatewayFolders,
  gatewayPlaces,
  KEY_BYTES,
  makePlace,
  placeProblem,
} from "./place.ts";
export { freshNonce, isNonce, isProof, proofOf } from "./proof.ts";
