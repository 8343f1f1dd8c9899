/**
 * The node's mounts as the kubelet makes them. Paths are absolute. Each can be repeated after a
 * crash at any moment.
 */
export interface Mounts {
  /** Lists the mount points at the directory or below it, the innermost first. */
  below(directory: string): Promise<string[]>;
  /** A file system in memory on an existing directory. `sizeBytes` is the most it takes. */
  mountMemory(directory: string, sizeBytes: number): Promise<void>;
  /**
   * Binds the path `inside` of a volume to another path as well.
   * @throws UnsafePathError when it leads out of the volume.
   */
  bindInside(request: BindRequest): Promise<void>;
  /** Takes one mount away, also while it is in use. Succeeds when nothing is mounted there. */
  unmount(path: string): Promise<void>;
}

export interface BindRequest {
  /** The volume. */
  root: string;
  /**
   * Relative to it; it has no "..". Missing parts are made, as directories with the volume's own
   * mode.
   */
  inside: string;
  /** The target is made when it is missing; an earlier bind there is replaced. */
  target: string;
}

/** A path inside a volume leads out of it, or has changed since a moment ago. */
export class UnsafePathError extends Error {
  override readonly name = "UnsafePathError";
}
