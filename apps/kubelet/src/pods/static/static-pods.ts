import { formatTimestamp, configAnnotations, type Logger } from "@kintsugi/api";
import { AutoResetEvent, type Clock } from "@kintsugi/clock";
import { Listeners } from "../../base/listeners.ts";
import { type BoundPod, fullNameOf } from "../../model/bound-pod.ts";
import type { ManifestSource } from "./manifest-source.ts";
import { planStaticPods } from "./plan-static-pods.ts";
import type { StaticPodRecord } from "./static-pod-record.ts";
import { staticPodOf } from "./static-pod.ts";

export interface StaticPodsOptions {
  nodeName: string;
  /**
   * Interval at which the manifests are read when no change is notified (`--file-check-frequency`).
   * Default 20 s, upstream's value.
   */
  periodMs: number;
  /**
   * Longest time that a starting kubelet waits for the API's status of its static pods, so that
   * their status does not flip. Without an API it then starts them. Default 2 s.
   */
  apiWaitMs: number;
}

export interface StaticPodsDeps {
  manifests: ManifestSource;
  clock: Clock;
  log: Logger;
  /** Has the pods that workers have started and not removed. */
  record: StaticPodRecord;
  begin(pod: BoundPod): void;
  end(pod: BoundPod): void;
  /** Resolves when the pods of this node have been read from the API. */
  waitForApi(signal: AbortSignal): Promise<void>;
  /** Called with a manifest that cannot be run, once per text. */
  onRefused(path: string, because: string): void;
}

/** Runs the static pods of this node's manifests, with or without an API. */
export class StaticPods {
  readonly #deps: StaticPodsDeps;
  readonly #options: StaticPodsOptions;
  readonly #wakeUp: AutoResetEvent;
  /**
   * The pod of the last valid text, by path. A file that becomes invalid leaves its earlier pod
   * running.
   */
  readonly #byPath = new Map<string, { text: string; pod: BoundPod | undefined }>();
  readonly #ended = new Set<string>();
  readonly #changed = new Listeners();
  #hasRead = false;

  constructor(deps: StaticPodsDeps, options: StaticPodsOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#wakeUp = new AutoResetEvent(deps.clock);
  }

  /**
   * Calls `handler` when the set of running pods has changed, because its mirrors have to be
   * updated.
   */
  onChanged(handler: () => void): void {
    this.#changed.add(handler);
  }

  /** True when the manifests have been read; until then, no pod counts as unknown. */
  get hasRead(): boolean {
    return this.#hasRead;
  }

  /** Called when the pod has ended completely, so that a pod that waited for its name may start. */
  forgotten(uid: string): void {
    if (!this.#deps.record.remove(uid)) return;
    this.#ended.delete(uid);
    this.#wakeUp.set();
    this.#changed.emit();
  }

  async run(signal: AbortSignal): Promise<void> {
    const { manifests, clock } = this.#deps;
    await Promise.race([this.#deps.waitForApi(signal), clock.sleep(this.#options.apiWaitMs, signal)]).catch(() => {});
    manifests.watch(() => this.#wakeUp.set(), signal);
    while (!signal.aborted) {
      await this.#read();
      this.#follow();
      await this.#wakeUp.wait(this.#options.periodMs, signal);
    }
  }

  async #read(): Promise<void> {
    try {
      const found = await this.#deps.manifests.read();
      for (const path of this.#byPath.keys()) if (!found.some((each) => each.path === path)) this.#byPath.delete(path);
      for (const { path, text } of found) if (this.#byPath.get(path)?.text !== text) this.#take(path, text);
      this.#hasRead = true;
    } catch (error) {
      // The read failed, so no pod is stopped.
      this.#deps.log.warn("manifests not read", { error });
    }
  }

  #take(path: string, text: string): void {
    try {
      const pod = staticPodOf({ path, text }, this.#options.nodeName);
      const seen = formatTimestamp(this.#deps.clock.nowMs());
      pod.metadata.annotations = { ...pod.metadata.annotations, [configAnnotations.seen]: seen };
      this.#byPath.set(path, { text, pod });
    } catch (error) {
      this.#byPath.set(path, { text, pod: this.#byPath.get(path)?.pod });
      this.#deps.onRefused(path, (error as Error).message);
    }
  }

  #follow(): void {
    const { record } = this.#deps;
    const { begin, end } = planStaticPods(this.#wanted(), record.begun);
    for (const pod of end) {
      if (this.#ended.has(pod.metadata.uid)) continue;
      this.#ended.add(pod.metadata.uid);
      this.#deps.end(pod);
    }
    for (const pod of begin) {
      record.add(pod);
      this.#deps.begin(pod);
    }
    if (begin.length > 0) this.#changed.emit();
  }

  /** A name has only one pod: of two manifests with the same name, the first by path gets it. */
  #wanted(): BoundPod[] {
    const byName = new Map<string, BoundPod>();
    for (const [path, { pod }] of [...this.#byPath].sort(([a], [b]) => (a < b ? -1 : 1))) {
      if (!pod) continue;
      const name = fullNameOf(pod);
      if (byName.has(name))
        this.#deps.log.warn("manifest ignored: another manifest has a pod of the same name", { path, pod: name });
      else byName.set(name, pod);
    }
    return [...byName.values()];
  }
}
