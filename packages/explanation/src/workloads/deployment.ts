import {
  controllerOf,
  countedNoun,
  type Deployment,
  type DeploymentCondition,
  findCondition,
  instantOf,
  type ReplicaSet,
} from "@kintsugi/api";
import type { ExplainedReason } from "../explanation.ts";
import { kubectlCommand } from "../words/commands.ts";
import { singleLine, aboutObject, withText } from "../words/phrases.ts";
import { dueOf, sinceOf } from "../words/times.ts";
import { listOf, type World } from "../world.ts";
import { availabilityReasons, podsOf, readiness, reasonsOfPods } from "./pods-of.ts";
import { refusalReasons } from "./refused.ts";

/** Upstream's default of progressDeadlineSeconds; this value means "no deadline". */
const noDeadline = 2_147_483_647;

export function deploymentReasons(deployment: Deployment, world: World): ExplainedReason[] {
  const sets = setsOf(deployment, world);
  const pods = sets.flatMap((set) => podsOf(set, world));
  const minReadySeconds = deployment.spec?.minReadySeconds ?? 0;
  return [
    ...refusals(deployment, sets, world),
    ...pauseReasons(deployment),
    ...progressReasons(deployment, world),
    ...reasonsOfPods(pods, world),
    ...availabilityReasons(deployment, { kind: "Deployment", pods, minReadySeconds }, world),
  ];
}

export function deploymentState(deployment: Deployment, world: World): string {
  const pods = setsOf(deployment, world).flatMap((set) => podsOf(set, world));
  return readiness(pods, deployment.spec?.replicas ?? 1);
}

function setsOf({ metadata }: Deployment, world: World): ReplicaSet[] {
  return listOf(world, "replicasets").filter((set) => controllerOf(set)?.uid === metadata.uid);
}

function refusals(deployment: Deployment, sets: readonly ReplicaSet[], world: World): ExplainedReason[] {
  const own = refusalReasons(deployment, "Deployment", world);
  if (own.length > 0) return own;
  const wanted = sets.filter(({ spec }) => (spec?.replicas ?? 1) > 0);
  return wanted.flatMap((set) => refusalReasons(set, "ReplicaSet", world));
}

function pauseReasons(deployment: Deployment): ExplainedReason[] {
  if (deployment.spec?.paused !== true) return [];
  const about = aboutObject("Deployment", deployment);
  return [
    {
      code: "Paused",
      about,
      because: "Its rollout is paused: changes of its template do not change pods.",
      awaits: "a person to resume it",
      remedies: [
        {
          does: "Resume it",
          command: kubectlCommand(about.namespace, "rollout", "resume", `deployment/${about.name}`),
        },
      ],
    },
  ];
}

function progressReasons(deployment: Deployment, world: World): ExplainedReason[] {
  const { spec, status } = deployment;
  const wanted = spec?.replicas ?? 1;
  const { updatedReplicas = 0, availableReplicas = 0, replicas = 0 } = status ?? {};
  const isSeen = (status?.observedGeneration ?? 0) >= (deployment.metadata.generation ?? 0);
  if (isSeen && updatedReplicas === wanted && replicas === wanted && availableReplicas === wanted) return [];
  const about = aboutObject("Deployment", deployment);
  const progress = findCondition(status?.conditions, "Progressing");
  const counts = `${countedNoun(updatedReplicas, "pod")} of ${wanted} ${updatedReplicas === 1 ? "has" : "have"} the present template, ${availableReplicas} ${availableReplicas === 1 ? "is" : "are"} available, ${Math.max(0, replicas - updatedReplicas)} old`;
  const details = [counts];
  if (!isSeen) {
    const because = "Its controller has not seen its last change yet.";
    return [
      {
        code: "Progressing",
        about,
        because,
        awaits: "the controller-manager",
        remedies: [{ does: "See whether it runs", command: "kintsugi status" }],
      },
    ];
  }
  if (progress?.reason === "ProgressDeadlineExceeded") return [stuck(deployment, progress, details)];
  if (spec?.paused === true) return [];
  return [
    {
      code: "Progressing",
      about,
      because:
        replicas > updatedReplicas || updatedReplicas < wanted
          ? "Its rollout is in progress."
          : "Not all of its pods are available.",
      details,
      ...sinceOf(progress?.lastTransitionTime),
      awaits: "its new pods to be available",
      ...dueOf(deadlineMs(deployment, progress, world), "rollout deadline"),
      next: "Without progress until then, it counts as stuck; the controller still continues.",
      remedies: [
        {
          does: "Follow it",
          command: kubectlCommand(about.namespace, "rollout", "status", `deployment/${about.name}`),
        },
      ],
    },
  ];
}

function stuck(
  deployment: Deployment,
  { message, lastTransitionTime }: DeploymentCondition,
  details: string[],
): ExplainedReason {
  const about = aboutObject("Deployment", deployment);
  const target = `deployment/${about.name}`;
  return {
    code: "RolloutStuck",
    about,
    because: `Its rollout made no progress for ${deployment.spec?.progressDeadlineSeconds ?? 600}s${withText(singleLine(message))}.`,
    details,
    ...sinceOf(lastTransitionTime),
    awaits: "its new pods to be available; their reasons are below",
    next: "The old pods remain; the controller continues as soon as a new pod is available.",
    remedies: [
      {
        does: "Roll back to the previous version",
        command: kubectlCommand(about.namespace, "rollout", "undo", target),
      },
      { does: "Or fix the template", command: kubectlCommand(about.namespace, "edit", target) },
    ],
  };
}

/** The controller counts from the last progress, until the rollout is complete. */
function deadlineMs(
  { spec }: Deployment,
  progress: DeploymentCondition | undefined,
  { nowMs }: World,
): number | undefined {
  const updatedMs = instantOf(progress?.lastUpdateTime);
  const seconds = spec?.progressDeadlineSeconds ?? 600;
  if (updatedMs === undefined || seconds >= noDeadline || progress?.reason === "NewReplicaSetAvailable")
    return undefined;
  const endMs = updatedMs + seconds * 1000;
  return endMs > nowMs ? endMs : undefined;
}
