import { strict as assert } from "node:assert";
import type { Status } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import type { CommittedChange, Entry, Store } from "@kintsugi/store";
import { type FieldRoute, selectableValue } from "../request/selection.ts";
import type { Resource } from "../resources/resource.ts";
import { DeliveryTurns } from "./delivery-turns.ts";
import type { EventEncoder } from "./event-encoder.ts";
import type { Watcher } from "./watcher.ts";

/**
 * Sends every committed change to the watches that it affects, in revision order. A change is
 * framed once per encoder and the frame is shared by all its watchers. A watch on one name or node
 * is woken only by changes of that name or node.
 */
export class WatchHub {
  /** The turns in which the readers of its watches are woken. */
  readonly turns: DeliveryTurns;
  readonly #channels = new Map<string, Channel>();
  #watchers = 0;
  /** The revision of the last change that was delivered. */
  #revision = 0;

  constructor(deps: { clock: Pick<Clock, "nextTurn"> }) {
    this.turns = new DeliveryTurns(deps);
  }

  /** Starts to follow the store. Returns a function that stops following. */
  follow(store: Pick<Store, "subscribe">): () => void {
    return store.subscribe((changes) => this.#deliver(changes));
  }

  add(resource: string, watcher: Watcher): void {
    this.#channel(resource).add(watcher);
    this.#watchers++;
  }

  remove(resource: string, watcher: Watcher): void {
    if (!this.#channel(resource).remove(watcher)) return;
    this.#watchers--;
    assert(this.#watchers >= 0, "more watches have ended than were begun");
  }

  /** Returns the number of open watches. */
  size(): number {
    return this.#watchers;
  }

  /** Ends every open watch. Clients reconnect to this or to another server. */
  close(): void {
    for (const channel of this.#channels.values()) channel.close();
  }

  /**
   * Ends the watches of a kind that is no longer served, each with an error if an error is given.
   */
  endAllOf(resource: Resource, last: Status | undefined): void {
    this.#channels.get(resource.storeName)?.endAllOf(resource, last);
  }

  #channel(resource: string): Channel {
    let channel = this.#channels.get(resource);
    if (channel === undefined) {
      channel = new Channel();
      this.#channels.set(resource, channel);
    }
    return channel;
  }

  /** Returns the number of events sent to watches of the resource since the last call. */
  takeSentCount(resource: string): number {
    return this.#channels.get(resource)?.takeSentCount() ?? 0;
  }

  #deliver(changes: readonly CommittedChange[]): void {
    this.turns.begin();
    for (const change of changes) {
      assert(change.revision > this.#revision, `revision ${change.revision} is delivered after ${this.#revision}`);
      this.#revision = change.revision;
      this.#channels.get(change.resource)?.deliver(change);
    }
  }
}

/** The watches of one resource, indexed by the field value that they select. */
class Channel {
  readonly #all = new Set<Watcher>();
  readonly #routed = new Map<string, Set<Watcher>>();
  readonly #routedFields = new Map<string, number>();
  #sent = 0;

  add(watcher: Watcher): void {
    assert(!watcher.ended, "a watch that has ended is not begun again");
    const route = watcher.selection.route;
    if (route === undefined) {
      assert(!this.#all.has(watcher), "a watch is begun once");
      this.#all.add(watcher);
      return;
    }
    const key = routeKey(route);
    const watchers = this.#routed.get(key) ?? new Set();
    assert(!watchers.has(watcher), "a watch is begun once");
    watchers.add(watcher);
    this.#routed.set(key, watchers);
    this.#routedFields.set(route.field, (this.#routedFields.get(route.field) ?? 0) + 1);
  }

  remove(watcher: Watcher): boolean {
    const route = watcher.selection.route;
    if (route === undefined) return this.#all.delete(watcher);
    const key = routeKey(route);
    const watchers = this.#routed.get(key);
    if (watchers === undefined || !watchers.delete(watcher)) return false;
    if (watchers.size === 0) this.#routed.delete(key);
    const count = this.#routedFields.get(route.field);
    assert(
      count !== undefined && count > 0,
      `a watch waits for ${route.field}, but changes are not matched by this field`,
    );
    const left = count - 1;
    if (left === 0) this.#routedFields.delete(route.field);
    else this.#routedFields.set(route.field, left);
    return true;
  }

  close(): void {
    for (const watcher of this.#watchers()) watcher.end();
  }

  endAllOf(resource: Resource, last: Status | undefined): void {
    for (const watcher of this.#watchers()) {
      if (watcher.resource !== resource) continue;
      if (last !== undefined) watcher.push(watcher.encoder.error(last));
      watcher.end();
    }
  }

  /** Returns a copy, because a watch that ends removes itself. */
  #watchers(): Watcher[] {
    return [...this.#all, ...[...this.#routed.values()].flatMap((watchers) => [...watchers])];
  }

  takeSentCount(): number {
    const sent = this.#sent;
    this.#sent = 0;
    return sent;
  }

  deliver(change: CommittedChange): void {
    const frames = new ChangeFrames(change);
    for (const watcher of this.#all) frames.giveTo(watcher);
    for (const field of this.#routedFields.keys()) {
      const now = selectableValue(change.entry, field);
      const before = change.before === undefined ? now : selectableValue(change.before, field);
      this.#deliverRouted({ field, value: now }, frames);
      if (before !== now) this.#deliverRouted({ field, value: before }, frames);
    }
    this.#sent += frames.given;
  }

  #deliverRouted(route: FieldRoute, frames: ChangeFrames): void {
    const watchers = this.#routed.get(routeKey(route));
    if (watchers !== undefined) for (const watcher of watchers) frames.giveTo(watcher);
  }
}

function routeKey(route: FieldRoute): string {
  return `${route.field}=${route.value}`;
}

/** The frames of one change, made when first needed. */
export class ChangeFrames {
  readonly #change: CommittedChange;
  /** The number of watches that got the change. */
  given = 0;
  readonly #made = new Map<EventEncoder, Partial<Record<"ADDED" | "MODIFIED" | "DELETED" | "LEFT", Uint8Array>>>();

  constructor(change: CommittedChange) {
    this.#change = change;
  }

  giveTo(watcher: Watcher): void {
    const frame = this.frameFor(watcher.encoder, (entry) => watcher.matches(entry));
    if (frame === undefined) return;
    watcher.push(frame);
    this.given++;
  }

  /**
   * Returns the event of a change for a watch with this filter, depending on whether the object
   * matched before the change and matches after it.
   */
  frameFor(encoder: EventEncoder, matches: (entry: Entry) => boolean): Uint8Array | undefined {
    const { type, entry, before } = this.#change;
    const matchedBefore = before !== undefined && matches(before);
    if (type === "delete") return matchedBefore ? this.#frame(encoder, "DELETED") : undefined;
    if (matches(entry)) return this.#frame(encoder, matchedBefore ? "MODIFIED" : "ADDED");
    return matchedBefore ? this.#frame(encoder, "LEFT") : undefined;
  }

  #frame(encoder: EventEncoder, kind: "ADDED" | "MODIFIED" | "DELETED" | "LEFT"): Uint8Array {
    let made = this.#made.get(encoder);
    if (made === undefined) {
      made = {};
      this.#made.set(encoder, made);
    }
    made[kind] ??= this.#encode(encoder, kind);
    return made[kind];
  }

  #encode(encoder: EventEncoder, kind: "ADDED" | "MODIFIED" | "DELETED" | "LEFT"): Uint8Array {
    const { entry, before, revision } = this.#change;
    return kind === "LEFT" && before !== undefined
      ? encoder.left(before, revision)
      : encoder.event(kind === "LEFT" ? "DELETED" : kind, entry);
  }
}
