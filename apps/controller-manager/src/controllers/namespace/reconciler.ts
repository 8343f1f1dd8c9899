import { eventsV1, isApiError, type Namespace, namespaces } from "@kintsugi/api";
import { type DiscoveredType, discoverTypes } from "@kintsugi/client";
import { done, type Reconciler, type ReconcileResult } from "@kintsugi/controller";
import type { ControllerContext } from "../../context.ts";
import { deleteContent } from "./delete-content.ts";
import { type ContentReport, kubernetesFinalizer, planConditions, planNamespace } from "./plan.ts";

/** Empties one namespace that is being deleted. */
export class NamespaceReconciler implements Reconciler {
  readonly #context: ControllerContext;

  constructor(context: ControllerContext) {
    this.#context = context;
  }

  async reconcile(name: string, signal: AbortSignal): Promise<ReconcileResult> {
    const { client, log } = this.#context;
    const namespace = await client.find(namespaces, { namespace: "", name }, { signal });
    if (namespace?.metadata.deletionTimestamp === undefined) return done;
    if (!(namespace.spec?.finalizers ?? []).includes(kubernetesFinalizer)) return done;
    // The kinds are discovered again for each namespace, because a kind may have been added since
    // the last namespace was deleted.
    const { types: served, unknownGroups } = await discoverTypes(client, signal);
    const types = served.filter(isContent);
    const found = await deleteContent({ client, log, types }, name, signal);
    const report: ContentReport = { ...found, unknownGroups };
    const current = await this.#writeStatus(namespace, report);
    const plan = planNamespace(report);
    if (plan.type === "wait") return { retryAfterMs: plan.retryAfterMs };
    await this.#finalize(current);
    log.info("namespace emptied", { namespace: name });
    return done;
  }

  async #writeStatus(namespace: Namespace, report: ContentReport): Promise<Namespace> {
    const conditions = planConditions(namespace, report, this.#context.clock.nowMs());
    const { status } = namespace;
    if (conditions === status?.conditions && status.phase === "Terminating") return namespace;
    const next: Namespace = { ...namespace, status: { ...status, phase: "Terminating", conditions } };
    return this.#context.client.update(namespaces, next, { subresource: "status" });
  }

  async #finalize(namespace: Namespace): Promise<void> {
    const finalizers = (namespace.spec?.finalizers ?? []).filter((finalizer) => finalizer !== kubernetesFinalizer);
    const next: Namespace = { ...namespace, spec: { ...namespace.spec, finalizers } };
    try {
      await this.#context.client.update(namespaces, next, { subresource: "finalize" });
    } catch (error) {
      if (!isApiError(error, "NotFound")) throw error;
    }
  }
}

/** Events are the same objects in both of their groups. */
function isContent({ group, namespaced, verbs }: DiscoveredType): boolean {
  return namespaced && group !== eventsV1.group && verbs.includes("list") && verbs.includes("delete");
}
