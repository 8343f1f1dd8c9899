import { type ControllerRevision, controllerRevisions, isApiError, keyOf, type ResourceType } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import type { Informers } from "@kintsugi/controller";
import { Claimer } from "../owners/claimer.ts";
import {
  compareRevisionNumbers,
  planRevision,
  planTruncation,
  revisionHashLabel,
  type VersionedWorkload,
  withCollisions,
} from "./plan-revision.ts";
import { isSameRevision } from "./revision-data.ts";

/**
 * Number of names that are tried for one revision. A name ends in a hash of 32 bits, so more
 * collisions are not accidental.
 */
const namesTriedMax = 64;

export interface RevisionHistoryDeps {
  client: Client;
  informers: Informers;
}

export interface RecordedRevision {
  /** The revision that records the present template. */
  latest: ControllerRevision;
  /** All revisions of the workload, oldest first; `latest` is the last revision. */
  revisions: ControllerRevision[];
  /** The controller writes this count into the workload's status. */
  collisionCount: number;
}

/**
 * The past templates of workloads of one kind, as in upstream's pkg/controller/history. A
 * controller reads `indexedRevisions`, watches `owns(controllerRevisions, ownerType)`, and has the
 * verbs "create delete get list patch update watch" of controllerrevisions. Each pass of its
 * reconciler has these steps:
 *
 *     const known = await history.claim(owner, signal);
 *     const { latest, revisions, collisionCount } = await history.record(owner, known);
 *     …                          // pods name `latest.metadata.name`, or the hash in its label
 *     await history.truncate(owner, revisions, ({ metadata }) => live.has(metadata.name ?? ""));
 *
 * A controller that was killed between any two writes continues with the next pass: a created
 * revision is found under its name, and a renumbered revision is the latest.
 */
export class RevisionHistory<Owner extends VersionedWorkload> {
  readonly #deps: RevisionHistoryDeps;
  readonly #ownerType: ResourceType<Owner>;
  readonly #claimer: Claimer<ControllerRevision>;
  readonly #hashLabel: string;

  /**
   * @param options `hashLabel` is the label of revisions whose value is the hash of the revision's
   * name.
   */
  constructor(deps: RevisionHistoryDeps, ownerType: ResourceType<Owner>, options: { hashLabel?: string } = {}) {
    this.#deps = deps;
    this.#hashLabel = options.hashLabel ?? revisionHashLabel;
    this.#ownerType = ownerType;
    this.#claimer = new Claimer(deps.client, {
      ownerType,
      type: controllerRevisions,
      mayChange: ({ metadata }) => metadata.deletionTimestamp === undefined,
    });
  }

  /** The owner's revisions, oldest first; orphans that match its selector are adopted. */
  async claim(owner: Owner, signal: AbortSignal): Promise<ControllerRevision[]> {
    const { namespace = "", uid = "" } = owner.metadata;
    const informer = this.#deps.informers.of(controllerRevisions);
    const candidates = [...informer.byIndex("controller", uid), ...informer.byIndex("orphan", namespace)];
    const claimed = await this.#claimer.claim({ owner, selector: owner.spec?.selector }, candidates, signal);
    return claimed.toSorted(compareRevisionNumbers);
  }

  /** Makes the latest revision record the owner's present template. */
  async record(owner: Owner, known: readonly ControllerRevision[]): Promise<RecordedRevision> {
    const { client } = this.#deps;
    const collisionCount = owner.status?.collisionCount ?? 0;
    const step = planRevision(owner, this.#ownerType, known);
    switch (step.do) {
      case "keep":
        return { latest: step.revision, revisions: [...known], collisionCount };
      case "renumber": {
        const latest = await client.update(controllerRevisions, { ...step.revision, revision: step.number });
        const others = known.filter((revision) => revision.metadata.uid !== latest.metadata.uid);
        return { latest, revisions: [...others, latest], collisionCount };
      }
      case "create": {
        const { latest, collisions } = await this.#create(owner, step.revision);
        return { latest, revisions: [...known, latest], collisionCount: collisions };
      }
    }
  }

  /** Deletes the oldest revisions beyond `revisionHistoryLimit`, but never live revisions. */
  async truncate(
    owner: Owner,
    revisions: readonly ControllerRevision[],
    isLive: (revision: ControllerRevision) => boolean,
  ): Promise<void> {
    for (const revision of planTruncation(owner, revisions, isLive)) {
      const { uid = "" } = revision.metadata;
      try {
        await this.#deps.client.delete(controllerRevisions, keyOf(revision), { preconditions: { uid } });
      } catch (error) {
        // The revision no longer exists, or another revision has its name.
        if (!isApiError(error, "NotFound", "Conflict")) throw error;
      }
    }
  }

  async #create(
    owner: Owner,
    revision: ControllerRevision,
  ): Promise<{ latest: ControllerRevision; collisions: number }> {
    const { client } = this.#deps;
    const first = owner.status?.collisionCount ?? 0;
    for (let collisions = first; ; collisions++) {
      const named = this.#labelled(withCollisions(revision, owner, collisions));
      try {
        return { latest: await client.create(controllerRevisions, named), collisions };
      } catch (error) {
        if (!isApiError(error, "AlreadyExists") || collisions - first >= namesTriedMax) throw error;
        const existing = await client.find(controllerRevisions, keyOf(named));
        // An earlier pass has created the revision, but the informer has not received it yet.
        if (existing !== undefined && isSameRevision(existing, named)) return { latest: existing, collisions };
      }
    }
  }

  #labelled(revision: ControllerRevision): ControllerRevision {
    const { [revisionHashLabel]: hash = "", ...labels } = revision.metadata.labels ?? {};
    return { ...revision, metadata: { ...revision.metadata, labels: { ...labels, [this.#hashLabel]: hash } } };
  }
}
