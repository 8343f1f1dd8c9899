import type { Manifest, ManifestSource } from "../pods/static/manifest-source.ts";

/** Manifests that a test writes and removes. Each change is detected immediately. */
export class MemoryManifests implements ManifestSource {
  readonly #texts = new Map<string, string>();
  #onChanged: () => void = () => {};

  write(path: string, text: string): void {
    this.#texts.set(path, text);
    this.#onChanged();
  }

  remove(path: string): void {
    this.#texts.delete(path);
    this.#onChanged();
  }

  read(): Promise<readonly Manifest[]> {
    return Promise.resolve([...this.#texts].map(([path, text]) => ({ path, text })));
  }

  watch(onChanged: () => void): void {
    this.#onChanged = onChanged;
  }
}
