/** One file with a pod in it. */
export interface Manifest {
  /** Absolute. */
  path: string;
  text: string;
}

/** The source of the manifests of a node's static pods. */
export interface ManifestSource {
  /**
   * Reads all manifests, by path. A directory that does not exist has no manifests. @throws when it
   * cannot be read.
   */
  read(): Promise<readonly Manifest[]>;
  /**
   * Calls back when a manifest may have changed, until the signal aborts. This is only an
   * optimization, because the source is also read on a timer.
   */
  watch(onChanged: () => void, signal: AbortSignal): void;
}
