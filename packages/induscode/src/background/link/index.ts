// Node's modules only: the thin client of `indus serve --stdio` loads no more than this room.

export { type Ask, readAsk, type Screen } from "./ask.ts";
export { clientPlace, containerOf, ENDED_BY_USER, isInOurTree, isSharingOff } from "./client-words.ts";
export { type Dialled, dial, livePlace, type NotDialled } from "./dial.ts";
export { controlLine, LineCutter, LineWriter, readControl, readObject } from "./lines.ts";
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
