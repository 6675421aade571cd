export { examineMachine, type MachineFacts, type PathRepair } from "./examine-machine.ts";
export { type Examination, examineServer, type ServerFacts, type Verdict } from "./examine-server.ts";
export { type DoctorCode, doctorCode } from "./exit-code.ts";
export type { Finding, Health } from "./finding.ts";
export { LIST_FAILED, type ServerReport, serverReport } from "./server-report.ts";
