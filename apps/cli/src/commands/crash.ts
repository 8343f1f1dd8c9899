import { pods, contextName } from "@kintsugi/api";
import { clusterNamed, withAdmin } from "../base/cluster-access.ts";
import { ClusterOption } from "../base/cluster-option.ts";
import { type Command, CommandError } from "../base/command.ts";
import { containerOf, killContainer } from "../base/running-container.ts";

interface CrashOptions {
  name: string;
  namespace: string;
  container?: string;
}

export const crash: Command = {
  declare(program, run) {
    program
      .command("crash <pod>")
      .description("Kill the process of a container from outside, as a bug in its program would")
      .addOption(new ClusterOption("changes", "--name <name>"))
      .option("-n, --namespace <namespace>", "namespace of the pod", "default")
      .option("-c, --container <container>", "container to crash (default: the only container of the pod)")
      .action(
        run(async (context, name: string, { name: clusterName, namespace, container: asked }: CrashOptions) => {
          const cluster = await clusterNamed(clusterName);
          await withAdmin(context, cluster, async (client) => {
            const pod = await client.find(pods, { namespace, name });
            if (pod === undefined)
              throw new CommandError(
                `cluster "${clusterName}" has no pod "${name}" in the namespace ${namespace}; \`kubectl --context ${contextName(clusterName)} get pods -A\` lists the pods`,
              );
            const container = containerOf(pod, asked);
            await killContainer({ cluster, client }, { namespace, pod: name, container });
            context.terminal.out(`container ${container} of pod/${name} was killed`);
          });
        }),
      );
  },
};
