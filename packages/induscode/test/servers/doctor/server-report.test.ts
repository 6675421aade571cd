import { verifies } from "@indus/testkit";
import { type EndpointPhase, type EndpointStatus, ProtocolFault, type ServerState } from "indusagi/interop";
import { expect } from "vitest";
import { type ServerReport, serverReport } from "../../../src/servers/doctor/index.ts";

const PHASES = ["idle", "connecting", "ready", "closing", "closed", "faulted"] as const;
type States = ServerState | "-";

/** The standing for each state, or none, in the order of `PHASES`. Some combinations never occur. */
const STANDINGS: { readonly [state in States]: string } = {
  "-": "starting starting usable closed closed down",
  slow: "starting starting usable closed closed down",
  queued: "starting starting usable closed closed restarting",
  installing: "starting starting usable closed closed restarting",
  restarting: "starting starting usable closed closed restarting",
  dormant: "usable usable usable usable usable usable",
  tripped: "down down down down down down",
  needs_login: "needs_login needs_login needs_login needs_login needs_login needs_login",
  untrusted: "untrusted untrusted untrusted untrusted untrusted untrusted",
  disabled: "disabled disabled disabled disabled disabled disabled",
};

interface Case {
  readonly status: EndpointStatus;
  readonly expected: string;
}

function* cases(): Iterable<Case> {
  for (const [state, line] of Object.entries(STANDINGS))
    for (const [at, phase] of PHASES.entries())
      for (const toolCount of [0, 3])
        for (const listFailure of [undefined, "the database is locked"]) {
          const standing = line.split(" ")[at] ?? "";
          const isUnlisted =
            standing === "usable" && state !== "dormant" && toolCount === 0 && listFailure !== undefined;
          yield {
            status: {
              server: "s",
              phase: phase satisfies EndpointPhase,
              toolCount,
              ...(state !== "-" && { state: state as ServerState }),
              ...(listFailure !== undefined && { listFailure }),
            },
            expected: isUnlisted ? "unlisted" : standing,
          };
        }
}

verifies("report:standing", "each phase, state, number of tools and failed listing has one standing", () => {
  let count = 0;
  for (const { status, expected } of cases()) {
    const { standing, isUsable, isStarting, isDown, needsUser, hasFailed } = serverReport(status);
    const label = JSON.stringify(status);
    expect(standing, label).toBe(expected);
    expect({ isUsable, isStarting, isDown, needsUser }, label).toEqual({
      isUsable: expected === "usable",
      isStarting: expected === "starting",
      isDown: expected === "down" || expected === "unlisted",
      needsUser: expected === "needs_login" || expected === "untrusted",
    });
    expect(hasFailed, label).toBe(!["usable", "starting", "disabled"].includes(expected));
    count += 1;
  }
  expect(count).toBe(240);
});

const report = (status: Partial<EndpointStatus>): ServerReport =>
  serverReport({ server: "s", phase: "ready", toolCount: 0, ...status });

verifies(
  "report:standing",
  "a failed listing counts while no tool is known; otherwise it is a warning",
  () => {
    const listFailure = "the database is locked";
    const of = (status: Partial<EndpointStatus>): unknown[] => {
      const { state, isConnected, isOutdated, mayBeListing } = report(status);
      return [state, isConnected, isOutdated, mayBeListing];
    };
    expect(of({})).toEqual(["ready", true, false, true]);
    expect(of({ listFailure })).toEqual(["list failed", true, false, false]);
    expect(of({ listFailure, state: "slow" })).toEqual(["list failed", true, false, false]);
    expect(of({ listFailure, toolCount: 3 })).toEqual(["ready", true, true, false]);
    expect(of({ phase: "faulted", listFailure })).toEqual(["faulted", false, false, false]);
    expect(of({ phase: "idle", state: "dormant" })).toEqual(["dormant", false, false, false]);
  },
);

verifies("report:standing", "the reason, the remedy and the command", () => {
  const of = (status: Partial<EndpointStatus>): unknown[] => {
    const { reason, remedy, summary, command } = report({ server: "my notes", ...status });
    return [reason, remedy, summary, command.join(" ")];
  };
  const fault = new ProtocolFault("spawn_failed", "there is\nno npx");
  expect(of({ phase: "faulted", fault, summary: "no npx; install it", remedy: "install it" })).toEqual([
    "there is no npx",
    "install it",
    "no npx; install it",
    "indus mcp doctor my notes",
  ]);
  expect(of({ listFailure: "locked", summary: "locked; see its output", remedy: "see its output" })).toEqual([
    "locked",
    "see its output",
    "locked; see its output",
    "indus mcp doctor my notes",
  ]);
  expect(of({ phase: "closed" })).toEqual([
    'server "my notes" is not connected',
    "see indus mcp log 'my notes'",
    'server "my notes" is not connected',
    "indus mcp doctor my notes",
  ]);
  expect(of({ state: "needs_login", phase: "faulted", summary: "401" }).slice(1)).toEqual([
    `indus mcp login 'my notes', or correct its "headers"`,
    "401",
    "indus mcp login my notes",
  ]);
  const login = new ProtocolFault("transport", "401", { login: "indus mcp login x --scope y" });
  expect(of({ state: "needs_login", phase: "faulted", fault: login })[1]).toBe("indus mcp login x --scope y");
  expect(of({ state: "untrusted", phase: "faulted" }).slice(1)).toEqual([
    "look at its launch and approve it: indus mcp trust 'my notes'",
    'server "my notes" is not connected',
    "indus mcp trust my notes",
  ]);
  expect(of({ state: "disabled", phase: "idle" })[1]).toBe("indus mcp enable 'my notes'");
  const isForbidden = (reason: string): boolean =>
    report({ phase: "faulted", fault: new ProtocolFault("not_connected", "no", { reason }) }).isForbidden;
  expect(["untrusted", "unsupported", "auth"].map(isForbidden)).toEqual([true, true, false]);
});
