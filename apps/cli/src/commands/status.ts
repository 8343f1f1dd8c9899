import { isConditionTrue, nodes, textTable } from "@kintsugi/api";
import {
  createControlClient,
  type KnownCluster,
  listClusterNames,
  ociRuntimeOf,
  type NodeState,
  type SupervisorStatus,
} from "@kintsugi/lab";
import { adminClient, clusterNamed } from "../base/cluster-access.ts";
import { ClusterOption } from "../base/cluster-option.ts";
import { type Command, type CommandContext } from "../base/command.ts";
import { reportOnServers, type ServerReport, serverRows } from "../servers/server-report.ts";
import { outputOption } from "../base/option-values.ts";

/** Time that a status may wait for an API server that does not answer. */
const apiPatienceMs = 3_000;

export const status: Command = {
  declare(program, run) {
    program
      .command("status")
      .description("Print the state of a cluster's processes and nodes")
      .addOption(new ClusterOption("reads"))
      .addOption(outputOption())
      .action(
        run(async (context, options: { name: string; output: string }) => {
          const cluster = await clusterNamed(options.name);
          const report = await reportOn(context, cluster);
          if (options.output === "json") context.terminal.out(JSON.stringify(report, null, 2));
          else for (const line of describe(report)) context.terminal.out(line);
          const others = (await listClusterNames()).filter((name) => name !== options.name);
          if (others.length > 0 && options.output !== "json")
            context.terminal.say(`\nOther clusters: ${others.join(", ")}`);
        }),
      );
  },
};

export interface StatusReport {
  cluster: string;
  profile: string;
  ociRuntime: string;
  api: { server: string; ready: boolean };
  supervisor: SupervisorStatus | undefined;
  /** Empty if the control plane runs on this host itself. */
  servers: ServerReport[];
  nodes: { name: string; power: string; link: string; kubelet: string; ready: string }[];
}

export async function reportOn(context: CommandContext, cluster: KnownCluster): Promise<StatusReport> {
  const { spec, paths } = cluster;
  const supervisor = await createControlClient(paths.supervisorSocket).status();
  const [ready, servers] = await Promise.all([
    nodeReadiness(context, cluster),
    reportOnServers(context, cluster, supervisor?.servers ?? {}),
  ]);
  return {
    cluster: spec.name,
    profile: spec.profile,
    ociRuntime: ociRuntimeOf(spec),
    api: { server: `https://127.0.0.1:${spec.apiPort}`, ready: ready !== undefined },
    supervisor,
    servers,
    nodes: spec.nodes.map(({ name }) => {
      const state: Partial<NodeState> = supervisor?.nodes[name] ?? {};
      return {
        name,
        power: state.power ?? "?",
        link: state.link ?? "?",
        kubelet: state.kubelet ?? "?",
        ready: ready?.get(name) ?? "?",
      };
    }),
  };
}

/** Each node's Ready condition in the API; undefined when the API does not answer. */
async function nodeReadiness(context: CommandContext, cluster: KnownCluster): Promise<Map<string, string> | undefined> {
  const client = adminClient(context, cluster);
  try {
    const { items } = await client.list(nodes, { signal: AbortSignal.timeout(apiPatienceMs) });
    return new Map(
      items.map((node) => [
        node.metadata.name ?? "",
        isConditionTrue(node.status?.conditions, "Ready") ? "Ready" : "NotReady",
      ]),
    );
  } catch {
    return undefined;
  } finally {
    await client.close();
  }
}

function describe(report: StatusReport): string[] {
  const running = report.supervisor?.components ?? [];
  return [
    `Cluster ${report.cluster}, profile ${report.profile}, OCI runtime ${report.ociRuntime}`,
    `API server ${report.api.server}: ${report.api.ready ? "ready" : "not ready"}`,
    `Supervisor: ${report.supervisor ? `running, process ${report.supervisor.pid}` : `not running; \`kintsugi start --name ${report.cluster}\` starts it again`}`,
    ...(report.supervisor?.warnings ?? []).map((warning) => `Warning: ${warning}`),
    "",
    ...(report.servers.length === 0 ? [] : [...textTable(...serverRows(report.servers)), ""]),
    ...textTable(
      ["NODE", "POWER", "LINK", "KUBELET", "STATUS"],
      report.nodes.map((node) => [node.name, node.power, node.link, node.kubelet, node.ready]),
    ),
    "",
    ...textTable(
      ["PROCESS", "PID", "RESTARTS"],
      running.map((c) => [c.id, c.pid === undefined ? "-" : String(c.pid), String(c.restarts)]),
    ),
  ];
}
