import { execFile } from "node:child_process";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { ApiError } from "@kintsugi/api";
import { createHttpClient, InvalidKubeconfig, loadKubeconfig } from "@kintsugi/client";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { nodesFromFlag, type RawObject, type PictureSource, UnreadableSource } from "@kintsugi/rehearsal";
import { readFiles } from "./read-files.ts";
import { type ListReader, readLive } from "./read-live.ts";

export interface SourceOptions {
  readonly from: string | undefined;
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly nodes: string | undefined;
}

const userAgent = "kintsugi-rehearse/v0.1.0";
/** The list of a kind may be some hundred megabytes. */
const answerBytesMax = 1024 * 1024 * 1024;

/**
 * Reads what a rehearsal is about. @throws UnreadableSource, InvalidKubeconfig, ConnectionError.
 */
export async function readSource(options: SourceOptions, say: (line: string) => void): Promise<PictureSource> {
  const { from, nodes } = options;
  if (from === undefined) return readCluster(options, say);
  const { objects, listed, isDirectory } = readFiles(from);
  const described = nodes === undefined ? [] : nodesFromFlag(nodes);
  const hasNodes = objects.some(({ kind }) => kind === "Node");
  if (hasNodes && described.length > 0)
    throw new UnreadableSource(`${from} has Nodes of its own: leave --nodes away, or rehearse manifests without Nodes`);
  // Manifests with described nodes are all there is; dumps of many files do not say what they lack.
  const isWhole = described.length > 0 || (isDirectory && !objects.some(({ kind }) => kind === "Pod"));
  return {
    name: from === "-" ? "standard input" : from,
    objects: [...objects, ...described] as RawObject[],
    listed,
    isWhole,
  };
}

async function readCluster(
  { kubeconfig, context }: SourceOptions,
  say: (line: string) => void,
): Promise<PictureSource> {
  const path = kubeconfig ?? join(homedir(), ".kube/config");
  const { reader, name, close } = readerOf(path, context);
  try {
    const { objects, listed } = await readLive(reader, say);
    return { name, objects, listed, isWhole: false };
  } finally {
    await close();
  }
}

/** kubectl reads for kubeconfigs whose users log in by a program of their own. */
function readerOf(
  path: string,
  context: string | undefined,
): { reader: ListReader; name: string; close: () => Promise<void> } {
  const access = loadAccess(path, context);
  if (access === undefined) {
    const words = ["--kubeconfig", path, ...(context === undefined ? [] : ["--context", context])];
    return { reader: kubectlReader(words), name: `context ${context ?? "(current)"}`, close: () => Promise.resolve() };
  }
  const client = createHttpClient({ clock: systemClock, random: systemRandom }, { ...access, userAgent });
  return {
    reader: { get: (url) => client.call({ method: "GET", path: url, isTriedOnce: true }) },
    name: `context ${access.context}`,
    close: () => client.close(),
  };
}

/** Undefined where the kubeconfig has no credentials that this program could present itself. */
function loadAccess(path: string, context: string | undefined): ReturnType<typeof loadKubeconfig> | undefined {
  try {
    const access = loadKubeconfig(path, context);
    return access.token === undefined && access.cert === undefined ? undefined : access;
  } catch (error) {
    if (error instanceof InvalidKubeconfig && error.message.includes("skips TLS")) return undefined;
    throw error;
  }
}

function kubectlReader(words: readonly string[]): ListReader {
  const run = promisify(execFile);
  return {
    get: async (path) => {
      try {
        const { stdout } = await run("kubectl", [...words, "get", "--raw", path], { maxBuffer: answerBytesMax });
        return JSON.parse(stdout) as unknown;
      } catch (cause) {
        const { stderr = "", code, message } = cause as { stderr?: string; code?: string | number; message: string };
        if (code === "ENOENT")
          throw new UnreadableSource(
            "this kubeconfig logs in by a program, for which kubectl is needed; it is not installed",
            { cause },
          );
        const said = stderr.trim() || message;
        if (/forbidden/i.test(said)) throw new ApiError("Forbidden", said);
        if (/NotFound|could not find/i.test(said)) throw new ApiError("NotFound", said);
        if (/TooManyRequests|too many requests/i.test(said)) throw new ApiError("TooManyRequests", said);
        throw new UnreadableSource(`kubectl get --raw ${path}: ${said}`, { cause });
      }
    },
  };
}
