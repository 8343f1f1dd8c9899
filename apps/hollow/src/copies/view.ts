import type { ApiObject, ObjectKey, ResourceType } from "@kintsugi/api";
import type { Informer, InformerChange, InformerOptions } from "@kintsugi/client";
import { onAbort } from "@kintsugi/clock";
import type { ReadingNode, Source } from "./source.ts";

export interface ViewDeps<T extends ApiObject> {
  /**
   * Returns the source, which runs at least until the signal aborts; undefined where there is no
   * source, and the view remains empty.
   */
  open: (signal: AbortSignal) => Source<T> | undefined;
  /** Passes a change to the kubelet: immediately, later, or never where its process has ended. */
  deliver: (change: () => void) => void;
}

/**
 * One kubelet's part of a copy that all kubelets of this process share. Like an informer, it is
 * empty until it runs.
 */
export class View<T extends ApiObject> implements Informer<T> {
  readonly type: ResourceType<T>;
  readonly #deps: ViewDeps<T>;
  readonly #node: ReadingNode;
  readonly #options: InformerOptions<T>;
  readonly #handlers = new Set<(change: InformerChange<T>) => void>();
  readonly #synced: Promise<void>;
  #source: Source<T> | undefined;
  #open = () => {};
  #fail: (error: unknown) => void = () => {};

  constructor(deps: ViewDeps<T>, options: InformerOptions<T> & { viewer: ReadingNode }) {
    this.type = options.type;
    this.#deps = deps;
    this.#options = options;
    this.#node = options.viewer;
    this.#synced = new Promise((resolve) => (this.#open = resolve));
  }

  get synced(): boolean {
    return this.#source !== undefined;
  }

  find(key: ObjectKey): T | undefined {
    const found = this.#source?.informer.find(key);
    return found !== undefined && this.#source?.isOf(this.#node.name, found) ? found : undefined;
  }

  list(): readonly T[] {
    return this.#source?.objectsOf(this.#node.name) ?? [];
  }

  byIndex(index: string, value: string): readonly T[] {
    const valuesOf = this.#options.indexes?.[index];
    if (valuesOf === undefined) throw new TypeError(`the informer has no index "${index}"`);
    return this.list().filter((object) => valuesOf(object).includes(value));
  }

  onChange(handler: (change: InformerChange<T>) => void): () => void {
    for (const object of this.list()) handler({ type: "added", object });
    this.#handlers.add(handler);
    return () => this.#handlers.delete(handler);
  }

  waitForSync(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const stopListening = onAbort(signal, () => reject(signal.reason as Error));
      void this.#synced.then(() => {
        stopListening();
        resolve();
      });
    });
  }

  position(): number {
    return this.#source?.informer.position() ?? 0;
  }

  /**
   * The shared copy follows an HTTP watch, which misses no change that a Lease's answer could name.
   */
  noticeRevision(): void {}

  /** @throws the error of a handler, so that this kubelet ends and the other nodes continue. */
  async run(signal: AbortSignal): Promise<void> {
    const failed = new Promise<never>((_, reject) => (this.#fail = reject));
    failed.catch(() => {});
    const source = this.#deps.open(signal);
    let stopReading = () => {};
    try {
      if (source !== undefined) {
        await Promise.race([source.informer.waitForSync(signal).catch(() => {}), failed]);
        if (signal.aborted) return;
        this.#source = source;
        this.#open();
        stopReading = source.read(this.#node, { onSourceChange: (change) => this.#tell(change) });
      }
      await Promise.race([new Promise<void>((resolve) => onAbort(signal, resolve)), failed]);
    } finally {
      stopReading();
    }
  }

  #tell(change: InformerChange<T>): void {
    this.#deps.deliver(() => {
      try {
        for (const handler of this.#handlers) handler(change);
      } catch (error) {
        this.#fail(error);
      }
    });
  }
}
