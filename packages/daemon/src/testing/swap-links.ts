import { once } from "node:events";
import { Worker } from "node:worker_threads";

/**
 * Code of a thread that continuously replaces paths by a file or directory, and by a link, in turn.
 */
const swapper = `
const { workerData, parentPort } = require("node:worker_threads");
const fs = require("node:fs");
const { swaps, stop } = workerData;
const isStopped = () => Atomics.load(new Int32Array(stop), 0) === 1;
parentPort.postMessage("started");
while (!isStopped()) {
  for (const { path, target, kind } of swaps) {
    try {
      if (kind === "file") {
        fs.writeFileSync(path + ".file", "text", { mode: 0o666 });
        fs.renameSync(path + ".file", path);
        fs.symlinkSync(target, path + ".link");
        fs.renameSync(path + ".link", path);
      } else {
        try { fs.unlinkSync(path); } catch {}
        fs.mkdirSync(path);
        for (let i = 0; i < 3; i++) fs.writeFileSync(path + "/file-" + i, "text");
        fs.renameSync(path, path + ".away");
        fs.symlinkSync(target, path);
        fs.rmSync(path + ".away", { recursive: true });
      }
    } catch {}
  }
}
`;

export interface LinkSwap {
  /** A path in the container. */
  readonly path: string;
  /** The link's target, which is outside the container's files. */
  readonly target: string;
  readonly kind: "file" | "directory";
}

/** Swaps files and directories for links, as a container would, until it is disposed. */
export async function swapLinks(swaps: readonly LinkSwap[]): Promise<AsyncDisposable> {
  const stop = new SharedArrayBuffer(4);
  const worker = new Worker(swapper, { eval: true, workerData: { swaps, stop } });
  await once(worker, "message");
  return {
    async [Symbol.asyncDispose]() {
      Atomics.store(new Int32Array(stop), 0, 1);
      await once(worker, "exit");
    },
  };
}
