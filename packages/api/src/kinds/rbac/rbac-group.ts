export * from "./role-binding/role-binding-kinds.ts";
export * from "./role-binding/role-binding-types.ts";
export * from "./role-binding/role-binding.ts";
export * from "./role/role-kinds.ts";
export * from "./role/role-types.ts";
export * from "./role/role.ts";
export { eventsPolicyRule, namedPolicyRule, policyRule } from "./write-rule.ts";
