import { cpuMillicores, isPodTerminal, type Pod, type ResourceQuota, pods, resourceQuotas } from "@kintsugi/api";
import { type Invariant, type InvariantContext, onKind } from "../invariant.ts";
import { nameOf } from "../observed/known-objects.ts";

const second = 1000;
/** Longest delay of the controller after its last change, including elections. */
const settleMs = 60 * second;
/** Time within which a count is correct once, even if pods change faster from time to time. */
const agreeMs = 30 * second;

/** The use of a namespace, counted independently here. */
interface Use {
  pods: number;
  cpu: number;
}

/**
 * A create never exceeds its namespace's quotas, regardless of other writes at that moment. Pods
 * that are being deleted are left out because their grace period may be over.
 */
export function createsRespectQuotas({ known }: InvariantContext): Invariant {
  return {
    name: "creates-respect-quotas",
    never: "a new pod that exceeds a quota of its namespace, by the number of pods or by the sum of their CPU requests",
    observes: [
      onKind(pods, ({ type, object, before }, check) => {
        if (type === "delete" || before !== undefined) return;
        for (const quota of known.of(resourceQuotas).values()) {
          if (quota.metadata.namespace !== object.metadata.namespace) continue;
          const used = useOf(known.of(pods).values(), object.metadata.namespace);
          const limit = limitOf(quota.spec?.hard);
          const over = used.pods > limit.pods || used.cpu > limit.cpu;
          const text = `${used.pods} pods and ${used.cpu}m of processors`;
          check(
            over
              ? `${nameOf(object)} raises the usage to ${text}, but ${nameOf(quota)} allows ${shown(limit)}`
              : undefined,
          );
        }
      }),
    ],
  };
}

/** A quota's status has the actual use, and its spec's limits. */
export function quotasCountCorrectly({ known, quietPeriod, clock }: InvariantContext): Invariant {
  /** The time at which a quota was last correct. */
  let rightMs = new Map<string, number>();

  return {
    name: "quotas-count-correctly",
    never: "in a quiet period, a minute after it began, a quota whose status is wrong for 30 s",
    tick(check) {
      const nowMs = clock.monotonicMs();
      const before = rightMs;
      rightMs = new Map();
      for (const [key, quota] of known.of(resourceQuotas)) {
        const wrong = faultOf(quota, [...known.of(pods).values()]);
        const sinceMs = wrong === undefined ? nowMs : (before.get(key) ?? nowMs);
        rightMs.set(key, sinceMs);
        if (quietPeriod.forMs < settleMs) continue;
        const isLong = Math.min(nowMs - sinceMs, quietPeriod.forMs - agreeMs) > agreeMs;
        check(isLong && wrong !== undefined ? `${nameOf(quota)} ${wrong}` : undefined);
      }
    },
  };
}

function faultOf({ metadata, spec, status }: ResourceQuota, pods: readonly Pod[]): string | undefined {
  const { namespace } = metadata;
  // The end of a pod's grace period is not an event.
  const isLeaving = pods.some((pod) => pod.metadata.namespace === namespace && isBeingDeleted(pod));
  if (isLeaving) return undefined;
  const [used, limit, seen, known] = [
    useOf(pods, namespace),
    limitOf(spec?.hard),
    limitOf(status?.used),
    limitOf(status?.hard),
  ];
  if (limit.pods !== known.pods || limit.cpu !== known.cpu)
    return `shows the limit ${shown(known)}, not ${shown(limit)}`;
  const isWrong = (limit.pods < Infinity && used.pods !== seen.pods) || (limit.cpu < Infinity && used.cpu !== seen.cpu);
  return isWrong ? `shows ${shown(seen)} as used, but the usage is ${shown(used)}` : undefined;
}

function useOf(pods: Iterable<Pod>, namespace: string | undefined): Use {
  const use: Use = { pods: 0, cpu: 0 };
  for (const pod of pods) {
    if (pod.metadata.namespace !== namespace || isPodTerminal(pod) || isBeingDeleted(pod)) continue;
    use.pods++;
    for (const { resources } of pod.spec?.containers ?? []) use.cpu += cpuMillicores(resources?.requests?.["cpu"]);
  }
  return use;
}

function limitOf(amounts: Readonly<Record<string, string>> | undefined): Use {
  const { pods, "requests.cpu": cpu } = amounts ?? {};
  return { pods: pods === undefined ? Infinity : Number(pods), cpu: cpu === undefined ? Infinity : cpuMillicores(cpu) };
}

function shown({ pods, cpu }: Use): string {
  return `${pods} pods and ${cpu}m of processors`;
}

function isBeingDeleted({ metadata }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined && metadata.deletionTimestamp !== null;
}
