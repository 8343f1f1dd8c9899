import type { Store } from "@kintsugi/store";
import type { Life } from "../process/life.ts";
import { never } from "../process/life.ts";
import type { CommittedLog } from "./committed-log.ts";

/**
 * The store as one process has it open: its subscriptions end with the process, and its unwritten
 * data stays unwritten.
 */
export function storeSession(store: Store, life: Life, committed: CommittedLog): Store {
  return new Proxy(store, {
    get(_, name) {
      if (name === "subscribe") {
        return (listener: Parameters<Store["subscribe"]>[0]) => {
          const unsubscribe = store.subscribe(listener);
          life.onEnd(unsubscribe);
          return unsubscribe;
        };
      }
      if (name === "update") {
        return async (...given: Parameters<Store["update"]>) => {
          if (life.ended) return never();
          const answer = await store.update(...given);
          const asleep = life.awake();
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
