import { writeFile } from "node:fs/promises";
import {
  type Event,
  events,
  isApiError,
  mergeTimeline,
  nodes,
  parseTimestamp,
  type ProfileName,
  profiles,
  textTable,
  type TimelineEntry,
  type TimelineLine,
  type TimelineSource,
  contextName,
} from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import { listed } from "@kintsugi/explanation";
import { findCluster } from "@kintsugi/lab";
import { pictureNextTo, publishedPage, type PublishedPage, type WrittenPage } from "@kintsugi/story";
import { withClient } from "../base/cluster-access.ts";
import { type AboutCluster, playerPageOf, readOwners, type ShownHistory, traceOf } from "./timeline-export.ts";
import { readStory, storyText } from "./pod-story.ts";
import { ClusterOption, kubeconfigOption } from "../base/cluster-option.ts";
import { type Command, type CommandContext, CommandError } from "../base/command.ts";
import { outputOption, profileOption } from "../base/option-values.ts";

interface TimelineFilter {
  node?: string;
  pod?: string;
  namespace?: string;
}

interface TimelineOptions extends TimelineFilter {
  name: string;
  kubeconfig?: string;
  profile?: ProfileName;
  output: string;
  json?: boolean;
  html?: string;
  site?: string;
}

export const timeline: Command = {
  declare(program, run) {
    program
      .command("timeline")
      .description("Print the history of nodes and pods in order, with explained delays")
      .addOption(new ClusterOption("reads"))
      .option(...kubeconfigOption)
      .addOption(profileOption().default(undefined, "the profile of the cluster, if the cluster is on this host"))
      .option("--node <node>", "show only this node and its pods")
      .option("--pod <pod>", "show only this pod")
      .option("--namespace <namespace>", "namespace of the pod")
      .addOption(outputOption("perfetto", "html"))
      .option("--json", "the same as --output json; with --pod, the history of its containers is included")
      .option("--html <file>", "write the page of --output html to a file")
      .option(
        "--site <url>",
        "address of the folder where the page of --html is published; also write the picture of its preview",
      )
      .action(
        run(async (context, options: TimelineOptions) => {
          const published = readSite(options);
          await withClient(context, options, async (client, access) => {
            const about = await aboutCluster(options, access.context);
            if (options.html !== undefined || options.output === "html")
              return writePage(context, await pageOf(context, { client, about, published }, options), options);
            if (options.output === "perfetto")
              return context.terminal.out(
                JSON.stringify(traceOf(await historyOf(context, { client, about }, options), about)),
              );
            const lines = await readTimeline(client, about, options);
            if (lines.length === 0) await refuseUnknown(client, about, options);
            const story = options.pod === undefined ? undefined : await readStory(client, options);
            const asJson = options.json === true || options.output === "json";
            if (asJson) context.terminal.out(JSON.stringify(story ? { ...story, lines } : lines, null, 2));
            else
              for (const line of [...timelineText(lines), ...(story ? storyText(story) : [])])
                context.terminal.out(line);
          });
        }),
      );
  },
};

type About = AboutCluster & { readonly context: string };

/**
 * The profile of a remote cluster is unknown here, so it is Kubernetes' own, unless it is given.
 */
async function aboutCluster({ name, kubeconfig, profile }: TimelineOptions, context: string): Promise<About> {
  if (kubeconfig !== undefined) return { clusterName: context, profile: profile ?? "kubernetes", context };
  const cluster = await findCluster(name);
  return { clusterName: name, profile: profile ?? cluster?.spec.profile ?? "kubernetes", context: contextName(name) };
}

/** @throws CommandError for a node or a pod without any history, because the name is wrong. */
async function refuseUnknown(client: Client, about: About, filter: TimelineFilter): Promise<void> {
  const { node, pod, namespace } = filter;
  if (node !== undefined && (await client.find(nodes, { namespace: "", name: node })) === undefined) {
    const names = (await client.list(nodes)).items.map(({ metadata }) => metadata.name ?? "");
    throw new CommandError(
      `cluster "${about.clusterName}" has no node "${node}", neither now nor in its timeline; it has ${listed(names)}`,
    );
  }
  if (pod === undefined) return;
  const inside = namespace === undefined ? "" : ` in the namespace ${namespace}`;
  const where = node === undefined ? inside : `${inside} on ${node}`;
  throw new CommandError(
    `cluster "${about.clusterName}" has no pod "${pod}"${where} in its timeline; \`kubectl --context ${about.context} get pods -A\` lists the pods`,
  );
}

/**
 * The addresses at which the page is published.
 * @throws CommandError for a site without a page, and for an address that no network could show.
 */
function readSite({ html, site }: TimelineOptions): PublishedPage | undefined {
  if (site === undefined) return undefined;
  if (html === undefined) throw new CommandError("--site is for a page in a file: use it with --html");
  const published = publishedPage(site, html);
  if (published === undefined)
    throw new CommandError(`--site ${site} is not an address such as https://example.org/runs/`);
  return published;
}

/** The timeline for other programs: for a trace in Perfetto, or for a page that plays it. */
async function historyOf(
  context: CommandContext,
  { client, about }: { client: Client; about: About },
  options: TimelineOptions,
): Promise<ShownHistory> {
  const source = await collect(client, options);
  if (source.journal.length === 0 && source.events.length === 0) await refuseUnknown(client, about, options);
  const owners = await readOwners(client);
  return { steps: source.journal as TimelineEntry[], events: source.events, owners, nowMs: context.clock.nowMs() };
}

async function pageOf(
  context: CommandContext,
  { client, about, published }: { client: Client; about: About; published: PublishedPage | undefined },
  options: TimelineOptions,
): Promise<WrittenPage> {
  const history = await historyOf(context, { client, about }, options);
  return playerPageOf(history, { ...about, published, playerDirectory: context.config.playerDirectory });
}

/** @throws CommandError when a file cannot be written. */
async function writePage(
  { terminal }: CommandContext,
  { page, picture }: WrittenPage,
  { html }: TimelineOptions,
): Promise<void> {
  if (html === undefined) return terminal.out(page);
  try {
    await writeFile(html, page);
    if (picture !== undefined) await writeFile(pictureNextTo(html), picture);
  } catch (cause) {
    throw new CommandError(`--html ${html} cannot be written: ${(cause as Error).message}`, { cause });
  }
}

/** Returns the timeline of the filter's objects, in order. */
export async function readTimeline(
  client: Client,
  { profile }: Pick<AboutCluster, "profile">,
  filter: TimelineFilter,
): Promise<TimelineLine[]> {
  return mergeTimeline(await collect(client, filter), profiles[profile]);
}

const shownKinds: ReadonlySet<string> = new Set([
  "Node",
  "Pod",
  "ReplicaSet",
  "ReplicationController",
  "Deployment",
  "StatefulSet",
  "DaemonSet",
]);

/** The API server's journal, and the events about the same objects. */
async function collect(client: Client, options: TimelineFilter): Promise<TimelineSource> {
  const query = new URLSearchParams();
  for (const key of ["node", "pod", "namespace"] as const) if (options[key] !== undefined) query.set(key, options[key]);
  const journal = await readJournal(client, query.toString());
  const { items } = await client.list(events, options.namespace === undefined ? {} : { namespace: options.namespace });
  const pods = new Set(journal.items.filter((entry) => entry.kind === "Pod").map((entry) => entry.name));
  const concerns = ({ involvedObject: { kind, name } }: Event) => {
    if (options.pod !== undefined) return kind === "Pod" && name === options.pod;
    if (options.node !== undefined)
      return (kind === "Node" && name === options.node) || (kind === "Pod" && pods.has(name ?? ""));
    return shownKinds.has(kind ?? "");
  };
  return { journal: journal.items, events: items.filter(concerns).flatMap(toEventEntries) };
}

/** @throws CommandError if the API server is not Kintsugi's. */
async function readJournal(client: Client, query: string): Promise<Pick<TimelineReply, "items">> {
  try {
    const path = `/apis/kintsugi.dev/v1alpha1/timeline?${query}`;
    return (await client.call({ method: "GET", path })) as TimelineReply;
  } catch (error) {
    if (!isApiError(error, "NotFound")) throw error;
    throw new CommandError(
      "this cluster's API server does not keep a timeline because it is not Kintsugi's; see `kintsugi explain`",
      {
        cause: error,
      },
    );
  }
}

interface TimelineReply {
  readonly items: TimelineSource["journal"];
}

function toEventEntries(event: Event): TimelineSource["events"] {
  const at = event.lastTimestamp ?? event.eventTime ?? event.firstTimestamp ?? event.metadata.creationTimestamp;
  if (at === undefined || at === null) return [];
  const { kind, name, namespace } = event.involvedObject;
  return [
    {
      timeMs: parseTimestamp(at),
      kind: kind ?? "",
      namespace: namespace ?? "",
      name: name ?? "",
      reason: event.reason ?? "",
      message: event.message ?? "",
      count: event.count ?? 1,
    },
  ];
}

/** Writes the timeline as a table for people. */
export function timelineText(lines: readonly TimelineLine[]): string[] {
  if (lines.length === 0) return ["The cluster has no events yet."];
  // A cluster with one server has no servers to distinguish.
  const hasServers = lines.some(({ server }) => server !== undefined);
  const rows = lines.map((line) => [
    clockTime(line),
    line.exactToMs ? `+${(line.sinceFirstMs / 1000).toFixed(3)}s` : "",
    line.object,
    ...(hasServers ? [line.server ?? ""] : []),
    line.what,
    line.detail + (line.explained === undefined ? "" : `  [${line.explained}]`),
  ]);
  return textTable(["TIME", "SINCE", "OBJECT", ...(hasServers ? ["SERVER"] : []), "WHAT", "DETAIL"], rows);
}

/** 13:04:05.123, in UTC as everything in the API; without the fraction if it is unknown. */
function clockTime({ timeMs, exactToMs }: TimelineLine): string {
  const ms = Math.floor(timeMs % 86_400_000);
  const part = (value: number, digits: number) => String(Math.floor(value)).padStart(digits, "0");
  const toTheSecond = `${part(ms / 3_600_000, 2)}:${part((ms / 60_000) % 60, 2)}:${part((ms / 1000) % 60, 2)}`;
  return exactToMs ? `${toTheSecond}.${part(ms % 1000, 3)}` : toTheSecond;
}
