export { examineMachine, type MachineFacts, type PathRepair } from "./examine-machine.ts";
export { examineServer, type ServerFacts, type ServerReport, type Verdict } from "./examine-server.ts";
export { type DoctorCode, doctorCode } from "./exit-code.ts";
export type { Finding, Health } from "./finding.ts";
