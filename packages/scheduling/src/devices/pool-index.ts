import { compareText, type ResourceSlice } from "@kintsugi/api";
import {
  type DeviceNode,
  isReachable,
  type Pool,
  type PooledDevice,
  poolOf,
  type ReachablePool,
} from "./allocator/pool.ts";

/** A pool, with its devices by their nodes. */
interface BuiltPool {
  readonly pool: Pool;
  readonly onNode: ReadonlyMap<string, readonly PooledDevice[]>;
  /** Devices that several nodes may reach. */
  readonly wide: readonly PooledDevice[];
}

/**
 * The pools of all slices. A pool is built again when one of its slices has changed and a pod with
 * claims is inspected, because slices arrive in series, and most pods have no claims.
 */
export class PoolIndex {
  /** The slices by name, by pool. */
  readonly #slices = new Map<string, Map<string, ResourceSlice>>();
  readonly #changed = new Set<string>();
  readonly #built = new Map<string, BuiltPool>();
  /** The keys of the pools that have devices on the node. */
  readonly #byNode = new Map<string, Set<string>>();
  readonly #wide = new Set<string>();

  put(slice: ResourceSlice): void {
    const key = keyOf(slice);
    const name = slice.metadata.name ?? "";
    const ofPool = this.#slices.get(key) ?? new Map<string, ResourceSlice>();
    ofPool.set(name, slice);
    this.#slices.set(key, ofPool);
    this.#changed.add(key);
  }

  remove(slice: ResourceSlice): void {
    const key = keyOf(slice);
    const ofPool = this.#slices.get(key);
    ofPool?.delete(slice.metadata.name ?? "");
    if (ofPool?.size === 0) this.#slices.delete(key);
    this.#changed.add(key);
  }

  /** The pools with a device that the node reaches, by driver and name. */
  reachableFrom(node: DeviceNode): readonly ReachablePool[] {
    this.#rebuild();
    const keys = [...new Set([...(this.#byNode.get(node.name) ?? []), ...this.#wide])].toSorted(compareText);
    return keys.flatMap((key) => {
      const built = this.#built.get(key);
      if (built === undefined) return [];
      const wide = built.wide.filter((device) => isReachable(device, node));
      const devices = [...(built.onNode.get(node.name) ?? []), ...wide];
      return devices.length === 0 ? [] : [{ pool: built.pool, devices }];
    });
  }

  #rebuild(): void {
    for (const key of this.#changed) {
      this.#forget(key);
      const pool = poolOf([...(this.#slices.get(key)?.values() ?? [])]);
      if (pool !== undefined) this.#keep(key, pool);
    }
    this.#changed.clear();
  }

  #forget(key: string): void {
    for (const nodeName of this.#built.get(key)?.onNode.keys() ?? []) {
      const keys = this.#byNode.get(nodeName);
      keys?.delete(key);
      if (keys?.size === 0) this.#byNode.delete(nodeName);
    }
    this.#wide.delete(key);
    this.#built.delete(key);
  }

  #keep(key: string, pool: Pool): void {
    const onNode = new Map<string, PooledDevice[]>();
    const wide: PooledDevice[] = [];
    for (const device of pool.devices) {
      const { reach } = device;
      if (reach.on !== "node") wide.push(device);
      else {
        const devices = onNode.get(reach.nodeName);
        if (devices === undefined) onNode.set(reach.nodeName, [device]);
        else devices.push(device);
      }
    }
    for (const nodeName of onNode.keys()) {
      this.#byNode.set(nodeName, (this.#byNode.get(nodeName) ?? new Set()).add(key));
    }
    if (wide.length > 0) this.#wide.add(key);
    this.#built.set(key, { pool, onNode, wide });
  }
}

function keyOf({ spec }: ResourceSlice): string {
  return `${spec.driver}/${spec.pool.name}`;
}
