import {
  type ApiObject,
  deployments,
  namespaces,
  nodes,
  persistentVolumeClaims,
  persistentVolumes,
  podDisruptionBudgets,
  pods,
  replicaSets,
  replicationControllers,
  type ResourceType,
  statefulSets,
  csiNodes,
  storageClasses,
  volumeAttachments,
} from "@kintsugi/api";
import { type Client, createEventRecorder, type EventRecorder } from "@kintsugi/client";
import {
  forecastRebalance,
  type MoveNote,
  type ObservedObjects,
  observeWorld,
  Rebalancer,
  type RebalanceOptions,
} from "@kintsugi/rebalance";
import { type AccessOptions, withClient } from "../base/cluster-access.ts";
import { ClusterOption, kubeconfigOption } from "../base/cluster-option.ts";
import { type Command, type CommandContext, CommandError } from "../base/command.ts";
import { outputOption } from "../base/option-values.ts";
import { forecastData, forecastLines, stepData, stepLines, type Told } from "./rebalance-text.ts";

interface Options extends AccessOptions {
  namespace?: string;
  dryRun?: boolean;
  includeStateful?: boolean;
  timeout: string;
  output: string;
}

/** Interval at which objects are read again while a replacement becomes Ready. */
const pollMs = 500;
/** Times in the API are whole seconds, so a shorter time would not be visible as a change. */
const settleMs = 2_000;
/** The default of the controller's --rebalance-score-margin. */
const scoreMargin = 20;

export const rebalance: Command = {
  declare(program, run) {
    program
      .command("rebalance")
      .description("Move pods of one owner that crowd together to nodes that the scheduler scores higher")
      .addHelpText(
        "after",
        "\nOne pod at a time, by the Eviction API, so that PodDisruptionBudgets hold; the next pod moves when the replacement is Ready." +
          '\nThe annotation kintsugi.dev/rebalance of an owner, "true" or "false", decides for its pods.',
      )
      .addOption(new ClusterOption("changes"))
      .option(...kubeconfigOption)
      .option("--namespace <namespace>", "move only pods of this namespace")
      .option("--dry-run", "print the moves without making them")
      .option("--include-stateful", "move pods of StatefulSets too")
      .option("--timeout <seconds>", "seconds to wait until one replacement is Ready", "300")
      .addOption(outputOption())
      .action(
        run(async (context, options: Options) => {
          const settings = settingsOf(options);
          const act = options.dryRun === true ? forecast : perform;
          await withClient(context, options, (client) => act({ context, client }, { settings, options }));
        }),
      );
  },
};

function settingsOf(options: Options): RebalanceOptions {
  const readyWithinMs = Number(options.timeout) * 1000;
  if (!(readyWithinMs > 0)) throw new CommandError(`--timeout ${options.timeout} is not a number of seconds`);
  const { namespace = "", includeStateful = false } = options;
  return { namespace, includeStateful, scoreMargin, settleMs, cooldownMs: 0, readyWithinMs };
}

interface Surroundings {
  context: CommandContext;
  client: Client;
}

interface Request {
  settings: RebalanceOptions;
  options: Options;
}

async function forecast({ context, client }: Surroundings, { settings, options }: Request): Promise<void> {
  const world = observeWorld(await readObjects(client, context.signal));
  const made = forecastRebalance(world, settings, context.clock.nowMs());
  const lines = options.output === "json" ? [JSON.stringify(forecastData(made), null, 2)] : forecastLines(made);
  for (const line of lines) context.terminal.out(line);
}

/** Makes one move after the other until no move is left. */
async function perform({ context, client }: Surroundings, { settings, options }: Request): Promise<void> {
  const { clock, terminal } = context;
  const stop = new AbortController();
  const recorder = createEventRecorder({ ...context, client }, { component: "kintsugi-rebalance" });
  const recording = recorder.run(stop.signal);
  const deps = { client, nowMs: () => clock.nowMs(), note: (note: MoveNote) => record(recorder, note) };
  const rebalancer = new Rebalancer(deps, settings);
  const isForPeople = options.output !== "json";
  const steps: Told[] = [];
  try {
    for (;;) {
      const step = await nextStep({ context, client }, { rebalancer, settings });
      steps.push(step);
      if (isForPeople) for (const line of stepLines(step, steps.length === 1)) terminal.out(line);
      if (step.is === "nothing" || step.is === "refused") break;
    }
    if (!isForPeople) terminal.out(JSON.stringify({ steps: steps.map(stepData) }, null, 2));
  } finally {
    stop.abort();
    await recording;
  }
}

/** Waits for the next step that changes something. @throws CommandError when it takes too long. */
async function nextStep(
  { context: { clock, signal }, client }: Surroundings,
  { rebalancer, settings }: { rebalancer: Rebalancer; settings: RebalanceOptions },
): Promise<Told> {
  const untilMs = clock.monotonicMs() + settings.readyWithinMs + 2 * settleMs;
  for (;;) {
    const step = await rebalancer.step(observeWorld(await readObjects(client, signal)), signal);
    const isFresh = step.is === "nothing" && step.held.some(({ isPassing }) => isPassing);
    if (step.is !== "waiting" && !isFresh) return step;
    if (clock.monotonicMs() > untilMs)
      throw new CommandError(`no pod moves: ${step.is === "waiting" ? step.because : (step.held[0]?.because ?? "")}`);
    await clock.sleep(pollMs, signal);
  }
}

function record(recorder: EventRecorder, { reason, owner, pod, message }: MoveNote): void {
  const type = reason === "Rebalanced" ? "Normal" : "Warning";
  if (pod !== undefined) recorder.record(pod, { type, reason, message });
  const { apiVersion = "", kind = "" } = { ...owner.object };
  recorder.record({ ...owner.object, apiVersion, kind }, { type, reason, message });
}

async function readObjects(client: Client, signal: AbortSignal): Promise<ObservedObjects> {
  const all = async <T extends ApiObject>(type: ResourceType<T>) => (await client.list(type, { signal })).items;
  // Owners are read first, so that pods that are created after their owner was read are counted
  // too.
  const owners = {
    deployments: await all(deployments),
    replicaSets: await all(replicaSets),
    replicationControllers: await all(replicationControllers),
    statefulSets: await all(statefulSets),
  };
  return {
    ...owners,
    nodes: await all(nodes),
    namespaces: await all(namespaces),
    budgets: await all(podDisruptionBudgets),
    claims: await all(persistentVolumeClaims),
    volumes: await all(persistentVolumes),
    storageClasses: await all(storageClasses),
    csiNodes: await all(csiNodes),
    attachments: await all(volumeAttachments),
    pods: await all(pods),
  };
}
