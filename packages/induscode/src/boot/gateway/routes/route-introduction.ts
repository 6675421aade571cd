import type { HostIntroduction } from "indusagi/interop";
import type { Route } from "../../../gateway/index.ts";
import type { OpenServers } from "../../servers/open-servers.ts";

/** How a gateway presents itself on the route of one server: as that server does. Undefined for other routes. */
export function routeIntroduction(
  route: Route,
  servers: Pick<OpenServers, "introductionOf">,
): HostIntroduction | undefined {
  const said = route.kind === "server" ? servers.introductionOf(route.id) : undefined;
  if (route.kind !== "server" || !said) return undefined;
  const { serverInfo = {}, capabilities, instructions } = said;
  const { name, version, ...others } = serverInfo;
  return {
    capabilities,
    info: {
      // Clients need both, and some servers do not send them.
      name: typeof name === "string" ? name : route.id,
      version: typeof version === "string" ? version : "",
      ...others,
      ...(instructions === undefined ? {} : { instructions }),
    },
  };
}
