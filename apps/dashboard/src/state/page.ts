import { formatTimestamp } from "@kintsugi/api";
import { effect, signal } from "@preact/signals";
import type { Clock } from "@kintsugi/clock";
import type { Api } from "../data/api.ts";
import type { LabAccess } from "../data/lab.ts";
import type { TerminalAccess } from "../data/terminals.ts";
import type { Bar } from "@kintsugi/story";
import type { Shown } from "../model/commands.ts";
import { type ShownPart, showAll, shows } from "../model/filter.ts";
import { withoutMoment, writeMoment } from "../model/moment.ts";
import type { joinCommand, Screen } from "../terminal/command-session.ts";
import type { Cluster } from "./cluster.ts";
import { createFacts, type Recorded } from "./facts.ts";
import { createLabLink } from "./lab-link.ts";
import { pauseAfter, Pieces } from "./work-pieces.ts";

export interface PageDeps {
  readonly cluster: Cluster;
  readonly api: Api;
  readonly clock: Clock;
  /** The lab behind the page, if `kintsugi dashboard` serves one. */
  readonly lab?: LabAccess;
  /**
   * Terminals, with the program of their screen, which is loaded when the first terminal is opened.
   */
  readonly terminals?: Terminals;
  /** The page shows a recording instead of a running cluster. */
  readonly recorded?: Recorded;
}

interface Terminals extends TerminalAccess {
  loadScreen(): Promise<{
    openScreen(parent: HTMLElement, events: { onLeave: () => void }): Screen;
    readonly joinCommand: typeof joinCommand;
  }>;
}

/** The length of the picture's past, which is the whole run for a recording. */
export const wholeRun = 0;

/** Interval at which texts with countdowns are updated; the picture moves with every frame. */
const tickMs = 250;

/** The parts of the panel of an object. */
export const panelTabs = ["Facts", "Break", "Why", "Events", "Logs", "Terminal"] as const;
export type PanelTab = (typeof panelTabs)[number];

/**
 * The state of the page: the user's choices, and the data that is derived from the cluster for
 * them.
 */
export type DashboardPage = ReturnType<typeof createPage>;

export function createPage({ cluster, api, clock, lab: access, terminals, recorded }: PageDeps) {
  const nowMs = signal(cluster.nowMs());
  const filter = signal<ShownPart>(showAll);
  const selected = signal<Shown | undefined>(undefined);
  const spanMs = signal(recorded === undefined ? 2 * 60_000 : wholeRun);
  /** The tab is kept when other objects are chosen. */
  const tab = signal<PanelTab>("Facts");
  /** A recording hides its future, which is to be predicted. */
  const hidesFuture = signal(false);
  /** The picture of a live cluster is held at this time; undefined if it follows the time. */
  const heldMs = signal<number | undefined>(undefined);
  /** The object under the pointer. */
  const pointed = signal<Shown | undefined>(undefined);
  const shownBar = (bar: Bar) => shows(filter.value, bar, (each) => cluster.workloadOfBar(each));
  const hasTerminals = signal(false);
  const { workOut, ...facts } = createFacts({ cluster, filter, recorded });

  /** Runs until the signal aborts; explanations are loaded after the first paint. */
  const run = async (stop: AbortSignal): Promise<void> => {
    const { runningTimersOf } = await import("../model/running-timers.ts");
    const working = (async () => {
      while (!stop.aborted) {
        const pieces = new Pieces(clock, stop);
        await workOut(runningTimersOf, pieces);
        await clock.sleep(pauseAfter(pieces.busyMs), stop).catch(() => {});
      }
    })();
    while (!stop.aborted) {
      nowMs.value = cluster.nowMs();
      await clock.sleep(tickMs, stop).catch(() => {});
    }
    await working;
  };
  return {
    cluster,
    api,
    clock,
    nowMs,
    filter,
    selected,
    spanMs,
    ...facts,
    shownBar,
    tab,
    hidesFuture,
    heldMs,
    pointed,
    recorded,
    terminals,
    hasTerminals,
    /** Finds out whether the page's server offers terminals. */
    async findTerminals(): Promise<void> {
      hasTerminals.value = (await terminals?.isOffered()) ?? false;
    },
    ...createLabLink(access, clock),
    run,
  };
}

/** Writes the selection and the held time into the page's address, so that it can be shared. */
export function followSelection(page: DashboardPage, write: (hash: string) => void): () => void {
  return effect(() => {
    const { value } = page.selected;
    const { value: heldMs } = page.heldMs;
    const name =
      value === undefined ? "" : `#${[value.kind, value.namespace, value.name].map(encodeURIComponent).join("/")}`;
    write(heldMs === undefined ? name : writeMoment(name, formatTimestamp(heldMs)));
  });
}

/** Reads the result of `followSelection`; undefined for other addresses. */
export function readAddress(hash: string): Shown | undefined {
  const parts = withoutMoment(hash).split("/");
  if (parts.length !== 3) return undefined;
  try {
    const [kind = "", namespace = "", name = ""] = parts.map(decodeURIComponent);
    return kind === "" || name === "" ? undefined : { kind, namespace, name };
  } catch {
    return undefined;
  }
}
