import { nodesMax } from "@kintsugi/api";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { flag, FlagError, type LogLevel, readFlags, runService } from "@kintsugi/daemon";
import { composedServerCounts, newClusterSpec, writeIdentities } from "@kintsugi/lab";

const program = {
  name: "kintsugi-identities",
  description: "Issues the certificates of each container of a composed cluster; a repeated run changes nothing.",
};

// Runs before the containers of deploy/compose start, and exits.
void runService({
  name: "identities",
  configure(argv) {
    const flags = readFlags(
      program,
      {
        "cluster-name": flag.text({ help: "Name of the cluster", fallback: "kintsugi" }),
        nodes: flag.count({
          min: 1,
          max: nodesMax,
          help: "Number of nodes, which are named node-1, node-2, …",
          fallback: 3,
        }),
        subnet: flag.count({ max: 255, help: "Second byte of the cluster's range 10.x.0.0/16", fallback: 64 }),
        "api-port": flag.port({ help: "Port of the host at which the API is reached", fallback: 6443 }),
        servers: flag.count({
          help: "Number of API servers: 1, or 3, which share their objects in an etcd of three",
          fallback: 1,
        }),
        "balancer-port": flag.port({ help: "Port of the host at which several servers are reached", fallback: 6444 }),
        "api-names": flag.list({ help: "Further names and addresses in the API's certificate", fallback: [] }),
        "authority-dir": flag.text({ help: "Directory of the certificate authority's key", required: true }),
        "identities-dir": flag.text({ help: "Directory that receives one directory per container", required: true }),
        "data-dir": flag.text({ help: "Directory with the data directories of etcd's members" }),
        "kubeconfig-dir": flag.text({ help: "Directory that receives the administrator's kubeconfig", required: true }),
      },
      argv,
    );
    if (!composedServerCounts.includes(flags.servers))
      throw new FlagError(`--servers is ${flags.servers}: a composed cluster has 1 API server, or 3`);
    return { flags, logLevel: "info" as LogLevel };
  },
  start({ flags }, log) {
    const deps = { clock: systemClock, random: systemRandom };
    const spec = newClusterSpec({
      name: flags["cluster-name"],
      nodeCount: flags.nodes,
      profile: "default",
      apiPort: flags["api-port"],
      subnet: flags.subnet,
      createdAtMs: deps.clock.nowMs(),
    });
    const options = {
      spec,
      authorityDirectory: flags["authority-dir"],
      identitiesDirectory: flags["identities-dir"],
      kubeconfigDirectory: flags["kubeconfig-dir"],
      apiNames: flags["api-names"],
      servers: flags.servers,
      balancerPort: flags["balancer-port"],
      dataDirectory: flags["data-dir"],
    };
    const run = async () => {
      await writeIdentities(deps, options);
      log.info("identities are in place", { cluster: spec.name, nodes: spec.nodes.length });
    };
    return Promise.resolve([{ name: "identities", run }]);
  },
});
