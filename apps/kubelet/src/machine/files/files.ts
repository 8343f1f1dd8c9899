/**
 * The node's file system as the kubelet uses it. Paths are absolute; nothing here follows a
 * symbolic link at the last step.
 */
export interface Files {
  /** Makes the directory and its parents; succeeds if it exists. */
  makeDirectory(path: string, mode?: number): Promise<void>;
  /** Creates or replaces. */
  write(path: string, content: string | Uint8Array, mode?: number): Promise<void>;
  /** An empty file, unless something is there. Its directory has to be. */
  create(path: string, mode: number): Promise<void>;
  /**
   * Returns at most the last `bytesMax` bytes of a regular file; undefined when it is missing or
   * something else. It is synchronous: for a few kilobytes, five turns in the thread pool take
   * longer than the read itself, the longer the busier the machine is.
   */
  readTail(path: string, bytesMax: number): Uint8Array | undefined;
  /**
   * Returns at most the first `bytesMax` bytes of a regular file below `root`, which other programs
   * may be rewriting; undefined when it is missing or something else. Links are followed while they
   * stay below `root`.
   * @throws UnsafePathError when the path leads out of `root`.
   */
  readInside(root: string, inside: string, bytesMax: number): Promise<Uint8Array | undefined>;
  /** Names, sorted; empty when there is no such directory. */
  list(path: string): Promise<string[]>;
  /** A file, or a directory with all that is in it. Succeeds if it no longer exists. */
  remove(path: string): Promise<void>;
  /** Returns the kind of file at the path, links followed, for hostPath volumes. */
  kindOf(path: string): Promise<FileKind | undefined>;
  /** Makes `linkPath` point to `target`, replacing a link that is there in one step. */
  link(target: string, linkPath: string): Promise<void>;
  /**
   * Another path for a file or directory, in one step; an empty directory that is there makes room.
   */
  rename(from: string, to: string): Promise<void>;
  /** The owner of one file. */
  giveTo(path: string, userId: number): Promise<void>;
  /**
   * The group of everything below, and the bits that let it in: to read, and to write unless
   * `readonly`. The path itself is last, so that it has both only when all below it has;
   * `unlessRootHasIt` then leaves everything as it is.
   */
  grantGroup(path: string, groupId: number, how: { readonly: boolean; unlessRootHasIt?: boolean }): Promise<void>;
  /**
   * Returns the sizes of regular files, in the same order; undefined for a path that is missing or
   * something else, an error for one that cannot be read.
   */
  sizes(paths: readonly string[]): Promise<readonly (number | Error | undefined)[]>;
  /** Replaces a regular file by the same with `.gz` at the end, in one step. */
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
