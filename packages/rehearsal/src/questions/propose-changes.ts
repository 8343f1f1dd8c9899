import {
  type ApiObject,
  type Deployment,
  isPodReady,
  type Pod,
  type PodDisruptionBudget,
  podDisruptionBudgets,
  type PodSpec,
  type Toleration,
} from "@kintsugi/api";
import type { StartState } from "../model/start-state.ts";
import type { Answer, WorkloadAnswer } from "../outcomes/summarize.ts";
import type { RehearsalQuestion } from "./question.ts";

/** A change that may help, as a patch, with the questions that it is tried on. */
export interface ProposedChange {
  readonly what: string;
  /** "deployments", "poddisruptionbudgets". */
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  /** The new spec's fields, as a merge patch of the object. */
  readonly patch: { readonly spec: Readonly<Record<string, unknown>> };
  readonly questions: readonly RehearsalQuestion[];
}

const proposalsMax = 5;
const questionsMax = 2;
/** A downtime longer than this comes from the toleration of a silent node. */
const toleratedMs = 120_000;
const quickTolerationSeconds = 30;

/** Proposes the changes that promise most: by the downtime that each may take away. */
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
  return [...ofBudgets, ...ofWorkloads]
    .toSorted((a, b) => b.weight - a.weight || (a.change.what < b.change.what ? -1 : 1))
    .slice(0, proposalsMax)
    .map(({ change }) => change);
}

/** The command that makes a change. */
export function commandOf({ resource, namespace, name, patch }: ProposedChange): string {
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
  if (replicas < 2 && kind === "deployment")
    return [
      {
        ...common,
        what: `2 replicas of ${answer.workload}, on nodes apart`,
        patch: { spec: { replicas: 2, template: { spec: spread(template.spec, object) } } },
      },
    ];
  if (kind === "deployment" && !isSpread(template.spec))
    return [
      {
        ...common,
        what: `${answer.workload} on nodes apart`,
        patch: { spec: { template: { spec: spread(template.spec, object) } } },
      },
    ];
  if (answer.downtime.p50 < toleratedMs || kind !== "deployment") return [];
  const what = `${answer.workload} leaves a silent node after ${quickTolerationSeconds} s`;
  return [
    { ...common, what, patch: { spec: { template: { spec: { tolerations: quickTolerations(template.spec) } } } } },
  ];
}

function isSpread({ topologySpreadConstraints = [], affinity }: PodSpec): boolean {
  return topologySpreadConstraints.length > 0 || affinity?.podAntiAffinity !== undefined;
}

function spread(_: PodSpec, { spec }: Deployment): Partial<PodSpec> {
  return {
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: "kubernetes.io/hostname",
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

/** A pod that is not Ready counts for no budget, so that a smaller budget would not let it go. */
function budgetChange(key: string, isUnhealthy: boolean): { what: string; spec: Record<string, unknown> } {
  return isUnhealthy
    ? { what: `budget ${key} lets pods go that are not Ready`, spec: { unhealthyPodEvictionPolicy: "AlwaysAllow" } }
    : { what: `budget ${key} lets one pod go at a time`, spec: { minAvailable: null, maxUnavailable: 1 } };
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
  const pod = find(start, "pods", { namespace, name });
  return budgets.flatMap(({ object }) => {
    const { selector } = (object as PodDisruptionBudget).spec ?? {};
    const labels = pod?.metadata.labels ?? {};
    const isSelected = Object.entries(selector?.matchLabels ?? {}).every(([key, value]) => labels[key] === value);
    const isHere = object.metadata.namespace === namespace && selector?.matchLabels !== undefined;
    return pod !== undefined && isHere && isSelected ? [`${namespace}/${object.metadata.name}`] : [];
  });
}

function find(start: StartState, resource: string, key: { namespace: string; name: string }): ApiObject | undefined {
  return start.objects.find(
    ({ kind, object }) =>
      kind.type.resource === resource &&
      (object.metadata.namespace ?? "") === key.namespace &&
      object.metadata.name === key.name,
  )?.object;
}
