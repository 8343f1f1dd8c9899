import { parseYaml } from "@kintsugi/yaml-text";
import { z } from "zod";

// A policy decides how much of a request is recorded. The first rule that matches applies:
//
//   apiVersion: audit.k8s.io/v1
//   kind: Policy
//   omitStages: [RequestReceived]
//   rules:
//   - level: None                                  # renewals of Leases: not recorded
//     resources: [{ group: coordination.k8s.io, resources: [leases] }]
//   - level: Metadata                              # Secrets: user and time, no content
//     resources: [{ group: "", resources: [secrets] }]
//   - level: RequestResponse                       # writes: both bodies
//     verbs: [create, update, patch, delete]
//   - level: Metadata                              # all other requests

/** Each level records everything that the previous level records. */
const auditLevels = ["None", "Metadata", "Request", "RequestResponse"] as const;
export type AuditLevel = (typeof auditLevels)[number];

const auditStages = ["RequestReceived", "ResponseStarted", "ResponseComplete", "Panic"] as const;
export type AuditStage = (typeof auditStages)[number];

const texts = z.array(z.string()).optional();
const stages = z.array(z.enum(auditStages)).optional();

const GroupResources = z.strictObject({ group: z.string().optional(), resources: texts, resourceNames: texts });

const AuditRule = z.strictObject({
  level: z.enum(auditLevels),
  users: texts,
  userGroups: texts,
  verbs: texts,
  resources: z.array(GroupResources).optional(),
  namespaces: texts,
  nonResourceURLs: texts,
  omitStages: stages,
  omitManagedFields: z.boolean().optional(),
});
export type AuditRule = z.infer<typeof AuditRule>;

const Policy = z.strictObject({
  apiVersion: z.literal("audit.k8s.io/v1"),
  kind: z.literal("Policy"),
  metadata: z.unknown().optional(),
  rules: z.array(AuditRule).min(1, "loaded illegal policy with 0 rules"),
  omitStages: stages,
  omitManagedFields: z.boolean().optional(),
});
export type AuditPolicy = z.infer<typeof Policy>;

/**
 * Reads a policy. @param source the name of its file, for messages.
 * @throws InvalidFile with all its faults, each with its line and column.
 */
export function parseAuditPolicy(text: string, source: string): AuditPolicy {
  const parsed = parseYaml(text, { schema: Policy, source, whole: "Policy" });
  const faults = parsed.value.rules.flatMap((rule, index) =>
    ruleFaults(rule).map(({ path, message }) => ({ path: ["rules", index, ...path], message })),
  );
  if (faults.length > 0) throw parsed.invalid(faults);
  return parsed.value;
}

interface Fault {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** Upstream's rules of apiserver/pkg/apis/audit/validation, in its words. */
function ruleFaults({ resources = [], namespaces = [], nonResourceURLs = [] }: AuditRule): Fault[] {
  const faults: Fault[] = [];
  if (nonResourceURLs.length > 0 && (resources.length > 0 || namespaces.length > 0)) {
    const message = "rules cannot apply to both regular resources and non-resource URLs";
    faults.push({ path: ["nonResourceURLs"], message });
  }
  nonResourceURLs.forEach((url, index) => {
    const message = urlFault(url);
    if (message !== undefined) faults.push({ path: ["nonResourceURLs", index], message });
  });
  resources.forEach((group, index) => {
    const path = ["resources", index];
    if ((group.group ?? "") !== "" && !groupPattern.test(group.group ?? "")) {
      faults.push({ path: [...path, "group"], message: `invalid group name ${JSON.stringify(group.group)}` });
    }
    if ((group.resourceNames ?? []).length > 0 && (group.resources ?? []).length === 0) {
      faults.push({ path: [...path, "resourceNames"], message: "using resourceNames requires at least one resource" });
    }
  });
  return faults;
}

const groupPattern = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

function urlFault(url: string): string | undefined {
  if (url === "*") return undefined;
  if (!url.startsWith("/")) return "non-resource URL rules must begin with a '/' character";
  if (url.slice(0, -1).includes("*")) return "non-resource URL wildcards '*' must be the final character of the rule";
  return undefined;
}
