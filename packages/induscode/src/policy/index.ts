export { type CommandPlace, readerProblem } from "./commands/plain-reader.ts";
export type { CallEffect, CommandLine } from "./decide/call-effect.ts";
export {
  type DecidedBy,
  type Decision,
  decide,
  POLICY_MODES,
  type PolicyMode,
  type PolicyRules,
} from "./decide/decide.ts";
export type { ApprovalAnswer, ApprovalQuestion, Approver } from "./gate/approval.ts";
export { createPolicy, type Policy, type PolicyOptions } from "./gate/create-policy.ts";
export type { EffectOf } from "./gate/examine-call.ts";
export { type GateOptions, gate } from "./gate/gate.ts";
export { PolicyError, type PolicyErrorKind } from "./gate/policy-error.ts";
export type { LocatedPath } from "./paths/locate.ts";
export type { ProtectedPaths } from "./paths/protected-paths.ts";
export { type ParsedRule, parseRule, type Rule, type RuleVerdict } from "./rules/rule.ts";
export type { RuleSet } from "./rules/rule-set.ts";
export type { ToolIdentity, ToolPattern, WrittenReading } from "./rules/tool-pattern.ts";
