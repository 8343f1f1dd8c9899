export { createAuthorizer } from "./authorizer.ts";
export { bootstrapPolicy } from "./bootstrap/bootstrap-policy.ts";
export { deny } from "./denial.ts";
export { checkNodeRestriction as nodeRestriction } from "./node-restriction.ts";
export { checkOwnerReferences as ownerReferencesPermission } from "./owner-references-permission.ts";
export { checkRoleEscalation as roleEscalation } from "./role-escalation.ts";
