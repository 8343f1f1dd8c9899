import { formatTimestamp, profileNames, type ProfileName } from "@kintsugi/api";
import { systemClock } from "@kintsugi/clock";
import { render } from "preact";
import { createApi, RequestRefused } from "./data/api.ts";
import { createLabAccess } from "./data/lab.ts";
import { createTerminalAccess } from "./data/terminals.ts";
import { readInstant, writeMoment } from "./model/moment.ts";
import { Cluster, type Settings } from "./state/cluster.ts";
import { createPage, followSelection, readAddress } from "./state/page.ts";
import { readCluster } from "./state/read-cluster.ts";
import { App } from "./views/app.tsx";

// oxlint-disable-next-line no-restricted-globals -- the browser's own client: ours is Node's
const api = createApi((path, init) => fetch(path, init));
const clock = systemClock;

/** A smaller difference between the clocks of browser and server is not noticeable. */
const skewMsMin = 300;

/** Another API server has no settings for the page, and uses Kubernetes' timers. */
async function readSettings(): Promise<Settings> {
  try {
    const sentMs = clock.nowMs();
    const answer = (await api.get("settings.json")) as { clusterName: string; profile: ProfileName; nowMs: number };
    const skewMs = answer.nowMs - (sentMs + clock.nowMs()) / 2;
    const profile = profileNames.includes(answer.profile) ? answer.profile : "kubernetes";
    return { clusterName: answer.clusterName, profile, skewMs: Math.abs(skewMs) < skewMsMin ? 0 : skewMs };
  } catch (error) {
    if (!(error instanceof RequestRefused) || error.code === 0) throw error;
    return { clusterName: location.host, profile: "kubernetes", skewMs: 0 };
  }
}

const root = document.getElementById("app");
if (root === null) throw new Error("the page has no place for its content");
// oxlint-disable-next-line no-restricted-globals -- the browser's own client: ours is Node's
const lab = createLabAccess((path, init) => fetch(path, init));
const [ofServer, way] = await Promise.all([readSettings(), lab.way()]);
const settings = { ...ofServer, way: way ?? { server: location.origin } };
const namespace = new URLSearchParams(location.search).get("namespace") ?? "";
const stop = new AbortController();
const cluster = new Cluster({ nowMs: () => clock.nowMs() }, settings);
const terminals = {
  // oxlint-disable-next-line no-restricted-globals -- the browser's own client: ours is Node's
  ...createTerminalAccess((path, init) => fetch(path, init)),
  loadScreen: () => import("./terminal/open-screen.ts"),
};
const page = createPage({ cluster, api, clock, lab, terminals });
const readHash = () => {
  page.selected.value = readAddress(location.hash);
  page.heldMs.value = readInstant(location.hash);
};
readHash();
followSelection(page, (hash) =>
  history.replaceState(null, "", hash === "" ? location.pathname + location.search : hash),
);
addEventListener("hashchange", readHash);
addEventListener("pagehide", () => stop.abort());
document.title = `Kintsugi: ${settings.clusterName}`;
root.replaceChildren();
const linkAt = (atMs: number) =>
  `${location.origin}${location.pathname}${location.search}${writeMoment(location.hash, formatTimestamp(atMs))}`;
// Loaded after the first picture, because focus moves only once a person acts.
void import("./views/keep-focus.ts").then(({ keepFocus }) => keepFocus(root, stop.signal));
render(<App page={page} namespace={namespace} linkAt={linkAt} />, root);

/**
 * A hidden page does not read, because another tab of this browser needs its connections: all tabs
 * together get six connections to a server without HTTP/2. Later the page continues from the same
 * revision.
 */
async function readWhileShown(): Promise<void> {
  while (!stop.signal.aborted) {
    const hidden = new AbortController();
    const onChange = () => document.hidden && hidden.abort();
    document.addEventListener("visibilitychange", onChange);
    if (!document.hidden)
      await readCluster({ api, clock }, { cluster, namespace }, AbortSignal.any([stop.signal, hidden.signal]));
    document.removeEventListener("visibilitychange", onChange);
    if (document.hidden) await nextChange();
  }
}

function nextChange(): Promise<void> {
  return new Promise((resolve) => document.addEventListener("visibilitychange", () => resolve(), { once: true }));
}

await Promise.all([page.run(stop.signal), page.followLab(stop.signal), page.findTerminals(), readWhileShown()]);
