import { join } from "node:path";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { findProgram, flag, type LogLevel, readFlags, runService } from "@kintsugi/daemon";
import { type Programs, runSupervisor } from "@kintsugi/lab";
import { repository } from "../../support/lab-cluster.ts";

// The supervisor of a cluster for fault injection: the supervisor of `kintsugi up`, with three
// differences in its start of the services. Their wall clocks can be set wrong, and the api-server
// and nats-server listen on ports behind the clients' ports, so that a proxy can be placed in
// between.

const flags = {
  name: flag.text({ help: "The cluster's name", required: true }),
  "clock-directory": flag.text({ help: "Where the services' clocks are set", required: true }),
  "api-port": flag.number({ help: "Where the API server really listens, if that is behind a proxy" }),
  "nats-port": flag.number({ help: "Where nats-server really listens, if that is behind a proxy" }),
};

/** A script that replaces one of its arguments and executes the result, with the same pid. */
const replaceAndExec =
  'new=$1; shift; for a; do shift; case $a in "${new%%=*}="*) a=$new;; esac; set -- "$@" "$a"; done; exec "$@"';

function programsFor(options: {
  clockDirectory: string;
  apiPort: number | undefined;
  natsPort: number | undefined;
}): Programs {
  const clock = new URL("./skewed-clock.mjs", import.meta.url);
  clock.searchParams.set("directory", options.clockDirectory);
  const searchPath = process.env["PATH"] ?? "";
  const service = (name: string) => [
    process.execPath,
    "--import",
    clock.href,
    join(repository, "apps", name, "bundle/main.mjs"),
  ];
  const host = (name: string) => findProgram(name, searchPath) ?? name;
  const { apiPort, natsPort } = options;
  const elsewhere = apiPort === undefined ? [] : ["sh", "-c", replaceAndExec, "sh", `--secure-port=${apiPort}`];
  return {
    app: (folder) => [...(folder === "api-server" ? elsewhere : []), ...service(folder)],
    haproxy: [host("haproxy")],
    natsServer: [host("nats-server"), ...(natsPort === undefined ? [] : ["-p", String(natsPort)])],
    etcd: [host("etcd")],
    containerd: [host("containerd")],
  };
}

await runService({
  name: "supervisor",
  configure(argv) {
    const program = { name: "chaos-supervisor", description: "Keeps the processes of one cluster running." };
    return { ...readFlags(program, flags, argv), logLevel: "info" as LogLevel };
  },
  async start(config, log) {
    const programs = programsFor({
      clockDirectory: config["clock-directory"],
      apiPort: config["api-port"],
      natsPort: config["nats-port"],
    });
    const deps = { clock: systemClock, random: systemRandom, log };
    return [{ name: "supervisor", run: (signal) => runSupervisor(deps, { name: config.name, programs }, signal) }];
  },
});
