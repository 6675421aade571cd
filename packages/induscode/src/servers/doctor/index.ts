export { showCheckup } from "./checkup.ts";
export { examineMachine, type MachineFacts, type PathRepair } from "./examine-machine.ts";
export { type Examination, examineServer, type ServerFacts } from "./examine-server.ts";
export { doctorCode } from "./exit-code.ts";
export type { Finding } from "./finding.ts";
export { type KnownServer, showKnownServers } from "./known-servers.ts";
export { type ServerReport, serverReport } from "./server-report.ts";
export { type ServerRow, showServers } from "./server-table.ts";
export {
  plainStatus,
  showLogin,
  showStart,
  showStatuses,
  showStatusLine,
  showWaiting,
  showWatched,
} from "./status.ts";
