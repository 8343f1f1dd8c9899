/** The node's file system as the kubelet uses it. Paths are absolute; nothing here follows a symbolic link at the last step. */
export interface Files {
  /** With its parents; succeeds if it is there. */
  makeDirectory(path: string, mode?: number): Promise<void>;
  /** Creates or replaces. */
  write(path: string, content: string | Uint8Array, mode?: number): Promise<void>;
  /** At most the last `bytesMax` bytes of a regular file; undefined when it is not there or is something else. */
  readTail(path: string, bytesMax: number): Promise<Uint8Array | undefined>;
  /** Names, sorted; empty when there is no such directory. */
  list(path: string): Promise<string[]>;
  /** A file, or a directory with all that is in it. Succeeds if it is gone. */
  remove(path: string): Promise<void>;
  /** What is at the path, links followed: hostPath volumes ask. */
  kindOf(path: string): Promise<FileKind | undefined>;
  /** Makes `linkPath` point to `target`, replacing a link that is there in one step. */
  link(target: string, linkPath: string): Promise<void>;
  /** The group of everything below, and the bits that let it in. */
  grantGroup(path: string, groupId: number): Promise<void>;
}

export type FileKind = "directory" | "file" | "socket" | "character-device" | "block-device" | "other";
