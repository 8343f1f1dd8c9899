import { execFile, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { ApiError, isApiError } from "@kintsugi/api";
import { createHttpClient, InvalidKubeconfig, loadKubeconfig } from "@kintsugi/client";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { isRecord, listPathOf, type RehearsedKind, UnreadableSource } from "@kintsugi/rehearsal";
import type { ListReader } from "./read-live.ts";

/** A cluster that is only read: every call is a GET. */
export interface ClusterReader extends ListReader {
  readonly name: string;
  /**
   * Yields the changes after a revision, until the signal aborts or the server ends the stream.
   * @throws ApiError, Expired when the server no longer has that revision.
   */
  watch(kind: RehearsedKind, resourceVersion: string, signal: AbortSignal): AsyncIterable<WatchedChange>;
  close(): Promise<void>;
}

/** A change, or a revision up to which everything was sent. */
export interface WatchedChange {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK";
  readonly object: Readonly<Record<string, unknown>>;
}

/** The kubectl of the PATH; only needed for kubeconfigs with a login program. */
const kubectl = "kubectl";
const userAgent = "kintsugi-rehearse/v0.1.0";
/** The list of a kind may have a few hundred megabytes. */
const answerBytesMax = 1024 * 1024 * 1024;
/** Load balancers end a stream that is silent for longer than a few minutes. */
const streamSeconds = 300;

/** kubectl reads for kubeconfigs whose users log in by a separate program. */
export function openLiveCluster(path: string, context: string | undefined): ClusterReader {
  const access = loadAccess(path, context);
  if (access === undefined) {
    const words = ["--kubeconfig", path, ...(context === undefined ? [] : ["--context", context])];
    return kubectlReader(words, `context ${context ?? "(current)"}`);
  }
  const client = createHttpClient({ clock: systemClock, random: systemRandom }, { ...access, userAgent });
  return {
    name: `context ${access.context}`,
    get: (url) => client.call({ method: "GET", path: url, isTriedOnce: true }),
    async *watch({ kind: { type } }, resourceVersion, signal) {
      const options = { resourceVersion, bookmarks: true, timeoutSeconds: streamSeconds, signal };
      for await (const event of client.watch(type, options))
        yield event.type === "BOOKMARK"
          ? { type: event.type, object: { metadata: { resourceVersion: event.resourceVersion } } }
          : { type: event.type, object: event.object as unknown as WatchedChange["object"] };
    },
    close: () => client.close(),
  };
}

/**
 * Undefined if kubectl has to read: the kubeconfig has no credentials that this program could
 * present itself, or its server is not encrypted, like the server of `kubectl proxy`.
 */
function loadAccess(path: string, context: string | undefined): ReturnType<typeof loadKubeconfig> | undefined {
  try {
    const access = loadKubeconfig(path, context);
    const isOpen = access.server.startsWith("http://");
    return isOpen || (access.token === undefined && access.cert === undefined) ? undefined : access;
  } catch (error) {
    if (error instanceof InvalidKubeconfig && error.message.includes("skips TLS")) return undefined;
    throw error;
  }
}

function kubectlReader(words: readonly string[], name: string): ClusterReader {
  const run = promisify(execFile);
  return {
    name,
    get: async (path) => {
      try {
        const { stdout } = await run(kubectl, [...words, "get", "--raw", path], { maxBuffer: answerBytesMax });
        return JSON.parse(stdout) as unknown;
      } catch (cause) {
        throw refusalOfKubectl(path, cause);
      }
    },
    watch: (kind, resourceVersion, signal) => {
      const query = `watch=1&allowWatchBookmarks=true&timeoutSeconds=${streamSeconds}&resourceVersion=${encodeURIComponent(resourceVersion)}`;
      return watchedBy([...words, "get", "--raw", `${listPathOf(kind)}?${query}`], signal);
    },
    close: () => Promise.resolve(),
  };
}

async function* watchedBy(words: readonly string[], signal: AbortSignal): AsyncGenerator<WatchedChange> {
  const child = spawn(kubectl, words, { stdio: ["ignore", "pipe", "pipe"], signal });
  let said = "";
  const ended = new Promise<number | null>((resolve) => {
    child.on("error", () => resolve(null));
    child.on("close", resolve);
  });
  child.stderr.on("data", (piece: Buffer) => (said = `${said}${piece.toString("utf8")}`.slice(-2_000)));
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      const event: unknown = line.trim() === "" ? undefined : JSON.parse(line);
      if (!isRecord(event) || !isRecord(event["object"])) continue;
      if (event["type"] === "ERROR") throw errorOfStatus(event["object"]);
      yield { type: event["type"] as WatchedChange["type"], object: event["object"] };
    }
    const code = await ended;
    if (code !== 0 && !signal.aborted)
      throw refusalOfKubectl(words.at(-1) ?? "", { stderr: said, message: `kubectl ended with ${code}` });
  } finally {
    child.kill();
  }
}

function errorOfStatus({ code, message }: Readonly<Record<string, unknown>>): Error {
  return new ApiError(code === 410 ? "Expired" : "InternalError", typeof message === "string" ? message : "the watch");
}

function refusalOfKubectl(path: string, cause: unknown): Error {
  if (isApiError(cause)) return cause;
  const { stderr = "", code, message } = cause as { stderr?: string; code?: string | number; message: string };
  if (code === "ENOENT")
    return new UnreadableSource(
      "this kubeconfig authenticates with a program and needs kubectl, which is not installed",
      { cause },
    );
  // A paragraph of advice about a login program may follow the error.
  const [said = ""] = (stderr.trim() || message).split("\n\n");
  if (/forbidden/i.test(said)) return new ApiError("Forbidden", said);
  if (/NotFound|could not find/i.test(said)) return new ApiError("NotFound", said);
  if (/TooManyRequests|too many requests/i.test(said)) return new ApiError("TooManyRequests", said);
  return new UnreadableSource(`kubectl get --raw ${path}: ${said}`, { cause });
}
