import {
  type ApiObject,
  type Deployment,
  isPodReady,
  type Pod,
  type PodDisruptionBudget,
  podDisruptionBudgets,
  type PersistentVolumeClaim,
  persistentVolumeClaims,
  type PodSpec,
  type Toleration,
  hostnameLabel,
} from "@kintsugi/api";
import { budgetSelects } from "../model/budgets.ts";
import type { StartState } from "../model/start-state.ts";
import type { Answer, WorkloadAnswer } from "../outcomes/summarize.ts";
import type { RehearsalQuestion } from "./question.ts";

/** A change that may help, as a patch, with the questions on which it is tried. */
export interface ProposedChange {
  readonly what: string;
  /** "deployments", "poddisruptionbudgets". */
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  /** The new spec's fields, as a merge patch of the object. */
  readonly patch: { readonly spec: Readonly<Record<string, unknown>> };
  readonly questions: readonly RehearsalQuestion[];
  /** Questions that replace the same questions after the change, in the same order. */
  readonly instead?: readonly RehearsalQuestion[];
}

const proposalsMax = 5;
const questionsMax = 2;
/** A longer downtime is caused by the toleration of a silent node. */
const toleratedMs = 120_000;
const quickTolerationSeconds = 30;
/** A downtime that does not end counts as a day. */
const endlessWeight = 24 * 3_600_000;
/** A pod without a node counts as an hour of downtime. */
const ruleWeight = 3_600_000;
/** A StatefulSet without one of its pods still serves. */
const brokenWeight = 1_000;
/** Time within which a person verifies that a machine is off, and the scenario continues. */
const vouchedMs = 60_000;
const outOfService = "node.kubernetes.io/out-of-service=nodeshutdown:NoExecute";

/** Proposes the most promising changes, by the downtime that each may remove. */
export function proposeChanges(start: StartState, answers: readonly Answer[]): ProposedChange[] {
  const down = new Map<string, { weight: number; answer: WorkloadAnswer; questions: RehearsalQuestion[] }>();
  for (const { question, workloads } of answers) {
    for (const answer of workloads) {
      if (answer.downtime.p50 === 0) continue;
      const entry = down.get(answer.workload) ?? { weight: 0, answer, questions: [] };
      entry.weight += answer.downtime.p50;
      entry.questions.push(question);
      down.set(answer.workload, entry);
    }
  }
  const ofWorkloads = [...down.values()].flatMap(({ weight, answer, questions }) =>
    changesOf(start, answer, questions.slice(0, questionsMax)).map((change) => ({ weight, change })),
  );
  const ofBudgets = answers
    .filter(({ drains }) => drains.some(({ isDone }) => !isDone))
    .flatMap((answer) => budgetChanges(start, answer))
    .map((change) => ({ weight: Infinity, change }));
  const ofNodes = answers.flatMap((answer) => {
    const isDown = answer.workloads.some(({ downAtEnd }) => downAtEnd > 0.5);
    return vouchChange(answer).map((change) => ({ weight: isDown ? endlessWeight : brokenWeight, change }));
  });
  // The advice is the same for each node whose StatefulSets only lack a pod.
  const firstBroken = ofNodes.find(({ weight }) => weight === brokenWeight);
  const ofFewNodes = ofNodes.filter((each) => each.weight !== brokenWeight || each === firstBroken);
  const ofRules = answers
    .flatMap((answer) => ruleChanges(start, answer))
    .map((change) => ({ weight: ruleWeight, change }));
  const all = [...ofBudgets, ...ofFewNodes, ...ofRules, ...ofWorkloads];
  // Several answers may lead to the same change; the change is tried on the first of these answers.
  const each = all.filter(({ change }, index) => all.findIndex((other) => other.change.what === change.what) === index);
  return each
    .toSorted((a, b) => b.weight - a.weight || (a.change.what < b.change.what ? -1 : 1))
    .slice(0, proposalsMax)
    .map(({ change }) => change);
}

/** The command that makes a change. */
export function commandOf({ resource, namespace, name, patch, instead }: ProposedChange): string {
  if (instead !== undefined) return `kubectl taint node ${name} ${outOfService}`;
  return `kubectl patch ${resource} ${name} -n ${namespace} --type merge -p '${JSON.stringify(patch)}'`;
}

function changesOf(
  start: StartState,
  answer: WorkloadAnswer,
  questions: readonly RehearsalQuestion[],
): ProposedChange[] {
  const [namespace = "", kind = "", name = ""] = answer.workload.split("/");
  const resource = `${kind}s`;
  const object = find(start, resource, { namespace, name }) as Deployment | undefined;
  const { template } = object?.spec ?? {};
  if (object === undefined || template?.spec === undefined || (kind !== "deployment" && kind !== "statefulset"))
    return [];
  const common = { resource, namespace, name, questions };
  const replicas = object.spec?.replicas ?? 1;
  if (replicas < 2 && kind === "deployment" && !hasOwnVolume(start, { namespace, spec: template.spec }))
    return [
      {
        ...common,
        what: `2 replicas of ${answer.workload}, on different nodes`,
        patch: { spec: { replicas: 2, template: { spec: spread(template.spec, object) } } },
      },
    ];
  if (kind === "deployment" && replicas > 1 && !isSpread(template.spec))
    return [
      {
        ...common,
        what: `${answer.workload} on different nodes`,
        patch: { spec: { template: { spec: spread(template.spec, object) } } },
      },
    ];
  if (answer.downtime.p50 < toleratedMs || kind !== "deployment") return [];
  const what = `${answer.workload} tolerates a silent node for only ${quickTolerationSeconds} s`;
  return [
    { ...common, what, patch: { spec: { template: { spec: { tolerations: quickTolerations(template.spec) } } } } },
  ];
}

/** A volume that one node at a time can use prevents a second pod on another node. */
function hasOwnVolume(start: StartState, { namespace, spec }: { namespace: string; spec: PodSpec }): boolean {
  return (spec.volumes ?? []).some(({ persistentVolumeClaim }) => {
    const name = persistentVolumeClaim?.claimName ?? "";
    const claim = find(start, persistentVolumeClaims.resource, { namespace, name }) as
      | PersistentVolumeClaim
      | undefined;
    const modes = claim?.spec?.accessModes ?? [];
    return modes.length > 0 && modes.every((mode) => mode.startsWith("ReadWriteOnce"));
  });
}

/**
 * A person confirms that a machine is off, if its pods keep a workload down forever, or if a
 * StatefulSet lacks one of its pods forever.
 */
function vouchChange({ question, workloads, stuck }: Answer): ProposedChange[] {
  if (question.kind !== "nodes-off" || question.nodes.length !== 1) return [];
  const [node = ""] = question.nodes;
  const held = workloads.filter(
    (each) => (each.downAtEnd > 0.5 || lacksPods(each)) && stuck.some(({ workload }) => workload === each.workload),
  );
  if (held.length === 0) return [];
  return [
    {
      what: `taint ${node} as out of service as soon as its machine is known to be off, which releases its pods and volumes`,
      resource: "nodes",
      namespace: "",
      name: node,
      patch: { spec: {} },
      questions: [question],
      instead: [
        {
          kind: "scenario",
          about: `node ${node} fails and is confirmed to be off`,
          faults: [{ fault: "fence-node", atMs: 0, stays: true, target: node }],
          runMs: vouchedMs,
        },
      ],
    },
  ];
}

/** Only a StatefulSet waits for the end of a pod before it creates its replacement. */
export function lacksPods({ kind, degradedAtEnd }: WorkloadAnswer): boolean {
  return kind === "StatefulSet" && degradedAtEnd > 0.5;
}

/** A pod that is unschedulable only because of a spread constraint may temporarily share a node. */
function ruleChanges(start: StartState, { question, pending }: Answer): ProposedChange[] {
  const names = new Set(
    pending
      .filter(({ because }) => because.includes("didn't match pod topology spread constraints"))
      .map(({ workload }) => workload),
  );
  return [...names].flatMap((workload): ProposedChange[] => {
    const [namespace = "", kind = "", name = ""] = workload.split("/");
    const resource = `${kind}s`;
    const object = find(start, resource, { namespace, name }) as Deployment | undefined;
    const constraints = object?.spec?.template.spec?.topologySpreadConstraints ?? [];
    if (constraints.length === 0) return [];
    const loose = constraints.map((constraint) => ({ ...constraint, whenUnsatisfiable: "ScheduleAnyway" }));
    const patch = { spec: { template: { spec: { topologySpreadConstraints: loose } } } };
    return [
      {
        what: `${workload} prefers to spread its pods instead of requiring it`,
        resource,
        namespace,
        name,
        patch,
        questions: [question],
      },
    ];
  });
}

function isSpread({ topologySpreadConstraints = [], affinity }: PodSpec): boolean {
  return topologySpreadConstraints.length > 0 || affinity?.podAntiAffinity !== undefined;
}

function spread(_: PodSpec, { spec }: Deployment): Partial<PodSpec> {
  return {
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: hostnameLabel,
        whenUnsatisfiable: "DoNotSchedule",
        labelSelector: { matchLabels: spec?.selector.matchLabels ?? {} },
      },
    ],
  } as Partial<PodSpec>;
}

function quickTolerations({ tolerations = [] }: PodSpec): Toleration[] {
  const states = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"];
  const others = tolerations.filter(({ key }) => !states.includes(key ?? ""));
  const quick = states.map((key): Toleration => ({
    key,
    operator: "Exists",
    effect: "NoExecute",
    tolerationSeconds: quickTolerationSeconds,
  }));
  return [...others, ...quick];
}

function budgetChanges(start: StartState, { question, drains }: Answer): ProposedChange[] {
  const names = new Set(
    drains.filter(({ isDone }) => !isDone).flatMap(({ heldBy }) => heldBy.flatMap(({ pod }) => budgetOf(start, pod))),
  );
  return [...names].flatMap((key) => {
    const [namespace = "", name = ""] = key.split("/");
    const budget = find(start, podDisruptionBudgets.resource, { namespace, name });
    if (budget === undefined) return [];
    const { what, spec } = budgetChange(key, isHeldUnhealthy(start, drains));
    return [{ what, resource: podDisruptionBudgets.resource, namespace, name, patch: { spec }, questions: [question] }];
  });
}

/**
 * A pod that is not Ready does not count for a budget, so a smaller budget would not allow its
 * eviction.
 */
function budgetChange(key: string, isUnhealthy: boolean): { what: string; spec: Record<string, unknown> } {
  return isUnhealthy
    ? {
        what: `budget ${key} allows the eviction of pods that are not Ready`,
        spec: { unhealthyPodEvictionPolicy: "AlwaysAllow" },
      }
    : { what: `budget ${key} allows one unavailable pod`, spec: { minAvailable: null, maxUnavailable: 1 } };
}

function isHeldUnhealthy(start: StartState, drains: Answer["drains"]): boolean {
  const held = drains.filter(({ isDone }) => !isDone).flatMap(({ heldBy }) => heldBy.map(({ pod }) => pod));
  return held.some((key) => {
    const [namespace = "", name = ""] = key.split("/");
    const pod = find(start, "pods", { namespace, name }) as Pod | undefined;
    return pod !== undefined && !isPodReady(pod);
  });
}

/** The keys of the budgets that select a pod. */
function budgetOf(start: StartState, podKey: string): string[] {
  const [namespace = "", name = ""] = podKey.split("/");
  const budgets = start.objects.filter(({ kind }) => kind.type.resource === podDisruptionBudgets.resource);
  const pod = find(start, "pods", { namespace, name }) as Pod | undefined;
  if (pod === undefined) return [];
  return budgets.flatMap(({ object }) =>
    budgetSelects(object as PodDisruptionBudget, pod) ? [`${namespace}/${object.metadata.name}`] : [],
  );
}

function find(start: StartState, resource: string, key: { namespace: string; name: string }): ApiObject | undefined {
  return start.objects.find(
    ({ kind, object }) =>
      kind.type.resource === resource &&
      (object.metadata.namespace ?? "") === key.namespace &&
      object.metadata.name === key.name,
  )?.object;
}
