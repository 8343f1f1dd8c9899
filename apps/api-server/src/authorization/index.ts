export { deny } from "./denial.ts";
export { assertAllowed, nothingElse } from "./assert-allowed.ts";
export { createAuthorizer } from "./create-authorizer.ts";
export { bootstrapPolicy } from "./bootstrap/bootstrap-policy.ts";
export { maySign } from "./may-sign.ts";
export { checkNodeRestriction as nodeRestriction } from "./node-restriction/node-restriction.ts";
export { checkOwnerReferences as ownerReferencesPermission } from "./owner-references-permission.ts";
export { checkPolicyParameters as policyParameters } from "./policy-parameters.ts";
export { checkRoleEscalation as roleEscalation } from "./rbac/role-escalation.ts";
