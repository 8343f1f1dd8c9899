import type { FlowResourceRule, FlowSchema, FlowSubject } from "./flow-schema/flow-schema.ts";
import type {
  LimitedPriorityLevelConfiguration,
  PriorityLevelConfiguration,
} from "./priority-level-configuration/priority-level-configuration.ts";

/**
 * The server's own objects have "true". The server does not overwrite an object whose user set
 * "false".
 */
const autoUpdateAnnotation = "apf.kubernetes.io/autoupdate-spec";

const everything = ["*"];

function level(name: string, spec: PriorityLevelConfiguration["spec"]): PriorityLevelConfiguration {
  return {
    apiVersion: "flowcontrol.apiserver.k8s.io/v1",
    kind: "PriorityLevelConfiguration",
    metadata: { name, annotations: { [autoUpdateAnnotation]: "true" } },
    ...(spec === undefined ? {} : { spec }),
  };
}

function limited(
  name: string,
  [nominalConcurrencyShares, lendablePercent]: readonly [shares: number, lendable: number],
  queuing: readonly [queues: number, handSize: number] | undefined,
): PriorityLevelConfiguration {
  const limitResponse: LimitedPriorityLevelConfiguration["limitResponse"] =
    queuing === undefined
      ? { type: "Reject" }
      : { type: "Queue", queuing: { queues: queuing[0], handSize: queuing[1], queueLengthLimit: 50 } };
  return level(name, { type: "Limited", limited: { nominalConcurrencyShares, lendablePercent, limitResponse } });
}

/** The mandatory levels, which every server has with the same content. */
export const mandatoryPriorityLevels: readonly PriorityLevelConfiguration[] = [
  level("exempt", { type: "Exempt", exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } }),
  limited("catch-all", [5, 0], undefined),
];

/** Upstream's suggested levels, which users may change. */
const suggestedPriorityLevels: readonly PriorityLevelConfiguration[] = [
  limited("system", [30, 33], [64, 6]),
  limited("node-high", [40, 25], [64, 6]),
  limited("leader-election", [10, 0], [16, 4]),
  limited("workload-high", [40, 50], [128, 6]),
  limited("workload-low", [100, 90], [128, 6]),
  limited("global-default", [20, 50], [128, 6]),
];

const authenticated = group("system:authenticated");
const unauthenticated = group("system:unauthenticated");
const controllerManager = user("system:kube-controller-manager");
const scheduler = user("system:kube-scheduler");
const systemAccounts = account("*");

const allRequests = {
  resourceRules: [rule({ verbs: everything, apiGroups: everything, resources: everything, clusterScope: true })],
  nonResourceRules: [{ verbs: everything, nonResourceURLs: everything }],
};

/** The mandatory flow schemas, which every server has with the same content. */
export const mandatoryFlowSchemas: readonly FlowSchema[] = [
  schema("exempt", { level: "exempt", precedence: 1 }, { subjects: [group("system:masters")], ...allRequests }),
  schema(
    "catch-all",
    { level: "catch-all", precedence: 10_000, by: "ByUser" },
    { subjects: [unauthenticated, authenticated], ...allRequests },
  ),
];

const elections = ["get", "create", "update"];
const leases = rule({ verbs: elections, apiGroups: ["coordination.k8s.io"], resources: ["leases"] });

/** Upstream's suggested flow schemas, which users may change. */
const suggestedFlowSchemas: readonly FlowSchema[] = [
  schema(
    "system-nodes",
    { level: "system", precedence: 500, by: "ByUser" },
    { subjects: [group("system:nodes")], ...allRequests },
  ),
  schema(
    "system-node-high",
    { level: "node-high", precedence: 400, by: "ByUser" },
    {
      subjects: [group("system:nodes")],
      resourceRules: [
        rule({ verbs: everything, apiGroups: [""], resources: ["nodes", "nodes/status"], clusterScope: true }),
        rule({ verbs: everything, apiGroups: ["coordination.k8s.io"], resources: ["leases"] }),
      ],
    },
  ),
  schema(
    "probes",
    { level: "exempt", precedence: 2 },
    {
      subjects: [unauthenticated, authenticated],
      nonResourceRules: [{ verbs: ["get"], nonResourceURLs: ["/healthz", "/readyz", "/livez"] }],
    },
  ),
  schema(
    "system-leader-election",
    { level: "leader-election", precedence: 100, by: "ByUser" },
    { subjects: [controllerManager, scheduler, systemAccounts], resourceRules: [leases] },
  ),
  schema(
    "workload-leader-election",
    { level: "leader-election", precedence: 200, by: "ByUser" },
    {
      subjects: [systemAccounts],
      resourceRules: [rule({ verbs: elections, apiGroups: [""], resources: ["endpoints", "configmaps"] }), leases],
    },
  ),
  schema(
    "endpoint-controller",
    { level: "workload-high", precedence: 150, by: "ByUser" },
    {
      subjects: [controllerManager, account("endpoint-controller"), account("endpointslicemirroring-controller")],
      resourceRules: [rule({ verbs: elections, apiGroups: [""], resources: ["endpoints"] })],
    },
  ),
  schema(
    "kube-controller-manager",
    { level: "workload-high", precedence: 800, by: "ByNamespace" },
    { subjects: [controllerManager], ...allRequests },
  ),
  schema(
    "kube-scheduler",
    { level: "workload-high", precedence: 800, by: "ByNamespace" },
    { subjects: [scheduler], ...allRequests },
  ),
  schema(
    "kube-system-service-accounts",
    { level: "workload-high", precedence: 900, by: "ByNamespace" },
    { subjects: [systemAccounts], ...allRequests },
  ),
  schema(
    "service-accounts",
    { level: "workload-low", precedence: 9000, by: "ByUser" },
    { subjects: [group("system:serviceaccounts")], ...allRequests },
  ),
  schema(
    "global-default",
    { level: "global-default", precedence: 9900, by: "ByUser" },
    { subjects: [unauthenticated, authenticated], ...allRequests },
  ),
];

/** The objects that a server with flow control creates. Levels precede schemas that name them. */
export const bootstrapFlowObjects = [
  ...mandatoryPriorityLevels,
  ...suggestedPriorityLevels,
  ...mandatoryFlowSchemas,
  ...suggestedFlowSchemas,
];

type Rules = NonNullable<NonNullable<FlowSchema["spec"]>["rules"]>[number];

function schema(
  name: string,
  settings: { level: string; precedence: number; by?: "ByUser" | "ByNamespace" },
  rules: Rules,
): FlowSchema {
  return {
    apiVersion: "flowcontrol.apiserver.k8s.io/v1",
    kind: "FlowSchema",
    metadata: { name, annotations: { [autoUpdateAnnotation]: "true" } },
    spec: {
      priorityLevelConfiguration: { name: settings.level },
      matchingPrecedence: settings.precedence,
      ...(settings.by === undefined ? {} : { distinguisherMethod: { type: settings.by } }),
      rules: [rules],
    },
  };
}

function rule(
  of: Pick<FlowResourceRule, "verbs" | "apiGroups" | "resources"> & { clusterScope?: boolean },
): FlowResourceRule {
  return { ...of, namespaces: everything };
}

function group(name: string): FlowSubject {
  return { kind: "Group", group: { name } };
}

function user(name: string): FlowSubject {
  return { kind: "User", user: { name } };
}

function account(name: string): FlowSubject {
  return { kind: "ServiceAccount", serviceAccount: { namespace: "kube-system", name } };
}
