import { type ApiObject, controllerOf, formatKey, keyOf, type LabelSelector, type ResourceType } from "@kintsugi/api";
import type { InformerChange } from "@kintsugi/client";
import { findAdopters, findController } from "../owners/find-controller.ts";
import type { Informers } from "./informer-pool.ts";

/** The queue in which a controller's keys wait for a worker. */
export interface KeyQueue {
  enqueue(key: string): void;
  enqueueAfter(key: string, delayMs: number): void;
}

/** Changes of one kind that wake keys of a controller. */
export interface Watch {
  /**
   * Wakes the keys of all existing objects, and then the keys of each change. Returns a function
   * that stops the watch.
   */
  follow(informers: Informers, queue: KeyQueue): () => void;
}

/** The keys that a change wakes. A change for which it returns nothing does not wake a key. */
type KeysFor<T extends ApiObject> = (change: InformerChange<T>) => Iterable<string> | undefined | void;

/**
 * Wakes the keys that `keysFor` returns for each change of an object of the kind; the default is
 * the key of the object.
 */
export function on<T extends ApiObject>(
  type: ResourceType<T>,
  keysFor: KeysFor<T> = ({ object }) => [formatKey(keyOf(object))],
  { afterMs }: { afterMs?: number } = {},
): Watch {
  return {
    follow(informers, queue) {
      // A kind that is optional and not served never has changes.
      const stop = informers.find(type)?.onChange((change) => {
        for (const key of keysFor(change) ?? []) {
          if (afterMs === undefined) queue.enqueue(key);
          else queue.enqueueAfter(key, afterMs);
        }
      });
      return () => stop?.();
    },
  };
}

type Owner = ApiObject & { spec?: { selector?: LabelSelector | undefined } | undefined };

type Observe<T extends ApiObject> = (change: InformerChange<T>, ownerKey: string) => void;

/**
 * Wakes the owner that controls a changed object, and the owner that controlled it before. An
 * object without a controller wakes all owners that select it, because one of them may adopt it.
 * `observe` is called before the owner is woken. If `afterMs` is given, the owner is woken after
 * this delay.
 */
export function owns<T extends ApiObject, O extends Owner>(
  type: ResourceType<T>,
  ownerType: ResourceType<O>,
  options: Observe<T> | { observe?: Observe<T>; afterMs?: number } = {},
): Watch {
  const { observe, afterMs } = typeof options === "function" ? { observe: options } : options;
  return ownsSelected(type, ownerType, { observe, afterMs, selectorOf: ({ spec }) => spec?.selector });
}

/** `owns` for owners whose selector has another form. */
export function ownsSelected<T extends ApiObject, O extends ApiObject>(
  type: ResourceType<T>,
  ownerType: ResourceType<O>,
  options: {
    selectorOf: (owner: O) => LabelSelector | undefined;
    observe?: Observe<T> | undefined;
    afterMs?: number | undefined;
  },
): Watch {
  const { observe, afterMs = 0, selectorOf } = options;
  return {
    follow(informers, queue) {
      const owners = informers.of(ownerType);
      const ownerOf = (object: T) => findController(object, ownerType, owners);
      const wake = (key: string) => (afterMs === 0 ? queue.enqueue(key) : queue.enqueueAfter(key, afterMs));
      return informers.of(type).onChange((change) => {
        const { object } = change;
        const isMoved = change.type === "modified" && controllerOf(change.before)?.uid !== controllerOf(object)?.uid;
        const previous = isMoved ? ownerOf(change.before) : undefined;
        if (previous !== undefined) wake(formatKey(keyOf(previous)));
        const owner = ownerOf(object);
        if (owner !== undefined) {
          const key = formatKey(keyOf(owner));
          observe?.(change, key);
          wake(key);
        } else if (change.type !== "deleted" && controllerOf(object) === undefined) {
          for (const adopter of findAdopters(object, owners, selectorOf)) wake(formatKey(keyOf(adopter)));
        }
      });
    },
  };
}
