import { watch } from "node:fs";
import { mkdir, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { PluginSocket, PluginSockets } from "./plugin-sockets.ts";

/** Limit of inspected sockets, because a node has few drivers. */
const socketsMax = 100;

/** The sockets of a directory, which is created when it is missing. */
export function socketDirectory(directory: string): PluginSockets {
  return {
    async list() {
      await mkdir(directory, { recursive: true, mode: 0o700 });
      const names = (await readdir(directory)).filter((name) => !name.startsWith(".")).sort();
      const found = await Promise.all(names.slice(0, socketsMax).map((name) => socketAt(join(directory, name))));
      return found.filter((socket) => socket !== undefined);
    },
    watch(onChanged, signal) {
      const watcher = watch(directory, { signal, persistent: false }, onChanged);
      // A directory that was removed is created again and then only read by the timer.
      watcher.on("error", () => watcher.close());
    },
  };
}

async function socketAt(path: string): Promise<PluginSocket | undefined> {
  const info = await stat(path).catch(() => undefined);
  return info?.isSocket() ? { path, identity: `${info.ino}@${info.ctimeMs}` } : undefined;
}
