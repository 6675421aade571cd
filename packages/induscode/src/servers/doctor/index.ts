export { doctorCode, showCheckup } from "./checkup.ts";
export { examineMachine, type MachineFacts, type PathRepair } from "./examine-machine.ts";
export { type Examination, examineServer, type ServerFacts } from "./examine-server.ts";
export type { Finding } from "./finding.ts";
export { type ServerReport, serverReport } from "./server-report.ts";
export {
  type KnownServer,
  type ServerRow,
  showKnownServers,
  showServers,
  showStatuses,
  showWatched,
} from "./server-tables.ts";
export { plainStatus, showLogin, shownWord, showStart, showStatusLine, showWaiting } from "./status.ts";
