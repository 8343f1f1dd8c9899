import { fileSetting } from "./file-setting.ts";

export const auditPolicySetting = fileSetting({
  name: "auditPolicy",
  stored: "auditPolicyFile",
  noun: "audit policy",
  help: "file with the policy of the audit log (audit.k8s.io/v1), which is audit.log in the directory of the cluster's other logs",
  flags: (file, { auditLog }) => ({ "audit-policy-file": file, "audit-log-path": auditLog }),
});
