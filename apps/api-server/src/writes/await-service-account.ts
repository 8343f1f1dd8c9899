import { serviceAccounts } from "@kintsugi/api";
import type { ResourceCall } from "../request/resource-call.ts";
import { storeKey } from "../resources/keys.ts";
import type { KubeObject } from "../resources/resource.ts";
import type { ServerContext } from "../server-context.ts";

const triesMax = 10;
const retryIntervalMs = 100;

/**
 * A create in a namespace that was created a moment ago waits up to a second for the account that
 * it uses, which a controller creates.
 */
export async function awaitServiceAccount(
  context: ServerContext,
  call: ResourceCall,
  object: KubeObject,
): Promise<void> {
  const account = context.tokens && call.resource.kind.exceptions.awaitedServiceAccount?.(object);
  if (account === undefined) return;
  const key = storeKey(serviceAccounts, call.info.namespace, account);
  for (let tries = 0; tries < triesMax && context.store.find(key) === undefined; tries++) {
    await context.clock.sleep(retryIntervalMs);
  }
}
