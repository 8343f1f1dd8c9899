import {
  type ChangeStream,
  type Logger,
  namespaces,
  networkPolicies,
  type NetworkPolicy,
  type Pod,
  pods,
  sameJson,
} from "@kintsugi/api";
import { createInformer, type Informer, type ObjectReader } from "@kintsugi/client";
import { backoffDelayMs, type Clock, type Random, Waiter } from "@kintsugi/clock";
import { runTogether } from "@kintsugi/controller";
import type { Loop } from "@kintsugi/daemon";
import type { Nft } from "../nft/nft.ts";
import { planPolicies, type PolicyPlan } from "./plan-policies.ts";
import { policyScript } from "./policy-script.ts";

export interface PolicyLoopDeps {
  client: ObjectReader;
  /** Absent: the informers follow over HTTP. */
  changes?: ChangeStream | undefined;
  clock: Clock;
  random: Random;
  log: Logger;
  nft: Pick<Nft, "apply">;
}

export interface PolicyLoopOptions {
  nodeName: string;
  /** The shortest time between two changes of the rules. */
  minSyncPeriodMs: number;
  /** Interval at which the rules are written again, which repairs changes by other programs. */
  fullSyncPeriodMs: number;
}

const backoff = { initialMs: 250, factor: 2, maxMs: 30_000 };

/**
 * Maintains the packet filter of one node as the NetworkPolicies of the cluster require. Pods and
 * namespaces are followed only while there is a policy, so that a cluster without policies has no
 * cost.
 */
export function createPolicyLoop(deps: PolicyLoopDeps, options: PolicyLoopOptions): Loop {
  return {
    name: "network policies",
    async run(signal) {
      const policies = createInformer(deps, { type: networkPolicies });
      const waiter = new Waiter();
      const stop = policies.onChange(() => waiter.wake());
      const rules = new PolicyRules(deps, options);
      const follow = async (ends: AbortSignal) => {
        await policies.waitForSync(ends);
        while (!ends.aborted) {
          // The rules of an earlier process remain in force until this point.
          if (policies.list().length > 0) await enforce({ ...deps, policies, rules }, options, ends);
          else if (await rules.write(noPolicies, ends)) await waiter.wait(ends);
        }
      };
      try {
        await runTogether(signal, [(ends) => policies.run(ends), follow]);
      } finally {
        stop();
      }
    },
  };
}

const noPolicies: PolicyPlan = { ingress: new Map(), egress: new Map(), cut: [] };

type EnforceDeps = PolicyLoopDeps & { policies: Informer<NetworkPolicy>; rules: PolicyRules };

/** Follows pods and namespaces, and maintains the rules, until no policy is left. */
async function enforce(deps: EnforceDeps, options: PolicyLoopOptions, signal: AbortSignal): Promise<void> {
  const { clock, policies, rules } = deps;
  const followed = {
    pods: createInformer(deps, { type: pods }),
    namespaces: createInformer(deps, { type: namespaces }),
  };
  const informers = [followed.pods, followed.namespaces];
  const waiter = new Waiter();
  let isStale = false;
  const queue = () => {
    isStale = true;
    waiter.wake();
  };
  const stops = [
    policies.onChange(queue),
    followed.namespaces.onChange((change) => {
      if (change.type !== "modified" || !sameJson(change.before.metadata.labels, change.object.metadata.labels))
        queue();
    }),
    followed.pods.onChange((change) => {
      if (change.type !== "modified" || !isSamePeer(change.before, change.object)) queue();
    }),
  ];
  const finished = new AbortController();
  const keep = async (ends: AbortSignal) => {
    await Promise.all(informers.map((informer) => informer.waitForSync(ends)));
    while (!ends.aborted && policies.list().length > 0) {
      isStale = false;
      const plan = planPolicies({
        policies: policies.list(),
        pods: followed.pods.list(),
        namespaces: followed.namespaces.list(),
        nodeName: options.nodeName,
      });
      if (!(await rules.write(plan, ends))) continue;
      await clock.sleep(options.minSyncPeriodMs, ends);
      if (!isStale) await waiter.waitAtMost(options.fullSyncPeriodMs, clock, ends);
    }
    finished.abort();
  };
  try {
    await runTogether(AbortSignal.any([signal, finished.signal]), [
      ...informers.map((informer) => (ends: AbortSignal) => informer.run(ends)),
      keep,
    ]);
  } finally {
    for (const stop of stops) stop();
  }
}

/** Reports whether no part of a pod has changed on which a rule may depend. */
function isSamePeer(before: Pod, after: Pod): boolean {
  return (
    before.status?.podIP === after.status?.podIP &&
    before.status?.phase === after.status?.phase &&
    before.spec?.nodeName === after.spec?.nodeName &&
    sameJson(before.metadata.labels, after.metadata.labels)
  );
}

/** The rules in the kernel. Writes them when they differ, and periodically as a whole. */
class PolicyRules {
  readonly #deps: PolicyLoopDeps;
  readonly #options: PolicyLoopOptions;
  #written: string | undefined;
  #cut = "";
  #writtenAtMs = Number.NEGATIVE_INFINITY;
  #failures = 0;

  constructor(deps: PolicyLoopDeps, options: PolicyLoopOptions) {
    this.#deps = deps;
    this.#options = options;
  }

  /**
   * Returns false where the kernel rejected the rules, after a pause that grows; the earlier rules
   * remain in force.
   */
  async write(plan: PolicyPlan, signal: AbortSignal): Promise<boolean> {
    const { clock, log, nft } = this.#deps;
    const script = policyScript(plan);
    const isFresh = clock.monotonicMs() - this.#writtenAtMs < this.#options.fullSyncPeriodMs;
    if (script === this.#written && isFresh) return true;
    try {
      await nft.apply(script);
    } catch (error) {
      this.#failures++;
      log.error("network policies cannot be written", { error, failures: this.#failures });
      await clock.sleep(backoffDelayMs(this.#failures, backoff), signal);
      return false;
    }
    if (script !== this.#written)
      log.info("network policies written", { ingress: plan.ingress.size, egress: plan.egress.size });
    const cut = plan.cut.join();
    if (cut !== "" && cut !== this.#cut)
      log.warn("pods cannot receive or send packets: the NetworkPolicies of their namespaces have too many rules", {
        count: plan.cut.length,
        pods: cut.slice(0, 1000),
      });
    this.#cut = cut;
    this.#failures = 0;
    this.#written = script;
    this.#writtenAtMs = clock.monotonicMs();
    return true;
  }
}
