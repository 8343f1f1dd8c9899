import { controllerOf, isJobFinished, jobControllerName, jobs, parseKey, type Pod, pods } from "@kintsugi/api";
import { done, type Reconciler, type ReconcileResult } from "@kintsugi/controller";
import type { ControllerContext } from "../../context.ts";
import { hasTrackingFinalizer } from "./plan/job-view.ts";
import { removeTrackingFinalizer } from "./tracking-finalizer.ts";

/** Releases pods that will never be counted, because their Job no longer exists or has finished. */
export class OrphanPodReconciler implements Reconciler {
  readonly #context: ControllerContext;

  constructor(context: ControllerContext) {
    this.#context = context;
  }

  async reconcile(key: string, signal: AbortSignal): Promise<ReconcileResult> {
    const { client, informers } = this.#context;
    const pod = informers.of(pods).find(parseKey(key));
    if (pod === undefined || !hasTrackingFinalizer(pod)) return done;
    if (await this.#isExpected(pod, signal)) return done;
    await removeTrackingFinalizer(client, pod);
    return done;
  }

  /** Reports whether a Job, or another controller, is still responsible for the pod. */
  async #isExpected({ metadata }: Pod, signal: AbortSignal): Promise<boolean> {
    const { client, informers } = this.#context;
    const owner = controllerOf({ metadata });
    if (owner === undefined) return false;
    if (owner.kind !== jobs.kind || !owner.apiVersion.startsWith(`${jobs.group}/`)) return true;
    const place = { namespace: metadata.namespace ?? "", name: owner.name };
    const cached = informers.of(jobs).find(place);
    // The cache may not contain the Job yet, so the server is queried before a pod is released
    // uncounted.
    const job = cached?.metadata.uid === owner.uid ? cached : await client.find(jobs, place, { signal });
    if (job === undefined || job.metadata.uid !== owner.uid) return false;
    return (job.spec?.managedBy ?? jobControllerName) !== jobControllerName || !isJobFinished(job);
  }
}
