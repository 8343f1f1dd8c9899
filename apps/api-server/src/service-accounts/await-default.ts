import { type Pod, serviceAccounts } from "@kintsugi/api";
import type { ResourceCall } from "../request/resource-call.ts";
import { storeKey } from "../resources/keys.ts";
import type { KubeObject } from "../resources/resource.ts";
import type { ServerContext } from "../server-context.ts";

const triesMax = 10;
const retryIntervalMs = 100;

/** A pod in a namespace that was made a moment ago waits up to a second for the default account, which a controller is making. */
export async function awaitDefaultServiceAccount(
  context: ServerContext,
  call: ResourceCall,
  object: KubeObject,
): Promise<void> {
  if (context.tokens === undefined || call.resource.type.kind !== "Pod") return;
  const { serviceAccountName = "" } = (object as Pod).spec ?? {};
  if (serviceAccountName !== "" && serviceAccountName !== "default") return;
  const key = storeKey(serviceAccounts, call.info.namespace, "default");
  for (let tries = 0; tries < triesMax && context.store.find(key) === undefined; tries++) {
    await context.clock.sleep(retryIntervalMs);
  }
}
