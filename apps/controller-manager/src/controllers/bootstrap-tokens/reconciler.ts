import { bootstrapTokenName, configMaps, isApiError, readBootstrapToken, secrets } from "@kintsugi/api";
import type { Reconciler, ReconcileResult } from "@kintsugi/controller";
import type { ControllerContext } from "../../context.ts";
import { signedClusterInfo } from "./plan.ts";

export const clusterInfo = { namespace: "kube-public", name: "cluster-info" } as const;
const tokenNamespace = "kube-system";
/**
 * Longest interval between two reconciles of the tokens, because a token may expire while nothing
 * changes.
 */
const resyncMs = 3_600_000;

/** Inspects all tokens at the same time: there are few, and all of them sign the same object. */
export class BootstrapTokenReconciler implements Reconciler {
  readonly #context: ControllerContext;

  constructor(context: ControllerContext) {
    this.#context = context;
  }

  async reconcile(_key: string, signal: AbortSignal): Promise<ReconcileResult> {
    const { client, clock, informers, log } = this.#context;
    const nowMs = clock.nowMs();
    const found = informers
      .of(secrets)
      .list()
      .flatMap((secret) => readBootstrapToken(secret) ?? []);
    for (const { id } of found.filter(({ endsMs }) => endsMs <= nowMs)) {
      await this.#remove(bootstrapTokenName(id), signal);
      log.info("bootstrap token removed: it has expired", { token: id });
    }
    const alive = found.filter(({ endsMs }) => endsMs > nowMs);
    const info = await client.find(configMaps, clusterInfo, { signal });
    if (info?.data) {
      const data = signedClusterInfo(info.data, alive, nowMs);
      if (data !== info.data) await client.update(configMaps, { ...info, data }, { signal });
    }
    return { retryAfterMs: Math.min(resyncMs, ...alive.map(({ endsMs }) => endsMs - nowMs)) };
  }

  async #remove(name: string, signal: AbortSignal): Promise<void> {
    try {
      await this.#context.client.delete(secrets, { namespace: tokenNamespace, name }, { signal });
    } catch (error) {
      if (!isApiError(error, "NotFound")) throw error;
    }
  }
}
