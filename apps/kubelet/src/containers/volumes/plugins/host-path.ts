import type { Volume } from "@kintsugi/api";
import type { FileKind, Files } from "../../../machine/files/files.ts";
import type { PluginDeps, VolumePlugin } from "./volume-plugin.ts";

/** Files and directories of the node itself. */
export function hostPathPlugin({ files }: Pick<PluginDeps, "files">): VolumePlugin {
  return {
    followsApi: false,
    supports: ({ hostPath }) => hostPath !== undefined,
    async setUp({ volume: { hostPath = { path: "" } } }) {
      await requireHostPath(files, hostPath);
      return { hostPath: hostPath.path, readonly: false };
    },
  };
}

const wantedKinds: Readonly<Record<string, { kind: FileKind; called: string }>> = {
  DirectoryOrCreate: { kind: "directory", called: "directory" },
  Directory: { kind: "directory", called: "directory" },
  FileOrCreate: { kind: "file", called: "file" },
  File: { kind: "file", called: "file" },
  Socket: { kind: "socket", called: "socket file" },
  CharDevice: { kind: "character-device", called: "character device" },
  BlockDevice: { kind: "block-device", called: "block device" },
};

/** The names of file types in upstream's messages. */
const typeNames: Readonly<Record<FileKind, string>> = {
  directory: "Directory",
  file: "File",
  socket: "Socket",
  "character-device": "CharDevice",
  "block-device": "BlockDevice",
  other: "",
};

/**
 * Creates the path if its type allows that.
 * @throws Error in upstream's words when the path does not have the type (host_path.go checkType).
 */
export async function requireHostPath(files: Files, hostPath: NonNullable<Volume["hostPath"]>): Promise<void> {
  const { path, type = "" } = hostPath;
  if (type === "") return;
  const kind = await files.kindOf(path);
  if (kind === undefined && type === "DirectoryOrCreate") return files.makeDirectory(path, 0o755);
  if (kind === undefined && type === "FileOrCreate") return files.create(path, 0o644);
  const wanted = wantedKinds[type];
  if (wanted === undefined) throw new Error(`${type} is an invalid volume type`);
  if (kind === undefined) throw new Error(`hostPath ${path} doesn't exist`);
  if (kind === wanted.kind) return;
  throw new Error(`hostPath type check failed: ${path} is not a ${wanted.called}, it's a ${typeNames[kind]}`);
}
