import {
  type ApiError,
  type ApiObject,
  cronJobs,
  daemonSets,
  deployments,
  forbidden,
  invalid,
  jobs,
  type Namespace,
  namespaces,
  type Pod,
  pods,
  type PodSpec,
  podTemplates,
  replicaSets,
  replicationControllers,
  type ResourceType,
  statefulSets,
} from "@kintsugi/api";
import { LruMap } from "@kintsugi/clock";
import type { Store } from "@kintsugi/store";
import { decodeEntry } from "../../resources/encoding.ts";
import { storeKey } from "../../resources/keys.ts";
import type { PodSecuritySettings } from "../../server-options.ts";
import type { AdmissionRequest, AdmissionStep } from "../admission.ts";
import { detailOf, violationsOf } from "./evaluate-pod.ts";
import { judgeNamespace } from "./judge-namespace.ts";
import type { PodLike } from "./pod-check.ts";
import {
  formatLevel,
  isSameLevel,
  type LevelVersion,
  type NamespacePolicy,
  policyOfLabels,
} from "./pod-security-policy.ts";

interface PodSecurityDeps {
  store: Pick<Store, "list">;
}

interface Template {
  metadata?: PodLike["metadata"] | undefined;
  spec?: PodSpec | undefined;
}

/** The path of the pod template in each kind of controller. */
const templates: readonly (readonly [ResourceType, (object: ApiObject) => Template | undefined])[] = [
  [podTemplates as ResourceType, (object) => (object as { template?: Template }).template],
  [cronJobs as ResourceType, (object) => (object as CronJobLike).spec?.jobTemplate?.spec?.template],
  ...[replicationControllers, replicaSets, deployments, statefulSets, daemonSets, jobs].map(
    (type) => [type as ResourceType, (object: ApiObject) => (object as WorkloadLike).spec?.template] as const,
  ),
];

interface WorkloadLike {
  spec?: { template?: Template };
}

interface CronJobLike {
  spec?: { jobTemplate?: { spec?: { template?: Template } } };
}

const otherSubresources = new Set(["exec", "attach", "binding", "eviction", "log", "portforward", "proxy", "status"]);

/**
 * The Pod Security Standards: a namespace's labels reject pods, and return warnings about pods and
 * templates (staging/src/k8s.io/pod-security-admission).
 */
export function podSecurity(deps: PodSecurityDeps, settings: PodSecuritySettings): AdmissionStep {
  const policyOf = rememberPolicies(settings);
  return {
    name: "PodSecurity",
    handles: {
      operations: ["create", "update"],
      resources: [pods, namespaces, ...templates.map(([type]) => type)],
    },
    validate: (request) => {
      const { resource, subresource } = request;
      if (resource.type.resource === namespaces.resource && resource.type.group === namespaces.group) {
        return subresource === "" ? judgeNamespaceOf(request, deps, settings) : undefined;
      }
      if (isExempt(request, settings)) return undefined;
      const policy = policyOf(request);
      if (policy === undefined) return undefined;
      const isPod = resource.type.resource === pods.resource && resource.type.group === pods.group;
      return isPod ? judgePod(request, policy, settings) : judgeTemplate(request, policy, settings);
    },
  };
}

function judgeNamespaceOf(
  { object, before, warnings }: AdmissionRequest,
  { store }: PodSecurityDeps,
  settings: PodSecuritySettings,
): ApiError | undefined {
  const [now, old] = [object as Namespace | undefined, before as Namespace | undefined];
  if (now === undefined) return undefined;
  const judged = judgeNamespace(now, old, { store, settings });
  if (judged.faults.length > 0) return invalid(namespaces, now.metadata.name ?? "", judged.faults);
  warn(warnings, judged.warnings);
  return undefined;
}

function isExempt({ namespace, user }: AdmissionRequest, { exemptions }: PodSecuritySettings): boolean {
  return exemptions.namespaces.includes(namespace) || exemptions.usernames.includes(user.name);
}

function judgePod(
  { subresource, operation, object, before, name, warnings, trail }: AdmissionRequest,
  policy: NamespacePolicy,
  settings: PodSecuritySettings,
): ApiError | undefined {
  if (otherSubresources.has(subresource)) return undefined;
  const [pod, old] = [object as Pod | undefined, before as Pod | undefined];
  if (pod?.spec === undefined) return undefined;
  if (operation === "update" && old?.spec !== undefined && !isSignificant(pod.spec, old.spec)) return undefined;
  const like = { metadata: pod.metadata, spec: pod.spec };
  if (isExemptClass(like, settings)) return undefined;
  trail?.annotate("pod-security.kubernetes.io/enforce-policy", formatLevel(policy.enforce));
  recordViolations(trail, like, policy);
  const violations = violationsOf(like, policy.enforce);
  if (violations.length > 0) {
    const because = `violates PodSecurity ${JSON.stringify(formatLevel(policy.enforce))}: ${detailOf(violations)}`;
    return forbidden(pods, pod.metadata.name ?? name, because);
  }
  if (!isSameLevel(policy.warn, policy.enforce)) warn(warnings, wouldViolate(like, policy.warn));
  return undefined;
}

/** A template is not rejected. The pods that its controller makes are rejected instead. */
function judgeTemplate(
  { subresource, object, resource, warnings, trail }: AdmissionRequest,
  policy: NamespacePolicy,
  settings: PodSecuritySettings,
): undefined {
  if (subresource !== "" || object === undefined) return;
  if (policy.warn.level === "privileged" && policy.audit.level === "privileged") return;
  const { type } = resource;
  const find = templates.find(([each]) => each.resource === type.resource && each.group === type.group)?.[1];
  const template = find?.(object);
  if (template?.spec === undefined) return;
  const like = { metadata: template.metadata ?? {}, spec: template.spec };
  if (isExemptClass(like, settings)) return;
  recordViolations(trail, like, policy);
  warn(warnings, wouldViolate(like, policy.warn));
}

function isExemptClass({ spec }: PodLike, { exemptions }: PodSecuritySettings): boolean {
  return exemptions.runtimeClasses.includes(spec.runtimeClassName ?? "");
}

function recordViolations(trail: AdmissionRequest["trail"], pod: PodLike, { audit }: NamespacePolicy): void {
  if (trail === undefined) return;
  const [text] = wouldViolate(pod, audit);
  if (text !== undefined) trail.annotate("pod-security.kubernetes.io/audit-violations", text);
}

function wouldViolate(pod: PodLike, level: LevelVersion): string[] {
  const violations = violationsOf(pod, level);
  if (violations.length === 0) return [];
  return [`would violate PodSecurity ${JSON.stringify(formatLevel(level))}: ${detailOf(violations)}`];
}

/** A request may be checked twice, but its client is warned once. */
function warn(warnings: string[], texts: readonly string[]): void {
  warnings.push(...texts.filter((text) => !warnings.includes(text)));
}

/** The images of a running pod may change, and ephemeral containers may be added. */
function isSignificant(now: PodSpec, old: PodSpec): boolean {
  const images = (list: readonly { name: string; image?: string | undefined }[] = []) =>
    list.map(({ name, image }) => `${name} ${image}`).join("\n");
  return (
    images(now.containers) !== images(old.containers) ||
    images(now.initContainers) !== images(old.initContainers) ||
    images(now.ephemeralContainers) !== images(old.ephemeralContainers)
  );
}

/**
 * The number of namespaces of a large cluster. The policies of further namespaces are read again.
 */
const rememberedMax = 10_000;

/** A namespace is read once for each of its versions, because pods are created often. */
function rememberPolicies(settings: PodSecuritySettings): (request: AdmissionRequest) => NamespacePolicy | undefined {
  const known = new LruMap<string, { revision: number; policy: NamespacePolicy }>(rememberedMax);
  return ({ reader, namespace }) => {
    const entry = reader.find(storeKey(namespaces, "", namespace));
    if (entry === undefined) return undefined;
    const earlier = known.get(entry.key);
    if (earlier?.revision === entry.revision) return earlier.policy;
    const { metadata } = decodeEntry(entry);
    const { policy } = policyOfLabels(metadata.labels, settings.defaults);
    known.set(entry.key, { revision: entry.revision, policy });
    return policy;
  };
}
