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
export {
  createPolicy,
  type Policy,
  PolicyError,
  type PolicyErrorKind,
  type PolicyOptions,
} from "./gate/create-policy.ts";
export type { EffectOf } from "./gate/examine-call.ts";
export {
  type ApprovalAnswer,
  type ApprovalQuestion,
  type Approver,
  type GateOptions,
  gate,
} from "./gate/gate.ts";
export type { LocatedPath } from "./paths/locate.ts";
export type { ProtectedPaths } from "./paths/protected-paths.ts";
export { type ParsedRule, parseRule, type Rule, type RuleVerdict } from "./rules/rule.ts";
export type { RuleSet } from "./rules/rule-set.ts";
export type { ToolIdentity, ToolPattern, WrittenReading } from "./rules/tool-pattern.ts";
