import { type ConfigMap, configMaps } from "@kintsugi/api";
import type { Client, ObjectList } from "@kintsugi/client";
import type { Recorder } from "@kintsugi/simulation";
import { loadObjects, type Parity } from "./objects.ts";
import { pause } from "./writers.ts";

/** So few objects per page that every list has several pages. */
const pageLimit = 5;
const betweenPagesMs = 40;
const betweenListsMs = 400;
/** The pause before a stream that ended or failed is requested again. */
const resumeMs = 100;
/** The server occasionally ends streams, so that resuming is the usual case. */
const streamSeconds = 20;

/** Lists everything, slowly, page by page, repeatedly until the signal aborts. */
export async function readLists(recorder: Recorder, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await recorder.list({ limit: pageLimit, pause: () => pause(betweenPagesMs, signal), signal });
    await pause(betweenListsMs, signal);
  }
}

/**
 * Watches from a list on, resumes when a stream ended, and lists again when the server reports that
 * its revision no longer exists.
 */
export async function readWatches(
  { recorder, client }: { recorder: Recorder; client: Client },
  options: { parity?: Parity },
  signal: AbortSignal,
): Promise<void> {
  const { parity } = options;
  const selected = parity === undefined ? {} : { selector: { "labels.parity": parity } };
  const { namespace } = loadObjects;
  let fromRevision: number | undefined;
  while (!signal.aborted) {
    fromRevision ??= await client.list(configMaps, { namespace, signal }).then(
      ({ resourceVersion }: ObjectList<ConfigMap>) => Number(resourceVersion),
      () => undefined,
    );
    if (fromRevision !== undefined) {
      const watch = { fromRevision, ...selected, timeoutSeconds: streamSeconds, signal };
      const { end, position } = await recorder.watch(watch);
      fromRevision = end === "expired" ? undefined : position;
    }
    await pause(resumeMs, signal);
  }
}
