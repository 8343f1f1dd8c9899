/**
 * The node's mounts as the kubelet makes them. Paths are absolute. Each call may be repeated after
 * a crash at any moment.
 */
export interface Mounts {
  /** Lists the mount points at the directory or below it, the innermost first. */
  below(directory: string): Promise<string[]>;
  /** Mounts a file system in memory on an existing directory. `sizeBytes` is its size limit. */
  mountMemory(directory: string, sizeBytes: number): Promise<void>;
  /**
   * Bind-mounts the path `inside` of a volume at another path.
   * @throws UnsafePathError when it leads out of the volume.
   */
  bindInside(request: BindRequest): Promise<void>;
  /** Removes one mount, even while it is in use. Succeeds when nothing is mounted there. */
  unmount(path: string): Promise<void>;
}

export interface BindRequest {
  /** The volume. */
  root: string;
  /**
   * Path relative to the volume, without "..". Missing parts are created as directories with the
   * volume's own mode.
   */
  inside: string;
  /** The target is created when it is missing; an earlier bind mount there is replaced. */
  target: string;
}

/** A path inside a volume leads out of it, or has changed during the check. */
export class UnsafePathError extends Error {
  override readonly name = "UnsafePathError";
}
