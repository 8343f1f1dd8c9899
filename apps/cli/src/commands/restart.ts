import {
  findCondition,
  isApiError,
  isConditionTrue,
  type Pod,
  podRestartAnnotation,
  pods,
  contextName,
} from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import type { Clock } from "@kintsugi/clock";
import { withClient } from "../base/cluster-access.ts";
import { formatSeconds } from "../output/terminal.ts";
import { ClusterOption } from "../base/cluster-option.ts";
import { type Command, CommandError } from "../base/command.ts";

interface RestartOptions {
  name: string;
  namespace: string;
  /** Seconds. */
  timeout: string;
  wait: boolean;
}

/** Interval at which the pod is read; its kubelet reports when the restart is done. */
const pollMs = 100;

export const restart: Command = {
  declare(program, run) {
    program
      .command("restart")
      .description("Restart a pod in place, with a new sandbox and new containers")
      .addHelpText(
        "after",
        "\nThe pod remains the same object on the same node. It gets a new sandbox, new addresses and new emptyDir contents. preStop hooks and the grace period are respected.",
      )
      .command("pod <pod>")
      .addOption(new ClusterOption("changes"))
      .option("--namespace <namespace>", "namespace of the pod", "default")
      .option("--timeout <seconds>", "seconds to wait until the pod is Ready again", "120")
      .option("--no-wait", "request the restart without waiting for it")
      .action(
        run(async (context, pod: string, options: RestartOptions) => {
          const timeoutMs = Number(options.timeout) * 1000;
          if (!(timeoutMs > 0)) throw new CommandError(`--timeout ${options.timeout} is not a number of seconds`);
          await withClient(context, { name: options.name }, async (client) => {
            const { namespace } = options;
            const startedMs = context.clock.monotonicMs();
            const asked = await askForRestart(client, { namespace, pod });
            if (!options.wait) return context.terminal.out(`pod/${pod} restart requested`);
            await untilRestarted({ client, clock: context.clock }, { asked, timeoutMs, cluster: options.name });
            const took = formatSeconds(context.clock.monotonicMs() - startedMs);
            context.terminal.out(`pod/${pod} restarted in ${took}`);
          });
        }),
      );
  },
};

/** @throws CommandError with the API server's sentence when it rejects the request. */
async function askForRestart(client: Client, { namespace, pod }: { namespace: string; pod: string }): Promise<Pod> {
  try {
    const path = `/api/v1/namespaces/${namespace}/pods/${pod}/restart`;
    return (await client.call({ method: "POST", path, body: {} })) as Pod;
  } catch (error) {
    if (isApiError(error)) throw new CommandError(error.message);
    throw error;
  }
}

async function untilRestarted(
  { client, clock }: { client: Client; clock: Clock },
  { asked, timeoutMs, cluster }: { asked: Pod; timeoutMs: number; cluster: string },
): Promise<void> {
  const { name = "", namespace = "", uid } = asked.metadata;
  const request = asked.metadata.annotations?.[podRestartAnnotation] ?? "";
  const untilMs = clock.monotonicMs() + timeoutMs;
  for (;;) {
    const pod = await client.find(pods, { namespace, name });
    if (pod === undefined || pod.metadata.uid !== uid)
      throw new CommandError(`pod ${name} was deleted in the meantime`);
    const { conditions, phase } = pod.status ?? {};
    if (phase === "Succeeded" || phase === "Failed") throw new CommandError(`pod ${name} has ended: ${phase}`);
    const restarted = findCondition(conditions, "kintsugi.dev/Restarted");
    const isDone = restarted?.status === "True" && restarted.message?.endsWith(request) === true;
    if (isDone && isConditionTrue(conditions, "Ready")) return;
    if (clock.monotonicMs() > untilMs) {
      const unready = (pod.status?.containerStatuses ?? []).filter(({ ready }) => !ready).map((each) => each.name);
      throw new CommandError(
        `pod ${name} is not Ready after ${formatSeconds(timeoutMs)}: ${unready.join(", ") || "its sandbox"}; see \`kubectl --context ${contextName(cluster)} describe pod ${name} -n ${namespace}\``,
      );
    }
    await clock.sleep(pollMs);
  }
}
