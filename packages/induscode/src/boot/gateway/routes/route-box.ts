import type { BoxSource } from "indusagi/interop";
import type { ToolBox } from "indusagi/runtime";
import {
  type CallObserver,
  observedBox,
  offeredBox,
  type PaceOptions,
  type PatientBoxOptions,
  type Previews,
  pacedBox,
  patientBox,
  type Route,
  type ToolsMode,
} from "../../../gateway/index.ts";
import type { LiveProfiles } from "./live-profiles.ts";
import { type LiveParts, routeView } from "./route-view.ts";

export interface RouteBoxOptions extends LiveParts {
  /** How calls of tools wait that are not there yet. */
  readonly patience: PatientBoxOptions;
  /** How often clients are told about changes while servers start. */
  readonly pace: PaceOptions;
  /** How tools are listed where neither the token nor a profile says anything else. */
  readonly listing: ToolsMode;
  /** How tools are listed to the clients of a token. Absent: it does not say. */
  readonly tokenListing: ToolsMode | undefined;
  /** Previews of large results. Absent: every result is sent whole. */
  readonly previews: Previews | undefined;
  /** Gets each call when it has ended. */
  readonly observe: CallObserver;
}

/** What the clients of a route are offered of a box. */
export function routeBox(box: ToolBox, route: Route, options: RouteBoxOptions): BoxSource {
  const { patience, pace, listing, tokenListing, profiles, observe, previews } = options;
  const whole = observedBox(patientBox(routeView(box, route, options), patience), observe);
  const patient = previews?.shorten(whole) ?? whole;
  const finish = (each: ToolBox): ToolBox => {
    const paced = pacedBox(each, pace);
    return previews?.withReader(paced) ?? paced;
  };
  // Outside the gate, so that the policy decides about the tool that is called.
  const offer = (mode: ToolsMode): BoxSource => offeredBox(patient, { mode, finish });
  // The definitions of one server stay as they are.
  if (route.kind === "server") return offer("all");
  if (tokenListing) return offer(tokenListing);
  if (route.kind === "profile") return followingMode(() => modeOf(route.name, profiles) ?? listing, offer);
  return offer(listing);
}

function modeOf(name: string, profiles: LiveProfiles): ToolsMode | undefined {
  return profiles.find(name)?.listing;
}

/** The mode may change; a client keeps the one that it began with. */
function followingMode(mode: () => ToolsMode, offer: (mode: ToolsMode) => BoxSource): BoxSource {
  const offers = new Map<ToolsMode, BoxSource>();
  return (client) => {
    const now = mode();
    const offered = offers.get(now) ?? offer(now);
    offers.set(now, offered);
    return typeof offered === "function" ? offered(client) : offered;
  };
}
