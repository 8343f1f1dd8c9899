import { type ConfigMap, configMaps, isApiError } from "@kintsugi/api";
import type { Client, WatchEvent } from "@kintsugi/client";
import type { Journal, ListedPage, Selector, WatchEnd, WatchFrame } from "@kintsugi/simulation";
import { loadNamespace, loadPrefix, type Parity, seenIn } from "./objects.ts";
import { pause } from "./writers.ts";

export interface ReaderDeps {
  client: Client;
  journal: Journal;
}

/** So few objects a page that every list has several. */
const pageLimit = 5;
const betweenPagesMs = 40;
const betweenListsMs = 400;
/** Before asking again for a stream that ended or failed. */
const resumeMs = 100;
/** Streams are ended by the server now and then, so that resuming is the usual thing. */
const streamSeconds = 20;

/** Lists everything, slowly, page by page, again and again until the signal aborts. */
export async function readLists(deps: ReaderDeps, name: string, signal: AbortSignal): Promise<void> {
  const { journal } = deps;
  while (!signal.aborted) {
    const begun = { kind: "list", client: name, id: journal.nextId(), startMs: journal.stamp() } as const;
    const pages: ListedPage[] = [];
    const outcome = await readPages(deps, pages, signal);
    journal.add({ ...begun, prefix: loadPrefix, pages, endMs: journal.stamp(), outcome });
    await pause(betweenListsMs, signal);
  }
}

interface ListBody {
  metadata: { resourceVersion: string; continue?: string };
  items: ConfigMap[];
}

async function readPages({ client, journal }: ReaderDeps, pages: ListedPage[], signal: AbortSignal) {
  let token: string | undefined;
  do {
    const startMs = journal.stamp();
    const query = new URLSearchParams({ limit: String(pageLimit), ...(token && { continue: token }) });
    const path = `/api/v1/namespaces/${loadNamespace}/configmaps?${query.toString()}`;
    try {
      const { metadata, items } = (await client.call({ method: "GET", path, signal })) as ListBody;
      const revision = Number(metadata.resourceVersion);
      pages.push({ revision, items: items.map(seenIn), startMs, endMs: journal.stamp() });
      token = metadata.continue;
    } catch (error) {
      if (isApiError(error)) return { is: "refused", status: error.code, reason: error.reason } as const;
      return { is: "unknown", because: String(error) } as const;
    }
    await pause(betweenPagesMs, signal);
  } while (token !== undefined && token !== "");
  return { is: "ok" } as const;
}

/** Watches from a list on, resumes where a stream ended, and lists again when it is told that its place is gone. */
export async function readWatches(
  deps: ReaderDeps,
  options: { name: string; parity?: Parity },
  signal: AbortSignal,
): Promise<void> {
  const { client, journal } = deps;
  const { name, parity } = options;
  const selected: { selector?: Selector } = parity === undefined ? {} : { selector: { "labels.parity": parity } };
  let fromRevision: number | undefined;
  while (!signal.aborted) {
    fromRevision ??= await client.list(configMaps, { namespace: loadNamespace, signal }).then(
      ({ resourceVersion }) => Number(resourceVersion),
      () => undefined,
    );
    if (fromRevision !== undefined) {
      const frames: WatchFrame[] = [];
      const begun = { kind: "watch", client: name, id: journal.nextId(), startMs: journal.stamp() } as const;
      const onEvent = (event: WatchEvent<ConfigMap>) => frames.push({ ...frameOf(event), atMs: journal.stamp() });
      const end = await readStream(client, { fromRevision, parity, signal, onEvent });
      const ended = { endMs: journal.stamp(), end };
      journal.add({ ...begun, prefix: loadPrefix, ...selected, fromRevision, frames, ...ended });
      fromRevision = end === "expired" ? undefined : (frames.at(-1)?.revision ?? fromRevision);
    }
    await pause(resumeMs, signal);
  }
}

async function readStream(
  client: Client,
  options: {
    fromRevision: number;
    parity: Parity | undefined;
    signal: AbortSignal;
    onEvent: (event: WatchEvent<ConfigMap>) => void;
  },
): Promise<WatchEnd> {
  const { fromRevision, parity, signal, onEvent } = options;
  try {
    const stream = client.watch(configMaps, {
      namespace: loadNamespace,
      resourceVersion: String(fromRevision),
      bookmarks: true,
      timeoutSeconds: streamSeconds,
      signal,
      ...(parity && { labelSelector: `parity=${parity}` }),
    });
    for await (const event of stream) onEvent(event);
    return "closed";
  } catch (error) {
    if (isApiError(error, "Expired", "Gone")) return "expired";
    if (isApiError(error, "Timeout")) return "ahead";
    return isApiError(error) ? "refused" : "broken";
  }
}

function frameOf(event: WatchEvent<ConfigMap>) {
  if (event.type === "BOOKMARK") return { type: event.type, revision: Number(event.resourceVersion) };
  return { type: event.type, ...seenIn(event.object) };
}
