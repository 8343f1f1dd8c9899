import {
  type ControllerRevision,
  type DaemonSet,
  daemonSets,
  matchesLabels,
  nodes,
  parseKey,
  type Pod,
  pods,
  sameJson,
  toSelector,
  controllerRevisionHashLabel,
} from "@kintsugi/api";
import { done, type Reconciler, type ReconcileResult } from "@kintsugi/controller";
import type { ControllerContext } from "../../context.ts";
import { Claimer } from "../../shared/owners/claimer.ts";
import { planClaims } from "../../shared/owners/plan-claims.ts";
import { isSameRevision } from "../../shared/revision-history/revision-data.ts";
import { RevisionHistory } from "../../shared/revision-history/revision-history.ts";
import { targetNodeOf } from "./daemon-pod.ts";
import type { DaemonWriter } from "./daemon-writer.ts";
import { judgeNode, type SetFacts } from "./judge-node.ts";
import { surgesAt } from "./plan-rolling.ts";
import { planDaemonStatus } from "./plan-status.ts";
import { planSteps } from "./plan-steps.ts";
import type { SetLedger } from "./set-ledger.ts";
import type { SetLedgers } from "./set-ledgers.ts";

export interface DaemonSetReconcilerDeps {
  context: ControllerContext;
  ledgers: SetLedgers;
  writer: DaemonWriter;
}

/** The present revision of a set. */
interface Recorded {
  hash: string;
  /** Hashes of all revisions that record the present template. */
  hashes: ReadonlySet<string>;
  revisions: readonly ControllerRevision[];
  collisionCount: number;
}

/** This set has more work, which waits until other sets have had their turn. */
const moreSoon: ReconcileResult = { retryAfterMs: 1 };

/**
 * Runs one pod of a DaemonSet on each eligible node. A pass inspects only the nodes that have
 * changed, but a set with a new spec or revision has every node judged.
 */
export class DaemonSetReconciler implements Reconciler {
  readonly #deps: DaemonSetReconcilerDeps;
  readonly #claimer: Claimer<Pod>;
  readonly #history: RevisionHistory<DaemonSet>;

  constructor(deps: DaemonSetReconcilerDeps) {
    this.#deps = deps;
    this.#claimer = new Claimer(deps.context.client, { ownerType: daemonSets, type: pods, mayChange: isStaying });
    this.#history = new RevisionHistory(deps.context, daemonSets, { hashLabel: controllerRevisionHashLabel });
  }

  async reconcile(key: string, signal: AbortSignal): Promise<ReconcileResult> {
    const { context, ledgers, writer } = this.#deps;
    const set = context.informers.of(daemonSets).find(parseKey(key));
    // The garbage collector deletes the pods and revisions of a set that is being deleted.
    if (set === undefined || set.metadata.deletionTimestamp !== undefined) {
      ledgers.drop(key);
      return done;
    }
    const ledger = ledgers.open(key, set);
    await this.#claim(set, ledger, signal);
    const recorded = await this.#record(set, signal);
    if (ledger.judgesAnew(`${set.metadata.generation} ${[...recorded.hashes].join(" ")}`)) ledgers.markAll(ledger);
    await writer.settle({ set, ledger });
    this.#judge(set, ledger, recorded);
    const steps = planSteps(set, ledger);
    const error = await writer.write({ set, ledger, hash: recorded.hash }, steps, signal);
    this.#judge(set, ledger, recorded);
    await this.#writeStatus(set, ledger, recorded);
    if (error !== undefined) throw error;
    await this.#truncate(set, recorded);
    return steps.isCut || ledger.doubted.size > 0 ? moreSoon : done;
  }

  /** Adopts and releases pods whose labels or owners have changed. */
  async #claim(set: DaemonSet, ledger: SetLedger, signal: AbortSignal): Promise<void> {
    const copy = this.#deps.context.informers.of(pods);
    const keys = [...ledger.claimable];
    const candidates = keys.flatMap((key) => copy.find(parseKey(key)) ?? []);
    const claimant = { owner: set, selector: set.spec?.selector };
    const { adopt } = planClaims(claimant, candidates, isStaying);
    // A node does not get a second pod before the cache contains the adopted pod.
    const observed = (pod: Pod) =>
      ledger.expectations.creationObserved(targetNodeOf(pod) ?? "", pod.metadata.name ?? "");
    for (const pod of adopt) ledger.expectations.expectCreation(targetNodeOf(pod) ?? "", pod.metadata.name ?? "");
    let kept: Pod[] = [];
    try {
      kept = await this.#claimer.claim(claimant, candidates, signal);
      for (const key of keys) ledger.claimable.delete(key);
    } finally {
      const uids = new Set(kept.map(({ metadata }) => metadata.uid));
      for (const pod of adopt.filter(({ metadata }) => !uids.has(metadata.uid))) observed(pod);
    }
  }

  async #record(set: DaemonSet, signal: AbortSignal): Promise<Recorded> {
    const { latest, revisions, collisionCount } = await this.#history.record(
      set,
      await this.#history.claim(set, signal),
    );
    const same = revisions.filter((revision) => isSameRevision(revision, latest));
    return { hash: hashOf(latest), hashes: new Set(same.map(hashOf)), revisions, collisionCount };
  }

  /** Judges the marked nodes again. */
  #judge(set: DaemonSet, ledger: SetLedger, { hashes }: Recorded): void {
    const { clock, informers } = this.#deps.context;
    const selector = toSelector(set.spec?.selector);
    const facts = factsOf(set, hashes);
    for (const name of ledger.takeMarked()) {
      const node = informers.of(nodes).find(parseKey(name));
      const owned = informers.of(pods).byIndex("daemonNode", `${ledger.uid}/${name}`);
      const own = owned.filter(({ metadata }) => matchesLabels(selector, metadata.labels));
      const expected = ledger.expectations.state(name);
      if (expected.state === "expired") ledger.doubted.add(name);
      if (node === undefined && own.length === 0 && expected.state === "fulfilled") {
        ledger.forget(name);
        continue;
      }
      const judged = judgeNode(
        facts,
        {
          node,
          pods: own,
          isPending: expected.state !== "fulfilled",
          failedPodWaitMs: ledger.backoff.waitMs(name),
        },
        clock.nowMs(),
      );
      const waits = [judged.recheckAfterMs, expected.state === "pending" ? expected.expiresInMs : undefined];
      const known = waits.filter((wait) => wait !== undefined);
      ledger.put(name, { ...judged, recheckAfterMs: known.length === 0 ? undefined : Math.min(...known) });
    }
  }

  async #writeStatus(set: DaemonSet, ledger: SetLedger, { collisionCount }: Recorded): Promise<void> {
    const status = planDaemonStatus(set, ledger.counts, collisionCount);
    if (sameJson(status, set.status)) return;
    await this.#deps.context.client.update(daemonSets, { ...set, status }, { subresource: "status" });
  }

  /** Revisions that pods are made from are retained, regardless of the limit. */
  async #truncate(set: DaemonSet, { hashes, revisions }: Recorded): Promise<void> {
    const copy = this.#deps.context.informers.of(pods);
    await this.#history.truncate(set, revisions, (revision) => {
      const hash = hashOf(revision);
      return hashes.has(hash) || copy.byIndex("daemonHash", `${set.metadata.uid}/${hash}`).length > 0;
    });
  }
}

function factsOf({ spec }: DaemonSet, hashes: ReadonlySet<string>): SetFacts {
  const { template = {}, minReadySeconds = 0, updateStrategy } = spec ?? {};
  const surges = surgesAt(updateStrategy?.rollingUpdate?.maxSurge ?? 0);
  const strategy = updateStrategy?.type === "OnDelete" ? "on delete" : surges ? "surge" : "stop first";
  return { template, minReadySeconds, hashes, strategy };
}

/** A revision that another controller made may lack the label; its name is equally valid. */
function hashOf({ metadata }: ControllerRevision): string {
  return metadata.labels?.[controllerRevisionHashLabel] ?? metadata.name ?? "";
}

function isStaying({ metadata }: { metadata: { deletionTimestamp?: string | undefined } }): boolean {
  return metadata.deletionTimestamp === undefined;
}
