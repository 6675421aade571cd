import { agent } from "./agent.ts";
import { background } from "./background.ts";
import { cards } from "./cards.ts";
import { catalogue } from "./catalogue.ts";
import { checkpoint } from "./checkpoint.ts";
import { clients } from "./clients.ts";
import { cluster } from "./cluster.ts";
import { command } from "./command.ts";
import { commandEdit } from "./command-edit.ts";
import { config } from "./config.ts";
import { consoleServer } from "./console.ts";
import { consolePage } from "./console-page.ts";
import { core } from "./core.ts";
import { deck } from "./deck.ts";
import { diagnose } from "./diagnose.ts";
import { economy } from "./economy.ts";
import { facade } from "./facade.ts";
import { facadeClient } from "./facade-client.ts";
import { faultsBridge } from "./faults-bridge.ts";
import { files } from "./files.ts";
import { fleet } from "./fleet.ts";
import { fleetRun } from "./fleet-run.ts";
import { gatewayProof } from "./gateway-proof.ts";
import { gatewayRoutes } from "./gateway-routes.ts";
import { gatewayTeam } from "./gateway-team.ts";
import { host } from "./host.ts";
import { hostThreats } from "./host-threats.ts";
import { house } from "./house.ts";
import { interop } from "./interop.ts";
import { kernel } from "./kernel.ts";
import { lane } from "./lane.ts";
import { ledger } from "./ledger.ts";
import { listings } from "./listings.ts";
import { login } from "./login.ts";
import { look } from "./look.ts";
import { models } from "./models.ts";
import { pins } from "./pins.ts";
import { policy } from "./policy.ts";
import { extensions, relay } from "./relay.ts";
import { sandbox } from "./sandbox.ts";
import { schemas } from "./schemas.ts";
import { sdkSeams } from "./sdk-seams.ts";
import { search } from "./search.ts";
import { secrets } from "./secrets.ts";
import { serverLog } from "./server-log.ts";
import { session } from "./session.ts";
import { settings } from "./settings.ts";
import { shell } from "./shell.ts";
import { skills } from "./skills.ts";
import { state } from "./state.ts";
import { terminal } from "./terminal.ts";
import { trust } from "./trust.ts";
import { web } from "./web.ts";

/** Every behaviour we promise, as data: id → the sentence a test proves. */
export const requirements = {
  ...agent,
  ...background,
  ...checkpoint,
  ...catalogue,
  ...config,
  ...cards,
  ...clients,
  ...cluster,
  ...command,
  ...commandEdit,
  ...consolePage,
  ...consoleServer,
  ...core,
  ...deck,
  ...diagnose,
  ...economy,
  ...facade,
  ...facadeClient,
  ...faultsBridge,
  ...files,
  ...fleet,
  ...fleetRun,
  ...gatewayRoutes,
  ...gatewayTeam,
  ...gatewayProof,
  ...host,
  ...hostThreats,
  ...house,
  ...interop,
  ...kernel,
  ...lane,
  ...ledger,
  ...models,
  ...listings,
  ...login,
  ...look,
  ...pins,
  ...policy,
  ...extensions,
  ...relay,
  ...sandbox,
  ...schemas,
  ...sdkSeams,
  ...search,
  ...secrets,
  ...serverLog,
  ...session,
  ...settings,
  ...shell,
  ...skills,
  ...state,
  ...terminal,
  ...trust,
  ...web,
} as const;

export type RequirementId = keyof typeof requirements;
