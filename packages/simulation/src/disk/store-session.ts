import type { Store } from "@kintsugi/store";
import type { Incarnation } from "../process/incarnation.ts";
import { never } from "../process/incarnation.ts";
import type { CommittedLog } from "./committed-log.ts";

/**
 * The store as opened by one process: its subscriptions end with the process, and its unwritten
 * data is never written.
 */
export function storeSession(store: Store, incarnation: Incarnation, committed: CommittedLog): Store {
  return new Proxy(store, {
    get(_, name) {
      if (name === "subscribe") {
        return (listener: Parameters<Store["subscribe"]>[0]) => {
          const unsubscribe = store.subscribe(listener);
          incarnation.onEnd(unsubscribe);
          return unsubscribe;
        };
      }
      if (name === "update") {
        return async (...given: Parameters<Store["update"]>) => {
          if (incarnation.ended) return never();
          const answer = await store.update(...given);
          const asleep = incarnation.awake();
          if (asleep) await asleep;
          committed.answered(given[0], answer);
          return answer;
        };
      }
      const value: unknown = Reflect.get(store, name, store);
      return typeof value === "function" ? (value as () => unknown).bind(store) : value;
    },
  });
}
