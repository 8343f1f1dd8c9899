import {
  bootstrapTokenName,
  type ConfigMap,
  configMaps,
  isApiError,
  readBootstrapToken,
  type Secret,
  secrets,
} from "@kintsugi/api";
import { type Controller, QueueController, type ReconcileResult } from "@kintsugi/controller";
import type { ControllerContext } from "../../context.ts";
import { whileListening } from "../../shared/while-listening.ts";
import { signedClusterInfo } from "./plan.ts";

const clusterInfo = { namespace: "kube-public", name: "cluster-info" } as const;
const tokenNamespace = "kube-system";
/** Looked at again at least this often: a token may end while nothing changes. */
const resyncMs = 3_600_000;

/** Signs cluster-info with every bootstrap token that is for that, and removes tokens that are over: upstream's bootstrapsigner and tokencleaner. */
export class BootstrapTokens implements Controller {
  readonly name = "bootstrap-tokens";
  readonly #context: ControllerContext;
  readonly #queue: QueueController;

  constructor(context: ControllerContext) {
    this.#context = context;
    this.#queue = new QueueController(
      {
        ...context,
        reconciler: { reconcile: (_, signal) => this.#reconcile(signal) },
        allKeys: () => ["all"],
      },
      { name: "bootstrap_tokens", workers: 1 },
    );
  }

  async run(signal: AbortSignal): Promise<void> {
    const wake = () => this.#queue.enqueue("all");
    const stops = [
      this.#tokens().onChange(({ object }) => readBootstrapToken(object) && wake()),
      this.#clusterInfos().onChange(({ object }) => object.metadata.name === clusterInfo.name && wake()),
    ];
    await whileListening(stops, this.#queue.run(signal));
  }

  /** The copies that the garbage collector follows anyway. */
  #tokens() {
    return this.#context.informers.of<Secret>(secrets);
  }

  #clusterInfos() {
    return this.#context.informers.of<ConfigMap>(configMaps);
  }

  async #reconcile(signal: AbortSignal): Promise<ReconcileResult> {
    const { client, clock, log } = this.#context;
    const nowMs = clock.nowMs();
    const found = this.#tokens()
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
