/**
 * The node's file system as the kubelet uses it. Paths are absolute. These functions do not follow
 * a symbolic link in the last step.
 */
export interface Files {
  /** Makes the directory and its parents; succeeds if it exists. */
  makeDirectory(path: string, mode?: number): Promise<void>;
  /** Creates or replaces. */
  write(path: string, content: string | Uint8Array, mode?: number): Promise<void>;
  /** Creates an empty file, unless the path exists. Its directory has to exist. */
  create(path: string, mode: number): Promise<void>;
  /**
   * Returns at most the last `bytesMax` bytes of a regular file; undefined when it is missing or
   * not a regular file. It is synchronous because for a few kilobytes, five turns in the thread
   * pool take longer than the read itself, especially on a busy machine.
   */
  readTail(path: string, bytesMax: number): Uint8Array | undefined;
  /**
   * Returns at most the first `bytesMax` bytes of a regular file below `root`, which other programs
   * may be rewriting; undefined when it is missing or not a regular file. Links are followed while
   * they are below `root`.
   * @throws UnsafePathError when the path leads out of `root`.
   */
  readInside(root: string, inside: string, bytesMax: number): Promise<Uint8Array | undefined>;
  /** Names, sorted; empty when the directory does not exist. */
  list(path: string): Promise<string[]>;
  /** Removes a file, or a directory with its content. Succeeds if it does not exist. */
  remove(path: string): Promise<void>;
  /** Returns the kind of file at the path, following links, for hostPath volumes. */
  kindOf(path: string): Promise<FileKind | undefined>;
  /** Makes `linkPath` point to `target`, atomically replacing an existing link. */
  link(target: string, linkPath: string): Promise<void>;
  /**
   * Moves a file or directory to another path, atomically. An existing empty directory is replaced.
   */
  rename(from: string, to: string): Promise<void>;
  /** The owner of one file. */
  giveTo(path: string, userId: number): Promise<void>;
  /**
   * Sets the group of everything below, and the mode bits for it: read, and write unless
   * `readonly`. The path itself is changed last, so it has the group and the bits only when
   * everything below has them. With `unlessRootHasIt`, a path that already has the group and the
   * bits is skipped as a whole.
   */
  grantGroup(path: string, groupId: number, options: { readonly: boolean; unlessRootHasIt?: boolean }): Promise<void>;
  /**
   * Returns the sizes of regular files, in the same order; undefined for a path that is missing or
   * not a regular file, an error for a file that cannot be read.
   */
  sizes(paths: readonly string[]): Promise<readonly (number | Error | undefined)[]>;
  /** Atomically replaces a regular file by its compressed form with `.gz` at the end. */
  compress(path: string): Promise<void>;
  /**
   * Returns the disk usage of everything below, as du(1) counts; other file systems mounted below
   * are not counted.
   */
  usage(path: string): Promise<FileUsage>;
}

export type FileKind = "directory" | "file" | "socket" | "character-device" | "block-device" | "other";

export interface FileUsage {
  bytes: number;
  inodes: number;
}
