/**
 * The node's mounts as the kubelet makes them. Paths are absolute. Each can be repeated after a
 * crash at any moment.
 */
export interface Mounts {
  /** Where anything is mounted at the directory or below it, the innermost first. */
  below(directory: string): Promise<string[]>;
  /** A file system in memory on an existing directory. `sizeBytes` is the most it takes. */
  mountMemory(directory: string, sizeBytes: number): Promise<void>;
  /**
   * Puts what `inside` names in a volume at another path as well. @throws UnsafePathError when it
   * leads out of the volume.
   */
  bindInside(request: BindRequest): Promise<void>;
  /** Takes one mount away, also while it is in use. Succeeds when nothing is mounted there. */
  unmount(path: string): Promise<void>;
}

export interface BindRequest {
  /** The volume. */
  root: string;
  /**
   * Relative to it; it has no "..". What is missing is made, as directories with the volume's own
   * mode.
   */
  inside: string;
  /** Made when it is missing; what was bound there before makes room. */
  target: string;
}

/** A path inside a volume leads out of it, or is not what it was a moment ago. */
export class UnsafePathError extends Error {
  override readonly name = "UnsafePathError";
}
