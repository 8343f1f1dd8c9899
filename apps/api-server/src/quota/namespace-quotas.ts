import type { ResourceQuota, ResourceType } from "@kintsugi/api";
import { resourceQuotas } from "@kintsugi/api";
import {
  type KnownQuota,
  kindOfQuotaName,
  limitedNames,
  type QuotaUsage,
  quotaUsageOf,
  UsageTotal,
  withoutEnded,
} from "@kintsugi/rules";
import type { CommittedChange, Entry, Store } from "@kintsugi/store";
import { decodeEntry } from "../resources/encoding.ts";
import { storePrefix, storeResource } from "../resources/keys.ts";

type GroupResource = Pick<ResourceType, "group" | "resource">;

interface Known {
  quota: ResourceQuota;
  total: UsageTotal;
}

/** The measured objects of one kind. */
interface CountedKind {
  readonly type: GroupResource;
  readonly usages: Map<string, QuotaUsage>;
  /**
   * Objects that have changed since they were measured; undefined for an object that no longer
   * exists.
   */
  readonly changed: Map<string, Entry | undefined>;
  /** Pods whose grace period will end, because they count for less afterwards. */
  readonly ending: Set<string>;
}

/** The usage of one namespace's quotas by its objects. */
export class NamespaceQuotas {
  readonly #store: Pick<Store, "list">;
  readonly #namespace: string;
  readonly #quotas = new Map<string, Known>();
  readonly #kinds = new Map<string, CountedKind>();

  constructor(store: Pick<Store, "list">, namespace: string) {
    this.#store = store;
    this.#namespace = namespace;
  }

  get isEmpty(): boolean {
    return this.#quotas.size === 0;
  }

  /** `pending`: changes that the store does not show yet. */
  loadQuotas(pending: readonly CommittedChange[]): void {
    for (const entry of this.#store.list(storePrefix(resourceQuotas, this.#namespace)).entries) {
      this.#setQuota(entry, pending);
    }
  }

  changeQuota(change: CommittedChange, pending: readonly CommittedChange[]): void {
    if (change.type === "delete") this.#quotas.delete(change.entry.key);
    else this.#setQuota(change.entry, pending);
  }

  /**
   * Records a change. The change is measured only when the usage is needed, because pods change
   * more often than they are created.
   */
  change(change: CommittedChange): void {
    const kind = this.#kinds.get(change.resource);
    kind?.changed.set(change.entry.key, change.type === "delete" ? undefined : change.entry);
  }

  quotasFor(type: GroupResource, nowMs: number): readonly KnownQuota[] {
    const limiting = [...this.#quotas.values()].filter(({ quota }) => limitedNames(quota, type).length > 0);
    const kind = this.#kinds.get(storeResource(type));
    if (limiting.length === 0 || kind === undefined) return [];
    this.#measure(kind, nowMs);
    return limiting
      .toSorted((a, b) => ((a.quota.metadata.name ?? "") < (b.quota.metadata.name ?? "") ? -1 : 1))
      .map(({ quota, total }) => ({ quota, used: total.used }));
  }

  #setQuota(entry: Entry, pending: readonly CommittedChange[]): void {
    // A stored object has passed the kind's schema, so it has the kind's shape.
    const quota = decodeEntry(entry) as ResourceQuota;
    const before = this.#quotas.get(entry.key);
    const spec = quota.spec ?? {};
    // The controller writes the status often. The totals are valid while the spec is unchanged.
    if (before !== undefined && JSON.stringify(before.quota.spec ?? {}) === JSON.stringify(spec)) return;
    const total = new UsageTotal(spec);
    for (const name of Object.keys(spec.hard ?? {})) {
      const type = kindOfQuotaName(name);
      if (type !== undefined && !this.#kinds.has(storeResource(type))) this.#loadKind(type, pending);
    }
    for (const kind of this.#kinds.values()) for (const usage of kind.usages.values()) total.add(usage);
    this.#quotas.set(entry.key, { quota, total });
  }

  #loadKind(type: GroupResource, pending: readonly CommittedChange[]): void {
    const kind: CountedKind = { type, usages: new Map(), changed: new Map(), ending: new Set() };
    for (const entry of this.#store.list(storePrefix(type, this.#namespace)).entries)
      kind.changed.set(entry.key, entry);
    this.#kinds.set(storeResource(type), kind);
    const prefix = storePrefix(type, this.#namespace);
    for (const change of pending) if (change.entry.key.startsWith(prefix)) this.change(change);
  }

  #measure(kind: CountedKind, nowMs: number): void {
    for (const [key, entry] of kind.changed) {
      const usage = entry === undefined ? undefined : quotaUsageOf(kind.type, decodeEntry(entry));
      this.#replace(kind, key, usage);
    }
    kind.changed.clear();
    for (const key of kind.ending) {
      const usage = kind.usages.get(key);
      const ended = usage === undefined ? undefined : withoutEnded(usage, nowMs);
      if (ended !== usage) this.#replace(kind, key, ended);
    }
  }

  #replace(kind: CountedKind, key: string, usage: QuotaUsage | undefined): void {
    const before = kind.usages.get(key);
    for (const { total } of this.#quotas.values()) {
      if (before !== undefined) total.remove(before);
      if (usage !== undefined) total.add(usage);
    }
    if (usage === undefined) kind.usages.delete(key);
    else kind.usages.set(key, usage);
    if (usage?.countedUntilMs === undefined) kind.ending.delete(key);
    else kind.ending.add(key);
  }
}
