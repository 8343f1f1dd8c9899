/** One file with a pod in it. */
export interface Manifest {
  /** Absolute. */
  path: string;
  text: string;
}

/** The source of the manifests of a node's static pods. */
export interface ManifestSource {
  /**
   * All of them, by path. A directory that does not exist has none. @throws when it cannot be read.
   */
  read(): Promise<readonly Manifest[]>;
  /**
   * Calls when something may have changed, until the signal aborts; a help only, for the source is
   * read on a timer too.
   */
  watch(onChanged: () => void, signal: AbortSignal): void;
}
